// SPDX-License-Identifier: GPL-2.0-only
#include "session.h"

#include <linux/log2.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "coherence.h"
#include "compat.h"
#include "keeper.h"
#include "live.h"
#include "probes.h"
#include "refuse.h"
#include "table.h"
#include "thread.h"

LIST_HEAD(nm_sessions);
DEFINE_MUTEX(nm_sessions_lock);

struct nm_session *nm_session_new(void)
{
	struct nm_session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	mutex_init(&s->lock);
	raw_spin_lock_init(&s->tables_lock);
	INIT_LIST_HEAD(&s->node);
	nm_coherence_init(s);
	nm_keeper_init(s);
	return s;
}

static int with_default(u32 *value, u32 unless_said, u32 most)
{
	if (!*value)
		*value = unless_said;
	return *value <= most ? 0 : -EINVAL;
}

static int check(struct numatch_start *asked)
{
	if (asked->mode != NUMATCH_MULTI && asked->mode != NUMATCH_SINGLE)
		return -EINVAL;
	if ((asked->flags & ~NUMATCH_NEW_PAIRS_ONLY) || asked->reserved || asked->zap_share > 90)
		return -EINVAL;
	if (with_default(&asked->views, 64, NM_MAX_VIEWS) ||
	    with_default(&asked->threads, 1024, NM_MAX_THREADS) ||
	    with_default(&asked->table_pages, 4096, NM_MAX_TABLE_PAGES) ||
	    with_default(&asked->ring_records, 65536, NM_MAX_RING_RECORDS) ||
	    with_default(&asked->pairs, 65536, NM_MAX_PAIRS))
		return -EINVAL;
	/* Two at least, for halves of a ring and hashes of a bit. */
	if (!is_power_of_2(asked->ring_records) || asked->ring_records < 2 ||
	    !is_power_of_2(asked->pairs) || asked->pairs < 2)
		return -EINVAL;
	return 0;
}

static int allocate(struct nm_session *s, const struct numatch_start *asked)
{
	u32 i;

	s->table_count = asked->mode == NUMATCH_SINGLE ? 1 : asked->views;
	s->thread_count = asked->threads;
	s->tables = kvcalloc(s->table_count, sizeof(*s->tables), GFP_KERNEL_ACCOUNT);
	s->free_tables = kvcalloc(s->table_count, sizeof(u32), GFP_KERNEL_ACCOUNT);
	s->stale_tables = kvcalloc(s->table_count, sizeof(u32), GFP_KERNEL_ACCOUNT);
	if (!s->tables || !s->free_tables || !s->stale_tables)
		return -ENOMEM;
	for (i = 0; i < s->table_count; i++) {
		if (nm_table_init(&s->tables[i], s))
			return -ENOMEM;
		s->free_tables[s->free_count++] = i;
	}
	s->tids = kvcalloc(s->thread_count, sizeof(*s->tids), GFP_KERNEL_ACCOUNT);
	if (!s->tids || nm_threads_init(s) || nm_pool_init(&s->pool, asked->table_pages) ||
	    nm_ring_init(&s->ring, asked->ring_records) || nm_pairs_init(&s->pairs, asked->pairs))
		return -ENOMEM;
	return 0;
}

/* What only an observed process needs; ring and pairs can still be read. */
static void free_views(struct nm_session *s)
{
	u32 i;

	for (i = 0; s->tables && i < s->table_count; i++)
		nm_table_free(&s->tables[i]);
	kvfree(s->tables);
	kvfree(s->free_tables);
	kvfree(s->stale_tables);
	s->tables = NULL;
	s->free_tables = s->stale_tables = NULL;
	s->table_count = s->free_count = s->stale_count = 0;
	nm_pool_free(&s->pool);
}

static void free_all(struct nm_session *s)
{
	if (s->threads)
		nm_threads_abandon(s); /* of a start that failed: none is linked */
	free_views(s);
	nm_ring_free(&s->ring);
	nm_pairs_free(&s->pairs);
	kvfree(s->tids);
	s->tids = NULL;
	if (s->pid_space)
		put_pid_ns(s->pid_space);
	s->pid_space = NULL;
}

/* nm_sessions_lock is held. */
static bool is_observed(struct mm_struct *mm)
{
	struct nm_session *other;

	list_for_each_entry(other, &nm_sessions, node)
		if (other->mm == mm)
			return true;
	return false;
}

static int attach(struct nm_session *s, struct mm_struct *mm)
{
	int error = nm_probes_get();

	if (error)
		return error;
	mutex_lock(&nm_sessions_lock);
	error = is_observed(mm) ? -EEXIST : 0;
	s->mm = mm;
	s->primary_pa = __pa(mm->pgd);
	if (!error)
		error = mmu_notifier_register(&s->notifier, mm);
	if (!error) {
		s->attached = true;
		WRITE_ONCE(s->tracing, true);
		list_add_rcu(&s->node, &nm_sessions);
	}
	mutex_unlock(&nm_sessions_lock);
	if (error) {
		nm_probes_put();
		return error;
	}
	nm_threads_enter(s);
	nm_keeper_start(s);
	return 0;
}

static int start_with(struct nm_session *s, struct task_struct *task, struct numatch_start *asked)
{
	struct mm_struct *mm = get_task_mm(task);
	const char *refused;
	int error;

	if (!mm)
		return -ESRCH;
	error = nm_may_observe(task, mm) ? 0 : -EPERM;
	if (!error) {
		refused = nm_refuses_process(task, mm);
		if (refused) {
			strscpy(asked->message, refused, sizeof(asked->message));
			error = -EOPNOTSUPP;
		}
	}
	if (!error) {
		s->mode = asked->mode;
		s->flags = asked->flags;
		s->zap_share = asked->zap_share;
		/* The generator must not begin with 0. */
		s->zap_state = asked->seed ^ 0x9e3779b97f4a7c15ULL ?: 1;
		s->pid_space = get_pid_ns(task_active_pid_ns(current));
		error = allocate(s, asked);
		if (!error)
			error = attach(s, mm);
		if (error)
			free_all(s);
	}
	mmput(mm);
	return error;
}

static int start_process(struct nm_session *s, struct numatch_start *asked)
{
	struct pid *pid = find_get_pid(asked->pid);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	int error;

	put_pid(pid);
	if (!task)
		return -ESRCH;
	error = start_with(s, task, asked);
	put_task_struct(task);
	return error;
}

int nm_session_start(struct nm_session *s, struct numatch_start *asked)
{
	int error = check(asked);

	memset(asked->message, 0, sizeof(asked->message));
	if (error)
		return error;
	if (s->started)
		return -EBUSY;
	/* Until close(): what was seen needs memory, too. */
	if (atomic_inc_return(&nm_live_sessions) > NM_MAX_SESSIONS) {
		atomic_dec(&nm_live_sessions);
		return -EUSERS;
	}
	error = start_process(s, asked);
	if (error) {
		atomic_dec(&nm_live_sessions);
		return error;
	}
	s->started = true;
	smp_store_release(&s->ready, true);
	return 0;
}

void nm_session_stop(struct nm_session *s)
{
	if (!s->attached)
		return;
	s->attached = false;
	WRITE_ONCE(s->tracing, false);
	nm_keeper_stop(s);
	mutex_lock(&nm_sessions_lock);
	list_del_rcu(&s->node);
	mutex_unlock(&nm_sessions_lock);
	/*
	 * Whoever links, enters or fills has interrupts off. So when all processors have been interrupted, none of
	 * them is at it, and none begins: it would see `tracing` and the list as they are now.
	 */
	nm_threads_unlink(s);
	nm_threads_abandon(s);
	/*
	 * Nobody is in a view any more. But the kernel may have left one by itself, with its tag not flushed:
	 * when a processor walked our tables last, it may remember them. After this, none does. And whoever was
	 * about to leave or to end a thread that is abandoned now has done so.
	 */
	nm_flush_all_processors();
	WRITE_ONCE(s->over, true);
	mmu_notifier_unregister(&s->notifier, s->mm);
	nm_probes_put();
	free_views(s);
}

void nm_session_free(struct nm_session *s)
{
	nm_session_stop(s);
	free_all(s);
	if (s->started)
		atomic_dec(&nm_live_sessions);
	kfree(s);
}

void nm_session_trace(struct nm_session *s, bool on, bool clear)
{
	WRITE_ONCE(s->tracing, false);
	nm_keeper_stop(s);
	nm_threads_leave(s);
	if (!on)
		return;
	nm_close_everywhere(s, 0, TASK_SIZE_MAX);
	if (clear)
		nm_pairs_clear(&s->pairs);
	WRITE_ONCE(s->tracing, true);
	nm_threads_enter(s);
	nm_keeper_start(s);
}

void nm_session_zap(struct nm_session *s, struct numatch_zap *zap)
{
	/* The keeper uses the same generator. */
	nm_keeper_stop(s);
	nm_keeper_zap(s, div_u64(BIT_ULL(32) * zap->percent, 100), U64_MAX, &zap->open, &zap->closed);
	if (READ_ONCE(s->tracing))
		nm_keeper_start(s);
}

void nm_session_stats(struct nm_session *s, struct numatch_stats *stats)
{
	u64 inside = 0;
	u64 *const places[NM_COUNTS] = {
		[NM_FAULTS] = &stats->faults,
		[NM_OPENED] = &stats->opened,
		[NM_REOPENED] = &stats->reopened,
		[NM_UPGRADED] = &stats->upgraded,
		[NM_LEFT_TO_KERNEL] = &stats->left_to_kernel,
		[NM_SPLIT_HUGE] = &stats->split_huge,
		[NM_ZAPPED] = &stats->zapped,
		[NM_INVALIDATED] = &stats->invalidated,
		[NM_INVALIDATIONS] = &stats->invalidations,
		[NM_DROPPED_BUSY] = &stats->dropped_busy,
		[NM_DROPPED_FULL] = &stats->dropped_full,
		[NM_DROPPED_REPEAT] = &stats->dropped_repeat,
		[NM_WITHOUT_VIEW] = &stats->without_view,
		[NM_ENTERED] = &stats->entered,
		[NM_FORGOTTEN] = &inside,
	};
	unsigned int i;

	for (i = 0; i < NM_COUNTS; i++)
		*places[i] = atomic64_read(&s->counts[i]);
	stats->threads = READ_ONCE(s->next_thread);
	stats->linked = atomic_read(&s->linked);
	stats->table_pages = READ_ONCE(s->pool.used);
	stats->ring_lost = READ_ONCE(s->ring.lost);
	stats->pairs_lost = atomic64_read(&s->pairs.lost);
	stats->process_ended = READ_ONCE(s->released);
}
