/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints that tell of page faults and of the scheduler's switches. */
#ifndef NM_PROBES_H
#define NM_PROBES_H

/* Once, before all others: -ENOENT where the kernel has no such tracepoints. */
int nm_probes_find(void);
/* The first one hangs the probes in; a minute after the last nm_probes_put() they are taken out. */
int nm_probes_get(void);
void nm_probes_hold(void); /* one more, where there is one already */
void nm_probes_put(void);
/* When nobody has them: takes them out now, and waits for those that run. */
void nm_probes_exit(void);

#endif
