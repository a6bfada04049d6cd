/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NM_PRIMARY_H
#define NM_PRIMARY_H

#include <linux/mm_types.h>
#include <linux/types.h>

/* Shift of the top level: 39 or 48. */
unsigned int nm_top_shift(void);

/*
 * What the primary page table says of the 4096 bytes at `address`: an entry of the lowest level, made from a
 * part of a larger one where the page is huge (*huge is then set), or 0 when the page is not present.
 * Interrupts are off: the kernel frees page tables only after all processors have had them on.
 */
u64 nm_primary_entry(struct mm_struct *mm, unsigned long address, bool *huge);

#endif
