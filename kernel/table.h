/* SPDX-License-Identifier: GPL-2.0-only */
/* A view's page table: its entries opened and closed. It never touches the primary table. */
#ifndef NM_TABLE_H
#define NM_TABLE_H

#include "session.h"

enum nm_fill {
	NM_FILL_OPENED,
	NM_FILL_REOPENED,
	NM_FILL_UPGRADED,
	NM_FILL_FOR_KERNEL, /* the kernel must act first; the fault comes again */
	NM_FILL_BUSY,	    /* the kernel is changing this page */
	NM_FILL_FULL,	    /* no page for a page table */
};

int nm_table_init(struct nm_table *table, struct nm_session *s);
void nm_table_free(struct nm_table *table);
/* Copies the primary entry of a page where that is allowed now. Interrupts are off. */
enum nm_fill nm_table_fill(struct nm_table *table, unsigned long address, bool write);
/* Closes all entries of [first, end); how many that were. */
unsigned long nm_table_close(struct nm_table *table, unsigned long first, unsigned long end);
/* The kernel's half as it is in the primary table now. */
void nm_table_take_kernel_half(struct nm_table *table);

/*
 * Of the leaves on one page of the pool, closes those that fall under `chance` (of 2^32), `most` at most; *open is
 * increased by those that were open. Returns how many it closed. They are remembered as zapped.
 */
unsigned long nm_table_zap(struct nm_pool_page *page, u64 chance, u64 most, u64 *random, u64 *open);

#endif
