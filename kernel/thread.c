// SPDX-License-Identifier: GPL-2.0-only
#include "thread.h"

#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "cr3.h"
#include "compat.h"
#include "live.h"
#include "probes.h"
#include "refuse.h"
#include "table.h"

static void on_sched_in(struct preempt_notifier *notifier, int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	nm_thread_enter(container_of(notifier, struct nm_thread, notifier));
	local_irq_restore(flags);
}

static void on_sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	unsigned long flags;

	local_irq_save(flags);
	nm_thread_leave(container_of(notifier, struct nm_thread, notifier));
	local_irq_restore(flags);
}

static struct preempt_ops operations = { .sched_in = on_sched_in, .sched_out = on_sched_out };

struct nm_thread *nm_thread_of(struct task_struct *task)
{
	struct preempt_notifier *notifier;

	hlist_for_each_entry(notifier, &task->preempt_notifiers, link)
		if (notifier->ops == &operations)
			return container_of(notifier, struct nm_thread, notifier);
	return NULL;
}

bool nm_thread_in_view(const struct nm_thread *thread)
{
	return atomic_read(&thread->state) == NM_LINKED && nm_cr3_top() == thread->table->top_pa;
}

void nm_thread_enter(struct nm_thread *thread)
{
	struct nm_session *s = thread->session;

	if (atomic_read(&thread->state) != NM_LINKED || !READ_ONCE(s->tracing) ||
	    READ_ONCE(s->released) || current->mm != s->mm || (current->flags & PF_EXITING))
		return;
	/* Whatever else is loaded is none of ours. */
	if (nm_cr3_top() != s->primary_pa || nm_has_ldt(s->mm))
		return;
	nm_table_take_kernel_half(thread->table);
	nm_cr3_set_top(thread->table->top_pa);
	nm_count(s, NM_ENTERED);
}

void nm_thread_leave(struct nm_thread *thread)
{
	if (nm_thread_in_view(thread))
		nm_cr3_set_top(thread->session->primary_pa);
}

/* A number and, where each thread has its own, an empty view; NULL where there is none. */
static struct nm_thread *take_thread(struct nm_session *s)
{
	struct nm_thread *thread = NULL;

	raw_spin_lock(&s->tables_lock);
	if (s->next_thread < s->thread_count && (s->mode == NUMATCH_SINGLE || s->free_count)) {
		thread = s->threads[s->next_thread];
		thread->number = s->next_thread++;
		thread->table = s->mode == NUMATCH_SINGLE ? &s->tables[0] :
							    &s->tables[s->free_tables[--s->free_count]];
	}
	raw_spin_unlock(&s->tables_lock);
	return thread;
}

void nm_thread_link(struct nm_session *s, struct task_struct *task)
{
	struct nm_thread *thread;

	if (nm_refuses_thread(task))
		return;
	thread = take_thread(s);
	if (!thread) {
		nm_count(s, NM_WITHOUT_VIEW);
		return;
	}
	thread->tid = s->tids[thread->number] = task_pid_nr_ns(task, s->pid_space);
	atomic_inc(&s->linked);
	atomic_inc(&nm_live_threads);
	atomic_set_release(&thread->state, NM_LINKED);
	preempt_notifier_init(&thread->notifier, &operations);
	hlist_add_head(&thread->notifier.link, &task->preempt_notifiers);
}

static LLIST_HEAD(ended_orphans);
static atomic_t orphans = ATOMIC_INIT(0);

/*
 * The links of the removed one stay as they are: this may be an interrupt of the scheduler's walk of
 * the list. It is freed only after all processors have been elsewhere.
 */
void nm_thread_unlink(struct nm_thread *thread)
{
	struct nm_session *s = thread->session;

	nm_thread_leave(thread);
	hlist_del_rcu(&thread->notifier.link);
	atomic_dec(&nm_live_threads);
	if (atomic_cmpxchg(&thread->state, NM_LINKED, NM_ENDED) == NM_LINKED) {
		if (s->mode == NUMATCH_MULTI) {
			raw_spin_lock(&s->tables_lock);
			s->stale_tables[s->stale_count++] = thread->table - s->tables;
			raw_spin_unlock(&s->tables_lock);
		}
		atomic_dec(&s->linked);
	} else {
		atomic_set(&thread->state, NM_ENDED);
		llist_add(&thread->gone, &ended_orphans);
	}
}

static void enter_here(void *session)
{
	struct nm_session *s = session;
	struct nm_thread *thread;

	if (current->mm != s->mm || (current->flags & (PF_KTHREAD | PF_EXITING)))
		return;
	thread = nm_thread_of(current);
	if (thread && thread->session != s) {
		/* Of an earlier session, or of the process before exec(). */
		nm_thread_unlink(thread);
		thread = NULL;
	}
	if (!thread) {
		nm_thread_link(s, current);
		thread = nm_thread_of(current);
	}
	if (thread)
		nm_thread_enter(thread);
}

/* Ours and of this session, or NULL. Of an orphan, `session` is only compared. */
static struct nm_thread *current_of(struct nm_session *s)
{
	struct nm_thread *thread = nm_thread_of(current);

	return thread && thread->session == s && atomic_read(&thread->state) == NM_LINKED ? thread : NULL;
}

static void leave_here(void *session)
{
	struct nm_thread *thread = current_of(session);

	if (thread)
		nm_thread_leave(thread);
}

static void unlink_here(void *session)
{
	struct nm_thread *thread = current_of(session);

	if (thread)
		nm_thread_unlink(thread);
}

static void flush_here(void *session)
{
	struct nm_thread *thread = current_of(session);

	if (thread && nm_thread_in_view(thread))
		nm_cr3_set_top(thread->table->top_pa);
}

static void flush_everything_here(void *nothing)
{
	nm_flush_everything();
}

void nm_threads_enter(struct nm_session *s)
{
	on_each_cpu(enter_here, s, 1);
}

void nm_threads_leave(struct nm_session *s)
{
	on_each_cpu(leave_here, s, 1);
}

void nm_threads_unlink(struct nm_session *s)
{
	on_each_cpu(unlink_here, s, 1);
}

void nm_threads_flush(struct nm_session *s)
{
	on_each_cpu(flush_here, s, 1);
}

void nm_flush_all_processors(void)
{
	on_each_cpu(flush_everything_here, NULL, 1);
}

int nm_threads_init(struct nm_session *s)
{
	u32 i;

	s->threads = kvcalloc(s->thread_count, sizeof(*s->threads), GFP_KERNEL_ACCOUNT);
	if (!s->threads)
		return -ENOMEM;
	for (i = 0; i < s->thread_count; i++) {
		s->threads[i] = kzalloc(sizeof(**s->threads), GFP_KERNEL_ACCOUNT);
		if (!s->threads[i])
			return -ENOMEM;
		s->threads[i]->session = s;
		atomic_set(&s->threads[i]->state, NM_ENDED);
	}
	return 0;
}

static void reap(struct work_struct *work);
static DECLARE_DELAYED_WORK(reaper, reap);
static DEFINE_MUTEX(reaper_lock);
static bool reaping;

/* A sleeping task cannot be unlinked: its list is its own. The reaper waits until all have run or died. */
static void reap(struct work_struct *work)
{
	struct llist_node *gone = llist_del_all(&ended_orphans);
	struct nm_thread *thread, *next;

	llist_for_each_entry_safe(thread, next, gone, gone) {
		kfree_rcu(thread, rcu);
		atomic_dec(&orphans);
	}
	mutex_lock(&reaper_lock);
	if (atomic_read(&orphans)) {
		schedule_delayed_work(&reaper, max(1, HZ / 10));
		mutex_unlock(&reaper_lock);
		return;
	}
	reaping = false;
	mutex_unlock(&reaper_lock);
	nm_probes_put();
	module_put(THIS_MODULE);
}

void nm_threads_abandon(struct nm_session *s)
{
	bool any = false;
	u32 i;

	for (i = 0; s->threads && i < s->thread_count; i++) {
		struct nm_thread *thread = s->threads[i];

		if (!thread)
			continue;
		atomic_inc(&orphans);
		if (atomic_cmpxchg(&thread->state, NM_LINKED, NM_ORPHAN) == NM_LINKED) {
			s->threads[i] = NULL; /* the reaper's now */
			any = true;
		} else {
			atomic_dec(&orphans);
		}
	}
	if (any) {
		mutex_lock(&reaper_lock);
		if (!reaping) {
			reaping = true;
			__module_get(THIS_MODULE);
			nm_probes_hold();
			schedule_delayed_work(&reaper, 1);
		}
		mutex_unlock(&reaper_lock);
	}
	/* The scheduler may be in the middle of calling one. */
	for (i = 0; s->threads && i < s->thread_count; i++)
		if (s->threads[i])
			kfree_rcu(s->threads[i], rcu);
	kvfree(s->threads);
	s->threads = NULL;
}

void nm_orphans_exit(void)
{
	cancel_delayed_work_sync(&reaper);
}
