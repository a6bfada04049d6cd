/* SPDX-License-Identifier: GPL-2.0-only */
/* All that differs between the kernels that this module knows. */
#ifndef NM_COMPAT_H
#define NM_COMPAT_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/version.h>
#if __has_include(<linux/sched/exec_state.h>) /* 7.2 */
#include <linux/sched/exec_state.h>
#define NM_HAS_EXEC_STATE 1
#else
#define NM_HAS_EXEC_STATE 0
#endif

#ifndef CONFIG_X86_64
#error "numatch knows the page tables of x86-64 only"
#endif
#if !IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS) || !IS_ENABLED(CONFIG_MMU_NOTIFIER) || !IS_ENABLED(CONFIG_TRACEPOINTS)
#error "numatch needs a kernel with PREEMPT_NOTIFIERS, MMU_NOTIFIER (both come with KVM) and TRACEPOINTS"
#endif

/* The series that the tests boot. */
#define NM_SERIES(major, minor)                                                                    \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0) &&                                  \
	 LINUX_VERSION_CODE < KERNEL_VERSION(major, minor + 1, 0))
#define NM_KERNEL_IS_TESTED (NM_SERIES(6, 1) || NM_SERIES(6, 12))

static inline bool nm_has_shadow_stack(struct task_struct *task)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK /* 6.6 */
	return task->thread.features != 0;
#else
	return false;
#endif
}

/* Whether the process lets its own user look into it. */
static inline bool nm_is_dumpable(struct task_struct *task, struct mm_struct *mm)
{
#if NM_HAS_EXEC_STATE
	const struct task_exec_state *state;
	bool owner;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	owner = state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return owner;
#else
	return get_dumpable(mm) == SUID_DUMP_USER;
#endif
}

static inline bool nm_has_ldt(struct mm_struct *mm)
{
#ifdef CONFIG_MODIFY_LDT_SYSCALL
	return READ_ONCE(mm->context.ldt) != NULL;
#else
	return false;
#endif
}

#endif
