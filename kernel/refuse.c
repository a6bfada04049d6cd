// SPDX-License-Identifier: GPL-2.0-only
#include "refuse.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <asm/cpufeature.h>

#include "compat.h"

const char *nm_refuses_machine(bool forced)
{
	if (IS_ENABLED(CONFIG_DEBUG_VM))
		return "a kernel with DEBUG_VM checks that the primary page table is loaded";
	if (boot_cpu_has(X86_FEATURE_XENPV))
		return "under Xen PV the hypervisor owns the page tables";
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return "it was never tried on a kernel with PREEMPT_RT";
	if (!NM_KERNEL_IS_TESTED && !forced)
		return "it was tried on kernels 6.1 and 6.12 only; the parameter force=1 overrides this";
	return NULL;
}

bool nm_refuses_thread(struct task_struct *task)
{
	/* Its stack pages are dirty and not writable, which a view would have to keep apart. */
	return nm_has_shadow_stack(task);
}

static int is_of_kvm(const void *unused, struct file *file, unsigned int number)
{
	return !strncmp(file->f_path.dentry->d_name.name, "kvm-", 4);
}

static bool uses_kvm(struct task_struct *task)
{
	bool found = false;

	task_lock(task);
	if (task->files)
		found = iterate_fd(task->files, 0, is_of_kvm, NULL) != 0;
	task_unlock(task);
	return found;
}

const char *nm_refuses_process(struct task_struct *task, struct mm_struct *mm)
{
	struct task_struct *thread;
	bool shadow_stack = false;

	rcu_read_lock();
	for_each_thread(task, thread)
		shadow_stack |= nm_has_shadow_stack(thread);
	rcu_read_unlock();
	if (shadow_stack)
		return "it has shadow stacks";
	if (nm_has_ldt(mm))
		return "it has a local descriptor table (modify_ldt)";
	if (uses_kvm(task))
		return "it runs virtual machines (KVM)";
	return NULL;
}

bool nm_may_observe(struct task_struct *task, struct mm_struct *mm)
{
	const struct cred *its;
	kuid_t mine = current_euid();
	bool same;

	if (capable(CAP_SYS_ADMIN))
		return true;
	if (!capable(CAP_PERFMON) || !nm_is_dumpable(task, mm))
		return false;
	its = get_task_cred(task);
	same = uid_eq(mine, its->uid) && uid_eq(mine, its->euid) && uid_eq(mine, its->suid);
	put_cred(its);
	return same;
}
