/* SPDX-License-Identifier: GPL-2.0-only */
/* Where views would not be right, or nobody has tried: each reason is one clause. */
#ifndef NM_REFUSE_H
#define NM_REFUSE_H

#include <linux/sched.h>

/* Of this kernel and machine; NULL: none. `forced`: also on kernels that nobody has tried. */
const char *nm_refuses_machine(bool forced);
/* Of a process with this memory; NULL: none. May sleep. */
const char *nm_refuses_process(struct task_struct *task, struct mm_struct *mm);
/* A thread that goes on without being seen. Any context. */
bool nm_refuses_thread(struct task_struct *task);
/* Whether current may observe the process. */
bool nm_may_observe(struct task_struct *task, struct mm_struct *mm);

#endif
