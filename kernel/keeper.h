/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NM_KEEPER_H
#define NM_KEEPER_H

#include "session.h"

/* Works for a session every 10 ms, while it traces. */
void nm_keeper_init(struct nm_session *s);
void nm_keeper_start(struct nm_session *s);
void nm_keeper_stop(struct nm_session *s);
/*
 * Closes each open entry with this chance (of 2^32), but not more than `most`; how many were looked at and open, and
 * how many are closed now.
 */
void nm_keeper_zap(struct nm_session *s, u64 chance, u64 most, u64 *open, u64 *closed);

#endif
