// SPDX-License-Identifier: GPL-2.0-only
#include "pairs.h"

#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "uapi/numatch.h"

#define STEPS 64 /* to look for room; more would make a fault wait */

int nm_pairs_init(struct nm_pairs *pairs, u32 size)
{
	pairs->table = __vmalloc(array_size(size, sizeof(*pairs->table)), GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!pairs->table)
		return -ENOMEM;
	pairs->size = size;
	return 0;
}

/* Of a key, where it is or, with `add`, where it is now; NULL: neither. Each key is added by one thread. */
static struct nm_pair *find(struct nm_pairs *pairs, u64 key, bool add)
{
	u32 at = hash_64(key, ilog2(pairs->size));
	unsigned int step;

	for (step = 0; step < STEPS; step++, at = (at + 1) & (pairs->size - 1)) {
		struct nm_pair *pair = &pairs->table[at];
		u64 found = READ_ONCE(pair->key);

		if (!found && add)
			found = cmpxchg64(&pair->key, 0, key) ?: key;
		if (found == key)
			return pair;
		if (!found)
			return NULL;
	}
	return NULL;
}

static u64 key_of(unsigned long address, u32 thread)
{
	return ((u64)(address >> PAGE_SHIFT) << NM_PAIR_THREAD_BITS | thread) + 1;
}

static void mark_written(struct nm_pair *pair)
{
	WRITE_ONCE(pair->bits, pair->bits | NUMATCH_USE_WRITE << NM_PAIR_OFFSET_BITS);
}

u32 nm_pairs_add(struct nm_pairs *pairs, unsigned long address, u32 thread, bool write)
{
	struct nm_pair *pair = find(pairs, key_of(address, thread), true);

	if (!pair) {
		atomic64_inc(&pairs->lost);
		return 0;
	}
	if (!atomic_read(&pair->count))
		WRITE_ONCE(pair->bits, address & ~PAGE_MASK);
	if (write)
		mark_written(pair);
	return atomic_inc_return(&pair->count);
}

void nm_pairs_mark_written(struct nm_pairs *pairs, unsigned long address, u32 thread)
{
	struct nm_pair *pair = find(pairs, key_of(address, thread), false);

	if (pair)
		mark_written(pair);
}

void nm_pairs_clear(struct nm_pairs *pairs)
{
	memset(pairs->table, 0, array_size(pairs->size, sizeof(*pairs->table)));
	atomic64_set(&pairs->lost, 0);
}

void nm_pairs_free(struct nm_pairs *pairs)
{
	vfree(pairs->table);
	pairs->table = NULL;
}
