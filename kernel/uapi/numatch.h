/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later */
/*
 * What programs and the module numatch.ko say to each other.
 *
 * One open of /dev/numatch is one session, a session observes one process. Who opens it needs
 * CAP_SYS_ADMIN, or CAP_PERFMON and then a process of the same user that may be dumped. close()
 * ends a session whatever happened to its owner or to the observed process; so does NUMATCH_IOC_STOP,
 * after which statistics, snapshot and ring can still be read. A session is started once.
 *
 * Every number counts what happened in the kernel; nothing is estimated. docs/kernel-module.md tells
 * how it works.
 */
#ifndef NUMATCH_UAPI_H
#define NUMATCH_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define NUMATCH_DEVICE "/dev/numatch"
#define NUMATCH_ABI 1
#define NUMATCH_MESSAGE_BYTES 120

/* What NUMATCH_IOC_INFO tells of module and machine. */
struct numatch_info {
	__u32 abi;	  /* NUMATCH_ABI of the module */
	__u32 levels;	  /* of the page tables: 4 or 5 */
	__u32 flags;	  /* NUMATCH_INFO_* */
	__u32 max_views;  /* the limits of struct numatch_start */
	__u32 max_threads;
	__u32 max_table_pages;
	__u32 max_ring_records;
	__u32 max_pairs;
};

#define NUMATCH_INFO_PTI 1u	/* kernel and user have page tables of their own */
#define NUMATCH_INFO_PCID 2u	/* the processor tags translations */
#define NUMATCH_INFO_PRECISE 4u /* a change of view flushes only what it must (a module parameter) */

enum numatch_mode {
	NUMATCH_MULTI = 1,  /* each thread has a view of its own */
	NUMATCH_SINGLE = 2, /* all threads have one view, beside the primary page table */
};

/* The ring gets a use only when thread and page are a new pair; the snapshot counts all. */
#define NUMATCH_NEW_PAIRS_ONLY 1u

/*
 * Errors of NUMATCH_IOC_START: EPERM this process is not yours; ESRCH there is none, or it is the
 * kernel's; EOPNOTSUPP it is refused, `message` says why; EEXIST it is observed already; EBUSY this session was
 * started before; EINVAL a value is above its limit, unknown, or no power of two; EUSERS 16 sessions are
 * started and not closed; ENOMEM. After an error another start may be tried.
 */
struct numatch_start { /* the kernel writes back what 0 stood for */
	__s32 pid;
	__u32 mode;	    /* enum numatch_mode */
	__u32 flags;	    /* NUMATCH_NEW_PAIRS_ONLY */
	__u32 views;	    /* threads with a view at one time; multi only; 0: 64 */
	__u32 threads;	    /* threads told apart in the whole session; 0: 1024 */
	__u32 table_pages;  /* pages of 4096 bytes for the views' page tables; 0: 4096 */
	__u32 ring_records; /* a power of two; 0: 65536 */
	__u32 pairs;	    /* room of the snapshot, a power of two; 0: 65536 */
	__u32 zap_share;    /* per cent of the opened entries that the module opens again by closing them; 0 to 90 */
	__u32 reserved;	    /* 0 */
	__u64 seed;	    /* of the choice of the entries to close */
	char message[NUMATCH_MESSAGE_BYTES]; /* out: one line, when it is refused */
};

/* Off: all threads go on with the primary table and nothing is seen. On: all views are empty again. */
struct numatch_trace {
	__u32 on;
	__u32 clear; /* with on: the snapshot is emptied, too */
};

/* Closes a part of the open entries of all views; the next use of each is seen. */
struct numatch_zap {
	__u32 percent;	/* 1 to 100 */
	__u32 reserved; /* 0 */
	__u64 open;	/* out: entries that were open */
	__u64 closed;	/* out: of these, closed now */
};

struct numatch_stats {
	__u64 faults;	       /* page faults of threads in a view */
	__u64 opened;	       /* entries opened: first uses and uses after a closing */
	__u64 reopened;	       /* of these, entries that a zap had closed: the induced faults */
	__u64 upgraded;	       /* entries that became writable */
	__u64 left_to_kernel;  /* faults on pages that the primary table did not have, or not writable */
	__u64 split_huge;      /* entries made from a part of a huge page */
	__u64 zapped;	       /* entries closed by zaps */
	__u64 invalidated;     /* entries closed because the kernel changed the primary table */
	__u64 invalidations;   /* how often it did */
	__u64 dropped_busy;    /* threads that left their view: the page was just being changed */
	__u64 dropped_full;    /* … there was no page left for its tables */
	__u64 dropped_repeat;  /* … it faulted again and again on one page */
	__u64 without_view;    /* times that a thread ran without a view since all were taken */
	__u64 threads;	       /* seen so far */
	__u64 linked;	       /* threads that the scheduler tells us of now */
	__u64 entered;	       /* changes from the primary table to a view */
	__u64 table_pages;     /* in use */
	__u64 ring_lost;       /* uses for which the ring had no room */
	__u64 pairs_lost;      /* pairs for which the snapshot had no room */
	__u64 process_ended;   /* 1: the observed process has given up its memory */
};

/* A thread used a page; as often as the view was opened for it. */
struct numatch_pair {
	__u64 page;   /* address of its first byte */
	__s32 thread; /* number of the task, as the owner of the session sees it */
	__u32 count;
	__u32 flags;  /* NUMATCH_USE_WRITE: one of the uses was a write */
	__u32 offset; /* of the first byte used, within the page */
};

/* ENOSPC: `capacity` is too small, and `count` says what is needed. */
struct numatch_snapshot {
	__u64 pairs;	/* address of an array of struct numatch_pair */
	__u64 capacity; /* its length */
	__u64 count;	/* out */
};

#define NUMATCH_USE_WRITE 1u
#define NUMATCH_USE_REOPENED 2u /* a zap had closed the entry */
#define NUMATCH_USE_KERNEL 4u	/* by the kernel for the thread, in a system call */

struct numatch_use {
	__u64 address;
	__u64 time;   /* nanoseconds of CLOCK_MONOTONIC */
	__s32 thread; /* as in struct numatch_pair */
	__u32 flags;  /* NUMATCH_USE_* */
	__u32 count;  /* of this pair so far; 0: the snapshot has no room for it */
	__u32 reserved;
};

/*
 * What mmap() of the device gives: this page, then `records` structs numatch_use. The number n of a use
 * is at n modulo records. The kernel writes head, the reader tail; the reader reads head with acquire
 * and writes tail with release. When head - tail is records, uses are lost and counted.
 */
struct numatch_ring {
	__u64 head;
	__u64 tail;
	__u64 lost;
	__u32 records;
	__u32 record_bytes;
	__u32 first_offset; /* of record 0 in the mapping */
	__u32 reserved;
};

#define NUMATCH_IOC_INFO _IOR('n', 0xe0, struct numatch_info)
#define NUMATCH_IOC_START _IOWR('n', 0xe1, struct numatch_start)
#define NUMATCH_IOC_STOP _IO('n', 0xe2)
#define NUMATCH_IOC_TRACE _IOW('n', 0xe3, struct numatch_trace)
#define NUMATCH_IOC_ZAP _IOWR('n', 0xe4, struct numatch_zap)
#define NUMATCH_IOC_STATS _IOR('n', 0xe5, struct numatch_stats)
#define NUMATCH_IOC_SNAPSHOT _IOWR('n', 0xe6, struct numatch_snapshot)

#endif
