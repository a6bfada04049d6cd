// SPDX-License-Identifier: GPL-2.0-only
#include "primary.h"

#include <linux/mm.h>
#include <asm/pgtable.h>

unsigned int nm_top_shift(void)
{
	return pgtable_l5_enabled() ? 48 : 39;
}

/* A huge entry has its PAT bit where an address bit of small ones is (Intel SDM vol. 3, table 4-19). */
static u64 part_of_huge(u64 entry, unsigned int shift, unsigned long address)
{
	u64 within = BIT_ULL(shift) - 1;
	u64 frame = (entry & PHYSICAL_PAGE_MASK & ~within) | (address & within & PAGE_MASK);
	u64 bits = entry & ~(u64)PHYSICAL_PAGE_MASK & ~(u64)_PAGE_PSE;

	if (entry & _PAGE_PAT_LARGE)
		bits |= _PAGE_PAT;
	return frame | bits;
}

u64 nm_primary_entry(struct mm_struct *mm, unsigned long address, bool *huge)
{
	u64 *level = (u64 *)mm->pgd;
	unsigned int shift;

	for (shift = nm_top_shift(); shift >= PAGE_SHIFT; shift -= 9) {
		u64 entry = READ_ONCE(level[(address >> shift) & 511]);

		if (!(entry & _PAGE_PRESENT))
			return 0;
		if (shift == PAGE_SHIFT)
			return entry;
		if (shift <= PUD_SHIFT && (entry & _PAGE_PSE)) {
			*huge = true;
			return part_of_huge(entry, shift, address);
		}
		level = __va(entry & PHYSICAL_PAGE_MASK);
	}
	return 0;
}
