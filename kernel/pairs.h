/* SPDX-License-Identifier: GPL-2.0-only */
/* How often each thread used each page: a hash table without locks that only grows. */
#ifndef NM_PAIRS_H
#define NM_PAIRS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct nm_pair {
	u64 key; /* page number and thread number; 0: free */
	atomic_t count;
	u32 bits; /* offset of the first use and, above it, NUMATCH_USE_WRITE */
};

struct nm_pairs {
	struct nm_pair *table;
	u32 size; /* a power of two */
	atomic64_t lost;
};

int nm_pairs_init(struct nm_pairs *pairs, u32 size);
/* How often the thread has used the page, with this time; 0 when there is no room. Any context. */
u32 nm_pairs_add(struct nm_pairs *pairs, unsigned long address, u32 thread, bool write);
/* A pair that is there has written, too. */
void nm_pairs_mark_written(struct nm_pairs *pairs, unsigned long address, u32 thread);
/* Only while nobody adds. */
void nm_pairs_clear(struct nm_pairs *pairs);
void nm_pairs_free(struct nm_pairs *pairs);

#define NM_PAIR_THREAD_BITS 12
#define NM_PAIR_OFFSET_BITS 12

static inline u64 nm_pair_page(u64 key)
{
	return (key - 1) >> NM_PAIR_THREAD_BITS;
}

static inline u32 nm_pair_thread(u64 key)
{
	return (key - 1) & ((1u << NM_PAIR_THREAD_BITS) - 1);
}

#endif
