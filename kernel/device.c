// SPDX-License-Identifier: GPL-2.0-only
#include "device.h"

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/pgtable.h>

#include "cr3.h"
#include "session.h"

static int on_open(struct inode *inode, struct file *file)
{
	/* Everybody sees the device, so that it can say no itself. */
	if (!capable(CAP_PERFMON) && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	file->private_data = nm_session_new();
	return file->private_data ? 0 : -ENOMEM;
}

static int on_release(struct inode *inode, struct file *file)
{
	nm_session_free(file->private_data);
	return 0;
}

static long tell_info(void __user *to)
{
	struct numatch_info info = {
		.abi = NUMATCH_ABI,
		.levels = pgtable_l5_enabled() ? 5 : 4,
		.max_views = NM_MAX_VIEWS,
		.max_threads = NM_MAX_THREADS,
		.max_table_pages = NM_MAX_TABLE_PAGES,
		.max_ring_records = NM_MAX_RING_RECORDS,
		.max_pairs = NM_MAX_PAIRS,
	};

	if (boot_cpu_has(X86_FEATURE_PTI))
		info.flags |= NUMATCH_INFO_PTI;
	if (boot_cpu_has(X86_FEATURE_PCID))
		info.flags |= NUMATCH_INFO_PCID;
	if (nm_precise_pcid)
		info.flags |= NUMATCH_INFO_PRECISE;
	return copy_to_user(to, &info, sizeof(info)) ? -EFAULT : 0;
}

static long start(struct nm_session *s, void __user *argument)
{
	struct numatch_start asked;
	long error;

	if (copy_from_user(&asked, argument, sizeof(asked)))
		return -EFAULT;
	error = nm_session_start(s, &asked);
	return copy_to_user(argument, &asked, sizeof(asked)) ? -EFAULT : error;
}

static long trace(struct nm_session *s, void __user *argument)
{
	struct numatch_trace asked;

	if (copy_from_user(&asked, argument, sizeof(asked)))
		return -EFAULT;
	if (asked.on > 1 || asked.clear > asked.on)
		return -EINVAL;
	if (!s->attached)
		return -ENODATA;
	nm_session_trace(s, asked.on, asked.clear);
	return 0;
}

static long zap(struct nm_session *s, void __user *argument)
{
	struct numatch_zap asked;

	if (copy_from_user(&asked, argument, sizeof(asked)))
		return -EFAULT;
	if (asked.percent < 1 || asked.percent > 100 || asked.reserved)
		return -EINVAL;
	if (!s->attached)
		return -ENODATA;
	nm_session_zap(s, &asked);
	return copy_to_user(argument, &asked, sizeof(asked)) ? -EFAULT : 0;
}

static long tell_stats(struct nm_session *s, void __user *to)
{
	struct numatch_stats stats = {};

	if (!s->started)
		return -ENODATA;
	nm_session_stats(s, &stats);
	return copy_to_user(to, &stats, sizeof(stats)) ? -EFAULT : 0;
}

static long tell_pairs(struct nm_session *s, struct numatch_snapshot *asked)
{
	struct numatch_pair __user *to = u64_to_user_ptr(asked->pairs);
	u32 i;

	asked->count = 0;
	for (i = 0; i < s->pairs.size; i++) {
		const struct nm_pair *pair = &s->pairs.table[i];
		u64 key = READ_ONCE(pair->key);
		u32 bits = READ_ONCE(pair->bits);
		struct numatch_pair told = {
			.page = nm_pair_page(key) << PAGE_SHIFT,
			.count = atomic_read(&pair->count),
			.flags = bits >> NM_PAIR_OFFSET_BITS,
			.offset = bits & ((1u << NM_PAIR_OFFSET_BITS) - 1),
		};

		if (!(i % 1024))
			cond_resched();
		if (!key || !told.count)
			continue;
		told.thread = s->tids[nm_pair_thread(key)];
		if (asked->count < asked->capacity && copy_to_user(to + asked->count, &told, sizeof(told)))
			return -EFAULT;
		asked->count++;
	}
	return asked->count > asked->capacity ? -ENOSPC : 0;
}

static long snapshot(struct nm_session *s, void __user *argument)
{
	struct numatch_snapshot asked;
	long error;

	if (copy_from_user(&asked, argument, sizeof(asked)))
		return -EFAULT;
	if (!s->pairs.table)
		return -ENODATA;
	error = tell_pairs(s, &asked);
	return copy_to_user(argument, &asked, sizeof(asked)) ? -EFAULT : error;
}

static long on_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct nm_session *s = file->private_data;
	void __user *where = (void __user *)argument;
	long result = -ENOTTY;

	if (command == NUMATCH_IOC_INFO)
		return tell_info(where);
	if (mutex_lock_interruptible(&s->lock))
		return -EINTR;
	switch (command) {
	case NUMATCH_IOC_START:
		result = start(s, where);
		break;
	case NUMATCH_IOC_STOP:
		result = s->attached ? 0 : -ENODATA;
		nm_session_stop(s);
		break;
	case NUMATCH_IOC_TRACE:
		result = trace(s, where);
		break;
	case NUMATCH_IOC_ZAP:
		result = zap(s, where);
		break;
	case NUMATCH_IOC_STATS:
		result = tell_stats(s, where);
		break;
	case NUMATCH_IOC_SNAPSHOT:
		result = snapshot(s, where);
		break;
	}
	mutex_unlock(&s->lock);
	return result;
}

/* Not under the session's lock, which is taken above mmap_lock: by who copies to the user. */
static int on_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct nm_session *s = file->private_data;

	return smp_load_acquire(&s->ready) ? nm_ring_map(&s->ring, vma) : -ENODATA;
}

static __poll_t on_poll(struct file *file, poll_table *table)
{
	struct nm_session *s = file->private_data;

	return smp_load_acquire(&s->ready) ? nm_ring_poll(&s->ring, file, table) : EPOLLERR;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = on_open,
	.release = on_release,
	.unlocked_ioctl = on_ioctl,
	.mmap = on_mmap,
	.poll = on_poll,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "numatch",
	.fops = &operations,
	.mode = 0666,
};

int nm_device_init(void)
{
	return misc_register(&device);
}

void nm_device_exit(void)
{
	misc_deregister(&device);
}
