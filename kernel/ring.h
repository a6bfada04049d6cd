/* SPDX-License-Identifier: GPL-2.0-only */
/* Single uses, in order, for one reader that maps them. */
#ifndef NM_RING_H
#define NM_RING_H

#include <linux/irq_work.h>
#include <linux/mm_types.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "uapi/numatch.h"

struct nm_ring {
	struct numatch_ring *shared; /* what the reader maps; it can write there what it likes */
	struct numatch_use *uses;
	raw_spinlock_t lock;
	u64 head, lost; /* ours; those in `shared` are copies */
	u32 records;	/* a power of two */
	size_t bytes;
	wait_queue_head_t readers;
	struct irq_work wake;
};

int nm_ring_init(struct nm_ring *ring, u32 records);
/* From a page fault: interrupts are off, and a scheduler's lock may be held. */
void nm_ring_add(struct nm_ring *ring, const struct numatch_use *use);
int nm_ring_map(struct nm_ring *ring, struct vm_area_struct *vma);
__poll_t nm_ring_poll(struct nm_ring *ring, struct file *file, poll_table *table);
void nm_ring_free(struct nm_ring *ring);

#endif
