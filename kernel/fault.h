/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NM_FAULT_H
#define NM_FAULT_H

#include "session.h"

/* A page fault of current, which is in its view, before the kernel handles it. Interrupts are off. */
void nm_fault(struct nm_thread *thread, unsigned long address, bool write, bool by_user);

#endif
