// SPDX-License-Identifier: GPL-2.0-only
#include "pool.h"

#include <linux/gfp.h>
#include <linux/vmalloc.h>

#include "live.h"

int nm_pool_init(struct nm_pool *pool, u32 pages)
{
	raw_spin_lock_init(&pool->lock);
	pool->pages = __vmalloc(array_size(pages, sizeof(*pool->pages)), GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!pool->pages)
		return -ENOMEM;
	for (; pool->size < pages; pool->size++) {
		u64 *entries = (u64 *)get_zeroed_page(GFP_KERNEL_ACCOUNT);

		if (!entries)
			return -ENOMEM;
		pool->pages[pool->size].entries = entries;
		atomic_inc(&nm_live_pages);
	}
	return 0;
}

u64 *nm_pool_take(struct nm_pool *pool, struct nm_table *table)
{
	struct nm_pool_page *page = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	if (pool->used < pool->size) {
		page = &pool->pages[pool->used];
		WRITE_ONCE(page->table, table);
		/* Who sees the new number sees the page. */
		smp_store_release(&pool->used, pool->used + 1);
	}
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return page ? page->entries : NULL;
}

void nm_pool_free(struct nm_pool *pool)
{
	atomic_sub(pool->size, &nm_live_pages);
	while (pool->size > 0)
		free_page((unsigned long)pool->pages[--pool->size].entries);
	vfree(pool->pages);
	pool->pages = NULL;
}
