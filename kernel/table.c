// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"

#include <linux/gfp.h>
#include <linux/mm.h>
#include <asm/pgtable.h>

#include "coherence.h"
#include "live.h"
#include "primary.h"

#define ENTRIES 512
#define HALF (ENTRIES / 2)

/* Of an entry that is not present: a zap has closed it. The processor ignores all bits of such a one. */
#define ZAPPED BIT_ULL(9)

int nm_table_init(struct nm_table *table, struct nm_session *s)
{
	table->top = (u64 *)__get_free_pages(GFP_KERNEL_ACCOUNT | __GFP_ZERO, 1);
	if (!table->top)
		return -ENOMEM;
	atomic_add(2, &nm_live_pages);
	table->top_pa = __pa(table->top);
	table->session = s;
	raw_spin_lock_init(&table->lock);
	return 0;
}

void nm_table_free(struct nm_table *table)
{
	if (!table->top)
		return;
	free_pages((unsigned long)table->top, 1);
	atomic_sub(2, &nm_live_pages);
	table->top = NULL;
}

void nm_table_take_kernel_half(struct nm_table *table)
{
	const u64 *primary = (const u64 *)table->session->mm->pgd;
	const size_t bytes = HALF * sizeof(u64);

	/* Comparing keeps the cache lines shared: the kernel's half hardly ever changes. */
	if (memcmp(table->top + HALF, primary + HALF, bytes))
		memcpy(table->top + HALF, primary + HALF, bytes);
	if (!boot_cpu_has(X86_FEATURE_PTI))
		return;
	if (memcmp(table->top + ENTRIES + HALF, primary + ENTRIES + HALF, bytes))
		memcpy(table->top + ENTRIES + HALF, primary + ENTRIES + HALF, bytes);
}

static u64 *make_level(struct nm_table *table, u64 *entry, unsigned int shift)
{
	const bool below_are_leaves = shift == PMD_SHIFT;
	u64 *level = nm_pool_take(&table->session->pool, below_are_leaves ? table : NULL);
	u64 value;

	if (!level)
		return NULL;
	value = __pa(level) | _PAGE_TABLE;
	if (shift == nm_top_shift() && boot_cpu_has(X86_FEATURE_PTI)) {
		/* As the kernel does: the user's table has it, the kernel's own may not execute it. */
		WRITE_ONCE(entry[ENTRIES], value);
		value |= _PAGE_NX;
	}
	WRITE_ONCE(*entry, value);
	return level;
}

static u64 *find_leaf(struct nm_table *table, unsigned long address)
{
	u64 *level = table->top;
	unsigned int shift;

	for (shift = nm_top_shift(); shift > PAGE_SHIFT; shift -= 9) {
		u64 *entry = &level[(address >> shift) & (ENTRIES - 1)];

		level = *entry & _PAGE_PRESENT ? __va(*entry & PHYSICAL_PAGE_MASK) :
						 make_level(table, entry, shift);
		if (!level)
			return NULL;
	}
	return &level[(address >> PAGE_SHIFT) & (ENTRIES - 1)];
}

static enum nm_fill fill_locked(struct nm_table *table, unsigned long address, bool write)
{
	struct nm_session *s = table->session;
	bool huge = false;
	u64 *leaf, old, entry;

	/*
	 * Under the lock of the table: an invalidation that begins later finds this entry when it closes
	 * its range, one that began before is seen here.
	 */
	if (nm_invalidates(s, address))
		return NM_FILL_BUSY;
	entry = nm_primary_entry(s->mm, address, &huge);
	if (!(entry & _PAGE_USER))
		return NM_FILL_FOR_KERNEL;
	/* A processor would set the dirty bit in the view, where the kernel never looks. */
	if (!(entry & _PAGE_DIRTY))
		entry &= ~(u64)_PAGE_RW;
	if (write && !(entry & _PAGE_RW))
		return NM_FILL_FOR_KERNEL;
	leaf = find_leaf(table, address);
	if (!leaf)
		return NM_FILL_FULL;
	old = *leaf;
	WRITE_ONCE(*leaf, entry | _PAGE_ACCESSED);
	if (huge)
		nm_count(s, NM_SPLIT_HUGE);
	if (old & _PAGE_PRESENT)
		return NM_FILL_UPGRADED;
	return old & ZAPPED ? NM_FILL_REOPENED : NM_FILL_OPENED;
}

enum nm_fill nm_table_fill(struct nm_table *table, unsigned long address, bool write)
{
	enum nm_fill done;

	raw_spin_lock(&table->lock);
	done = fill_locked(table, address, write);
	raw_spin_unlock(&table->lock);
	return done;
}

struct closed {
	unsigned long open;
	unsigned long zapped;
};

static void close_level(u64 *level, unsigned int shift, unsigned long first, unsigned long end,
			struct closed *closed)
{
	unsigned long next;

	for (; first < end; first = next) {
		u64 *entry = &level[(first >> shift) & (ENTRIES - 1)];

		next = (first | (BIT(shift) - 1)) + 1;
		if (shift == PAGE_SHIFT) {
			if (!*entry)
				continue;
			*(*entry & _PAGE_PRESENT ? &closed->open : &closed->zapped) += 1;
			WRITE_ONCE(*entry, 0);
		} else if (*entry & _PAGE_PRESENT) {
			close_level(__va(*entry & PHYSICAL_PAGE_MASK), shift - 9, first, min(next, end),
				    closed);
		}
	}
}

unsigned long nm_table_close(struct nm_table *table, unsigned long first, unsigned long end)
{
	struct closed closed = {};
	unsigned long flags;

	end = min(end, TASK_SIZE_MAX);
	if (first >= end)
		return 0;
	raw_spin_lock_irqsave(&table->lock, flags);
	close_level(table->top, nm_top_shift(), first, end, &closed);
	raw_spin_unlock_irqrestore(&table->lock, flags);
	atomic64_add(closed.zapped, &table->session->counts[NM_FORGOTTEN]);
	return closed.open;
}

/* xorshift64 (Marsaglia 2003); the kernel's generator cannot be given a seed. */
static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

unsigned long nm_table_zap(struct nm_pool_page *page, u64 chance, u64 most, u64 *random, u64 *open)
{
	unsigned long flags, closed = 0;
	unsigned int i;

	raw_spin_lock_irqsave(&page->table->lock, flags);
	for (i = 0; i < ENTRIES && closed < most; i++) {
		if (!(page->entries[i] & _PAGE_PRESENT))
			continue;
		(*open)++;
		if (next_random(random) >> 32 >= chance)
			continue;
		WRITE_ONCE(page->entries[i], ZAPPED);
		closed++;
	}
	raw_spin_unlock_irqrestore(&page->table->lock, flags);
	return closed;
}
