/* SPDX-License-Identifier: GPL-2.0-only */
/* All that differs between the kernels that this module knows. */
#ifndef NM_COMPAT_H
#define NM_COMPAT_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/version.h>

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

static inline bool nm_has_ldt(struct mm_struct *mm)
{
#ifdef CONFIG_MODIFY_LDT_SYSCALL
	return READ_ONCE(mm->context.ldt) != NULL;
#else
	return false;
#endif
}

#endif
