// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include "probes.h"

#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <asm/trap_pf.h>

#include "fault.h"
#include "thread.h"

static void on_fault(void *data, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	struct nm_thread *thread;
	unsigned long flags;

	/* Not for what a profiler reads in an NMI: it expects to fail. */
	if (in_nmi() || address >= TASK_SIZE_MAX)
		return;
	local_irq_save(flags);
	thread = nm_thread_of(current);
	if (thread && nm_thread_in_view(thread))
		nm_fault(thread, address, error & X86_PF_WRITE, user_mode(regs));
	local_irq_restore(flags);
}

static struct nm_session *session_of(struct mm_struct *mm)
{
	struct nm_session *s;

	list_for_each_entry_rcu(s, &nm_sessions, node)
		if (s->mm == mm)
			return s;
	return NULL;
}

/* Whether the scheduler need not tell us of this task any more. */
static bool is_over(const struct nm_thread *thread, struct task_struct *task)
{
	return atomic_read(&thread->state) != NM_LINKED || READ_ONCE(task->__state) == TASK_DEAD ||
	       task->mm != thread->session->mm;
}

static void on_switch(void *data, bool preempted, struct task_struct *previous, struct task_struct *next,
		      unsigned int previous_state)
{
	struct nm_thread *thread = nm_thread_of(previous);
	struct nm_session *s;

	if (thread && is_over(thread, previous))
		nm_thread_unlink(thread);
	thread = nm_thread_of(next);
	if (thread && is_over(thread, next)) {
		nm_thread_unlink(thread);
		thread = NULL;
	}
	if (thread || !next->mm || (next->flags & (PF_KTHREAD | PF_EXITING)))
		return;
	s = session_of(next->mm);
	if (s && READ_ONCE(s->tracing))
		nm_thread_link(s, next);
}

/* For all three: the tracepoint is not exported, but its list is. */
static struct probe {
	const char *name;
	void *function;
	struct tracepoint *at;
} probes[] = {
	{ "sched_switch", on_switch },
	{ "page_fault_user", on_fault },
	{ "page_fault_kernel", on_fault },
};

static void note(struct tracepoint *at, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(at->name, probes[i].name))
			probes[i].at = at;
}

int nm_probes_find(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(note, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!probes[i].at) {
			pr_err("this kernel has no tracepoint %s\n", probes[i].name);
			return -ENOENT;
		}
	return 0;
}

/*
 * Hanging them in patches the kernel's code on all processors. So after the last session they stay for a
 * while: who starts one session after the other pays once.
 */
#define LINGER (60 * HZ)

static DEFINE_MUTEX(lock);
static unsigned int users;
static bool are_in;

static void take_out(unsigned int count)
{
	while (count > 0) {
		count--;
		tracepoint_probe_unregister(probes[count].at, probes[count].function, NULL);
	}
	tracepoint_synchronize_unregister();
	preempt_notifier_dec();
	are_in = false;
}

static void take_out_unused(struct work_struct *work)
{
	mutex_lock(&lock);
	if (are_in && !users)
		take_out(ARRAY_SIZE(probes));
	mutex_unlock(&lock);
}

static DECLARE_DELAYED_WORK(idle, take_out_unused);

static int put_in(void)
{
	unsigned int i;
	int error;

	preempt_notifier_inc();
	are_in = true;
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		error = tracepoint_probe_register(probes[i].at, probes[i].function, NULL);
		if (error) {
			take_out(i);
			return error;
		}
	}
	return 0;
}

int nm_probes_get(void)
{
	int error;

	mutex_lock(&lock);
	error = are_in ? 0 : put_in();
	if (!error)
		users++;
	mutex_unlock(&lock);
	return error;
}

void nm_probes_hold(void)
{
	mutex_lock(&lock);
	users++;
	mutex_unlock(&lock);
}

void nm_probes_put(void)
{
	mutex_lock(&lock);
	if (--users == 0)
		mod_delayed_work(system_wq, &idle, LINGER);
	mutex_unlock(&lock);
}

void nm_probes_exit(void)
{
	cancel_delayed_work_sync(&idle);
	take_out_unused(NULL);
}
