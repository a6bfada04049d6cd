// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel tells before and after it takes something away from the primary page table. Before: the range
 * is closed in all views. In between: no entry of it is opened. The flush of the processors is the kernel's
 * own, after its change: the views run under the same tags on the same processors.
 */
#include "coherence.h"

#include "table.h"
#include "thread.h"

bool nm_invalidates(struct nm_session *s, unsigned long address)
{
	struct nm_invalidations *now = &s->invalidations;
	bool hit;

	if (!atomic_read_acquire(&now->running))
		return false;
	raw_spin_lock(&now->lock);
	hit = atomic_read(&now->running) && (address | ~PAGE_MASK) >= now->first &&
	      (address & PAGE_MASK) < now->end;
	raw_spin_unlock(&now->lock);
	return hit;
}

unsigned long nm_close_everywhere(struct nm_session *s, unsigned long first, unsigned long end)
{
	unsigned long closed = 0;
	u32 i;

	for (i = 0; i < s->table_count; i++)
		closed += nm_table_close(&s->tables[i], first, end);
	return closed;
}

static void begin(struct nm_invalidations *now, unsigned long first, unsigned long end)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&now->lock, flags);
	if (!atomic_read(&now->running)) {
		now->first = first;
		now->end = end;
	} else {
		now->first = min(now->first, first);
		now->end = max(now->end, end);
	}
	atomic_inc(&now->running);
	/* Seen before the range is closed: who fills under a table's lock after that sees it. */
	smp_mb__after_atomic();
	raw_spin_unlock_irqrestore(&now->lock, flags);
}

static int on_start(struct mmu_notifier *notifier, const struct mmu_notifier_range *range)
{
#ifndef NUMATCH_BREAK_COHERENCE
	struct nm_session *s = container_of(notifier, struct nm_session, notifier);

	begin(&s->invalidations, range->start, range->end);
	atomic64_add(nm_close_everywhere(s, range->start, range->end), &s->counts[NM_INVALIDATED]);
	nm_count(s, NM_INVALIDATIONS);
#endif
	return 0;
}

static void on_end(struct mmu_notifier *notifier, const struct mmu_notifier_range *range)
{
#ifndef NUMATCH_BREAK_COHERENCE
	struct nm_session *s = container_of(notifier, struct nm_session, notifier);
	unsigned long flags;

	raw_spin_lock_irqsave(&s->invalidations.lock, flags);
	atomic_dec(&s->invalidations.running);
	raw_spin_unlock_irqrestore(&s->invalidations.lock, flags);
#endif
}

/* The process gives up its memory: nobody may be in a view when its page tables go. */
static void on_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct nm_session *s = container_of(notifier, struct nm_session, notifier);

	/* So it is also called when a session ends, and the process goes on. */
	if (READ_ONCE(s->over))
		return;
	WRITE_ONCE(s->released, true);
	begin(&s->invalidations, 0, ULONG_MAX); /* for good */
	nm_threads_leave(s);
	nm_close_everywhere(s, 0, TASK_SIZE_MAX);
}

static const struct mmu_notifier_ops operations = {
	.invalidate_range_start = on_start,
	.invalidate_range_end = on_end,
	.release = on_release,
};

void nm_coherence_init(struct nm_session *s)
{
	raw_spin_lock_init(&s->invalidations.lock);
	s->notifier.ops = &operations;
}
