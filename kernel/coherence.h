/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the views right while the kernel changes the primary page table. */
#ifndef NM_COHERENCE_H
#define NM_COHERENCE_H

#include "session.h"

void nm_coherence_init(struct nm_session *s);
/* Whether the kernel is changing this page now. The lock of a table is held. */
bool nm_invalidates(struct nm_session *s, unsigned long address);
/* Closes [first, end) in all views; how many entries. */
unsigned long nm_close_everywhere(struct nm_session *s, unsigned long first, unsigned long end);

#endif
