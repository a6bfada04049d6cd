/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of observed processes: known to the scheduler's notifiers, in their view while they run.
 * A view is only ever loaded while its thread runs; the scheduler sees the primary table alone. To leave a
 * view is right at any time: the thread goes on with the primary table and merely is not seen.
 */
#ifndef NM_THREAD_H
#define NM_THREAD_H

#include "session.h"

/* Ours of a task, or NULL. The task is current, or interrupts are off and it is next on this processor. */
struct nm_thread *nm_thread_of(struct task_struct *task);
bool nm_thread_in_view(const struct nm_thread *thread);

/* All with interrupts off, for the task that is current or next on this processor. */
void nm_thread_link(struct nm_session *s, struct task_struct *task);
void nm_thread_unlink(struct nm_thread *thread);
void nm_thread_enter(struct nm_thread *thread); /* does nothing where that is not allowed now */
void nm_thread_leave(struct nm_thread *thread);

/* On all processors, and when they return that has happened. */
void nm_threads_enter(struct nm_session *s); /* linking those that are not yet */
void nm_threads_leave(struct nm_session *s);
void nm_threads_unlink(struct nm_session *s);
void nm_threads_flush(struct nm_session *s); /* closed entries are forgotten */
void nm_flush_all_processors(void);

int nm_threads_init(struct nm_session *s);
/* After nm_threads_unlink(): hands those of sleeping tasks over to the orphans and frees the rest. */
void nm_threads_abandon(struct nm_session *s);

/* Threads of sessions that have ended, whose tasks have not run since. */
void nm_orphans_exit(void);

#endif
