/* SPDX-License-Identifier: GPL-2.0-only */
/* The register that holds the page table, and what must be flushed when it changes. */
#ifndef NM_CR3_H
#define NM_CR3_H

#include <asm/cpufeature.h>
#include <asm/invpcid.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>
#include <linux/types.h>

extern bool nm_precise_pcid; /* module parameter */

/* Physical address of the top page table of this processor. */
static inline unsigned long nm_cr3_top(void)
{
	return __native_read_cr3() & CR3_ADDR_MASK;
}

/*
 * Every translation of every tag, global ones too (Intel SDM vol. 3, 4.10.4.1). By hand, since the
 * kernel's own function is not for modules.
 */
static inline void nm_flush_everything(void)
{
	unsigned long cr4;

	asm volatile("mov %%cr4, %0" : "=r"(cr4) : : "memory");
	asm volatile("mov %0, %%cr4" : : "r"(cr4 ^ X86_CR4_PGE) : "memory");
	asm volatile("mov %0, %%cr4" : : "r"(cr4) : "memory");
}

/*
 * Another top page table for the same address space: tag and feature bits stay, all its translations go.
 * Interrupts are off.
 */
static inline void nm_cr3_set_top(unsigned long top)
{
	unsigned long cr3 = __native_read_cr3();

	native_write_cr3((cr3 & ~CR3_ADDR_MASK & ~X86_CR3_PCID_NOFLUSH) | top);
	if (!boot_cpu_has(X86_FEATURE_PCID))
		return;
	if (!nm_precise_pcid)
		nm_flush_everything();
	else if (boot_cpu_has(X86_FEATURE_PTI)) {
		/* The write has flushed the kernel's tag; user code runs under another one. */
		if (boot_cpu_has(X86_FEATURE_INVPCID))
			invpcid_flush_single_context((cr3 & X86_CR3_PCID_MASK) |
						     BIT(X86_CR3_PTI_PCID_USER_BIT));
		else
			nm_flush_everything();
	}
}

#endif
