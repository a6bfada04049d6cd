// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens on a page fault in a view. Nobody ever waits here: a thread that waited for an invalidation
 * would be waited for by it. On any doubt the thread leaves its view, and the keeper lets it in again.
 */
#include "fault.h"

#include <linux/ktime.h>
#include <linux/mm.h>

#include "cr3.h"
#include "table.h"
#include "thread.h"

#define MOST_REPEATS 16 /* faults on one page in a row; two are usual */

static void drop(struct nm_thread *thread, enum nm_count why)
{
	nm_count(thread->session, why);
	nm_thread_leave(thread);
	atomic_set(&thread->session->rearm, 1);
}

static void record(struct nm_thread *thread, unsigned long address, u32 flags)
{
	struct nm_session *s = thread->session;
	struct numatch_use use = {
		.address = address,
		.thread = thread->tid,
		.flags = flags,
		.time = ktime_get_mono_fast_ns(),
	};

	use.count = nm_pairs_add(&s->pairs, address, thread->number, flags & NUMATCH_USE_WRITE);
	if (!(s->flags & NUMATCH_NEW_PAIRS_ONLY) || use.count == 1)
		nm_ring_add(&s->ring, &use);
}

static bool repeats_too_often(struct nm_thread *thread, unsigned long page)
{
	if (thread->last_page != page) {
		thread->last_page = page;
		thread->repeated = 0;
	}
	return ++thread->repeated > MOST_REPEATS;
}

void nm_fault(struct nm_thread *thread, unsigned long address, bool write, bool by_user)
{
	struct nm_session *s = thread->session;
	u32 flags = (write ? NUMATCH_USE_WRITE : 0) | (by_user ? 0 : NUMATCH_USE_KERNEL);

	nm_count(s, NM_FAULTS);
	if (repeats_too_often(thread, address & PAGE_MASK)) {
		thread->repeated = 0;
		drop(thread, NM_DROPPED_REPEAT);
		return;
	}
	switch (nm_table_fill(thread->table, address, write)) {
	case NM_FILL_REOPENED:
		nm_count(s, NM_REOPENED);
		flags |= NUMATCH_USE_REOPENED;
		fallthrough;
	case NM_FILL_OPENED:
		nm_count(s, NM_OPENED);
		record(thread, address, flags);
		break;
	case NM_FILL_UPGRADED:
		nm_count(s, NM_UPGRADED);
		if (write)
			nm_pairs_mark_written(&s->pairs, address, thread->number);
		break;
	case NM_FILL_FOR_KERNEL:
		nm_count(s, NM_LEFT_TO_KERNEL);
		break;
	case NM_FILL_BUSY:
		drop(thread, NM_DROPPED_BUSY);
		break;
	case NM_FILL_FULL:
		drop(thread, NM_DROPPED_FULL);
		break;
	}
}
