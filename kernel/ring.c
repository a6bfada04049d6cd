// SPDX-License-Identifier: GPL-2.0-only
#include "ring.h"

#include <linux/mm.h>
#include <linux/vmalloc.h>

static void wake_readers(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct nm_ring, wake)->readers);
}

int nm_ring_init(struct nm_ring *ring, u32 records)
{
	raw_spin_lock_init(&ring->lock);
	init_waitqueue_head(&ring->readers);
	init_irq_work(&ring->wake, wake_readers);
	ring->bytes = PAGE_ALIGN(PAGE_SIZE + array_size(records, sizeof(struct numatch_use)));
	ring->shared = vmalloc_user(ring->bytes);
	if (!ring->shared)
		return -ENOMEM;
	ring->records = records;
	ring->uses = (void *)ring->shared + PAGE_SIZE;
	ring->shared->records = records;
	ring->shared->record_bytes = sizeof(struct numatch_use);
	ring->shared->first_offset = PAGE_SIZE;
	return 0;
}

/* What the reader has not taken yet. A tail that makes no sense is that of a full ring. */
static u64 waiting(const struct nm_ring *ring)
{
	return min_t(u64, ring->head - smp_load_acquire(&ring->shared->tail), ring->records);
}

void nm_ring_add(struct nm_ring *ring, const struct numatch_use *use)
{
	bool half_full = false;

	raw_spin_lock(&ring->lock);
	if (waiting(ring) >= ring->records) {
		WRITE_ONCE(ring->shared->lost, ++ring->lost);
	} else {
		ring->uses[ring->head & (ring->records - 1)] = *use;
		smp_store_release(&ring->shared->head, ++ring->head);
		half_full = waiting(ring) == ring->records / 2;
	}
	raw_spin_unlock(&ring->lock);
	/* Not from here: waking somebody takes a scheduler's lock. */
	if (half_full)
		irq_work_queue(&ring->wake);
}

int nm_ring_map(struct nm_ring *ring, struct vm_area_struct *vma)
{
	if (!ring->shared || vma->vm_pgoff != 0 || vma->vm_end - vma->vm_start > ring->bytes ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	return remap_vmalloc_range(vma, ring->shared, 0);
}

__poll_t nm_ring_poll(struct nm_ring *ring, struct file *file, poll_table *table)
{
	__poll_t ready = 0;
	unsigned long flags;

	poll_wait(file, &ring->readers, table);
	raw_spin_lock_irqsave(&ring->lock, flags);
	if (waiting(ring) >= ring->records / 2)
		ready = EPOLLIN | EPOLLRDNORM;
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	return ready;
}

void nm_ring_free(struct nm_ring *ring)
{
	if (!ring->shared)
		return;
	irq_work_sync(&ring->wake);
	vfree(ring->shared);
	ring->shared = NULL;
}
