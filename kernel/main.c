// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/module.h>

#include "cr3.h"
#include "device.h"
#include "live.h"
#include "probes.h"
#include "refuse.h"
#include "thread.h"

bool nm_precise_pcid;
module_param_named(precise_pcid, nm_precise_pcid, bool, 0444);
MODULE_PARM_DESC(precise_pcid, "a change of view flushes only the tags of this process; never tried on a real processor");

static bool force;
module_param(force, bool, 0444);
MODULE_PARM_DESC(force, "load on a kernel that the module was not tried on");

atomic_t nm_live_sessions, nm_live_threads, nm_live_pages;

static int tell_live(char *to, const struct kernel_param *parameter)
{
	return scnprintf(to, PAGE_SIZE, "%d\n", atomic_read(parameter->arg));
}

static int refuse_to_set(const char *value, const struct kernel_param *parameter)
{
	return -EPERM;
}

static const struct kernel_param_ops live = { .get = tell_live, .set = refuse_to_set };
module_param_cb(live_sessions, &live, &nm_live_sessions, 0444);
MODULE_PARM_DESC(live_sessions, "only told: sessions that were started and not closed");
module_param_cb(live_threads, &live, &nm_live_threads, 0444);
MODULE_PARM_DESC(live_threads, "only told: threads that the scheduler tells the module of");
module_param_cb(live_pages, &live, &nm_live_pages, 0444);
MODULE_PARM_DESC(live_pages, "only told: pages of 4096 bytes for page tables");

static int __init numatch_init(void)
{
	const char *refused = nm_refuses_machine(force);
	int error;

	if (refused) {
		pr_err("not loaded: %s\n", refused);
		return -EOPNOTSUPP;
	}
	error = nm_probes_find();
	return error ?: nm_device_init();
}

static void __exit numatch_exit(void)
{
	nm_device_exit();
	nm_orphans_exit();
	nm_probes_exit();
}

module_init(numatch_init);
module_exit(numatch_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tells which thread uses which page, through views of a process's memory");
