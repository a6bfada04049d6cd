/* SPDX-License-Identifier: GPL-2.0-only */
/* What the module holds at this moment, told as its parameters live_*: nothing after every session. */
#ifndef NM_LIVE_H
#define NM_LIVE_H

#include <linux/atomic.h>

extern atomic_t nm_live_sessions;
extern atomic_t nm_live_threads;
extern atomic_t nm_live_pages;

#endif
