/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages that the views' page tables are made of, all there before the session begins. */
#ifndef NM_POOL_H
#define NM_POOL_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct nm_table;

struct nm_pool_page {
	u64 *entries;
	struct nm_table *table; /* whose leaves it has; NULL: an upper level, or not used */
};

/*
 * A page is given out once and comes back with the session's end. To give it out again would need that no
 * processor remembers where it was: they cache upper levels, too.
 */
struct nm_pool {
	struct nm_pool_page *pages;
	u32 size, used;
	raw_spinlock_t lock;
};

int nm_pool_init(struct nm_pool *pool, u32 pages);
/* A page of zeros, or NULL. `table`: for leaves of this one. */
u64 *nm_pool_take(struct nm_pool *pool, struct nm_table *table);
void nm_pool_free(struct nm_pool *pool);

#endif
