/* SPDX-License-Identifier: GPL-2.0-only */
/* A session: one process, observed through views of its memory. */
#ifndef NM_SESSION_H
#define NM_SESSION_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mm_types.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/workqueue.h>

#include "pairs.h"
#include "pool.h"
#include "ring.h"
#include "uapi/numatch.h"

struct nm_session;

/* A view: a page table beside the primary one, empty at first. Leaves are always of 4096 bytes. */
struct nm_table {
	struct nm_session *session;
	u64 *top;	   /* two pages: the kernel's top table and, under KPTI, the user's */
	unsigned long top_pa;
	raw_spinlock_t lock; /* of all entries below */
};

/*
 * LINKED: the scheduler calls us for this task, `session` and `table` are there.
 * ORPHAN: it still calls us, but the session is gone. ENDED: neither; waits to be freed or emptied.
 * Only the processor on which the task is current or next takes it from LINKED or ORPHAN to ENDED;
 * only the end of a session takes it from LINKED to ORPHAN.
 */
enum nm_thread_state { NM_LINKED, NM_ORPHAN, NM_ENDED };

struct nm_thread {
	struct preempt_notifier notifier;
	struct nm_session *session;
	struct nm_table *table;
	atomic_t state;
	pid_t tid;
	u32 number;
	unsigned long last_page; /* of the thread's last fault, and how often in a row */
	unsigned int repeated;
	union {
		struct llist_node gone;
		struct rcu_head rcu;
	};
};

/* Which part of the primary table the kernel is changing; more than one range are merged. */
struct nm_invalidations {
	raw_spinlock_t lock;
	atomic_t running;
	unsigned long first, end;
};

enum nm_count {
	NM_FAULTS,
	NM_OPENED,
	NM_REOPENED,
	NM_UPGRADED,
	NM_LEFT_TO_KERNEL,
	NM_SPLIT_HUGE,
	NM_ZAPPED,
	NM_INVALIDATED,
	NM_INVALIDATIONS,
	NM_DROPPED_BUSY,
	NM_DROPPED_FULL,
	NM_DROPPED_REPEAT,
	NM_WITHOUT_VIEW,
	NM_ENTERED,
	NM_FORGOTTEN, /* zaps of entries that the kernel took away before their next use */
	NM_COUNTS
};

struct nm_session {
	struct list_head node; /* in nm_sessions */
	struct mutex lock;     /* of what the owner asks for */
	struct pid_namespace *pid_space;
	bool started;  /* once; from then on counted in nm_live_sessions */
	bool ready;    /* ring and pairs are there for good */
	bool attached; /* a process is observed */
	u32 mode, flags, zap_share;

	struct mm_struct *mm;
	unsigned long primary_pa;
	struct mmu_notifier notifier;
	struct nm_invalidations invalidations;
	bool tracing;  /* threads may enter their views */
	bool released; /* the process has given up its memory */
	bool over;     /* no processor knows anything of this session any more */

	struct nm_table *tables;
	u32 table_count;
	u32 *free_tables, free_count;	/* multi: views that no thread has */
	u32 *stale_tables, stale_count; /* multi: of ended threads, to be emptied */
	raw_spinlock_t tables_lock;	/* of these two stacks and next_thread */
	struct nm_pool pool;

	struct nm_thread **threads;
	pid_t *tids; /* by number; as the owner of the session sees them */
	u32 thread_count, next_thread;
	atomic_t linked;

	struct nm_ring ring;
	struct nm_pairs pairs;
	struct delayed_work keeper;
	atomic_t rearm; /* a thread has left its view and may enter it again */
	u64 zap_state;	/* of the generator that chooses what to close; of the keeper and of `lock` */
	atomic64_t counts[NM_COUNTS];
};

static inline void nm_count(struct nm_session *s, enum nm_count what)
{
	atomic64_inc(&s->counts[what]);
}

/* All sessions that observe a process; read under RCU, changed under nm_sessions_lock. */
extern struct list_head nm_sessions;
extern struct mutex nm_sessions_lock;

struct nm_session *nm_session_new(void);
int nm_session_start(struct nm_session *s, struct numatch_start *asked);
void nm_session_stop(struct nm_session *s);
void nm_session_free(struct nm_session *s);
void nm_session_trace(struct nm_session *s, bool on, bool clear);
void nm_session_zap(struct nm_session *s, struct numatch_zap *zap);
void nm_session_stats(struct nm_session *s, struct numatch_stats *stats);

#define NM_MAX_SESSIONS 16
#define NM_MAX_VIEWS 256
#define NM_MAX_THREADS 4096
#define NM_MAX_TABLE_PAGES 65536
#define NM_MAX_RING_RECORDS (1u << 20)
#define NM_MAX_PAIRS (1u << 22)

#endif
