// SPDX-License-Identifier: GPL-2.0-only
/* What a session does beside the faults: lets threads in again, empties views of ended threads, zaps. */
#include "keeper.h"

#include "table.h"
#include "thread.h"

#define PERIOD max(1, HZ / 100)

void nm_keeper_zap(struct nm_session *s, u64 chance, u64 most, u64 *open, u64 *closed)
{
	u32 used = smp_load_acquire(&s->pool.used);
	/* Anywhere, so that `most` spares no page more than another. */
	u32 first = used ? s->zap_state % used : 0;
	u32 i;

	*open = *closed = 0;
	for (i = 0; i < used && *closed < most; i++) {
		struct nm_pool_page *page = &s->pool.pages[(first + i) % used];

		if (READ_ONCE(page->table))
			*closed += nm_table_zap(page, chance, most - *closed, &s->zap_state, open);
		cond_resched();
	}
	atomic64_add(*closed, &s->counts[NM_ZAPPED]);
	if (*closed)
		nm_threads_flush(s);
}

/*
 * Of all entries opened, `zap_share` per cent shall be openings again of what was closed here. So for
 * each 100 - zap_share opened for the first time, zap_share may be closed; a zap of what the kernel then took
 * away opens nothing again, and does not count.
 */
static void keep_zap_share(struct nm_session *s)
{
	u64 opened = atomic64_read(&s->counts[NM_OPENED]);
	u64 reopened = atomic64_read(&s->counts[NM_REOPENED]);
	u64 zapped = atomic64_read(&s->counts[NM_ZAPPED]) - atomic64_read(&s->counts[NM_FORGOTTEN]);
	u64 first = opened - min(opened, reopened);
	u64 allowed = div_u64(first * s->zap_share, 100 - s->zap_share);
	u64 open, closed;
	u64 all = first - min(first, zapped - min(zapped, reopened));

	if (zapped >= allowed || !all)
		return;
	nm_keeper_zap(s, min_t(u64, BIT_ULL(32), div64_u64((allowed - zapped) << 32, all)), allowed - zapped,
		      &open, &closed);
}

static void empty_stale_tables(struct nm_session *s)
{
	unsigned long flags;
	u32 table;

	for (;;) {
		raw_spin_lock_irqsave(&s->tables_lock, flags);
		if (!s->stale_count) {
			raw_spin_unlock_irqrestore(&s->tables_lock, flags);
			return;
		}
		table = s->stale_tables[--s->stale_count];
		raw_spin_unlock_irqrestore(&s->tables_lock, flags);
		nm_table_close(&s->tables[table], 0, TASK_SIZE_MAX);
		raw_spin_lock_irqsave(&s->tables_lock, flags);
		s->free_tables[s->free_count++] = table;
		raw_spin_unlock_irqrestore(&s->tables_lock, flags);
	}
}

static void keep(struct work_struct *work)
{
	struct nm_session *s = container_of(to_delayed_work(work), struct nm_session, keeper);

	if (READ_ONCE(s->released))
		return;
	empty_stale_tables(s);
	if (s->zap_share)
		keep_zap_share(s);
	if (atomic_xchg(&s->rearm, 0))
		nm_threads_enter(s);
	schedule_delayed_work(&s->keeper, PERIOD);
}

void nm_keeper_init(struct nm_session *s)
{
	INIT_DELAYED_WORK(&s->keeper, keep);
}

void nm_keeper_start(struct nm_session *s)
{
	schedule_delayed_work(&s->keeper, PERIOD);
}

void nm_keeper_stop(struct nm_session *s)
{
	cancel_delayed_work_sync(&s->keeper);
}
