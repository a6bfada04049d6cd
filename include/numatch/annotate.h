/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later */
#ifndef NUMATCH_ANNOTATE_H
#define NUMATCH_ANNOTATE_H

/*
 * Tells numatch what a program knows about itself: where a phase begins, what a piece of memory is
 * called, on which NUMA node it was meant to live. Header only, C99 and C++11, nothing to link.
 *
 *   #include <numatch/annotate.h>
 *
 *   int main(void) {
 *     double* grid = malloc(bytes);
 *     NUMATCH_LABEL(grid, bytes, "grid");      // the report calls these pages "grid"
 *     read_input(grid);
 *     NUMATCH_ROI_BEGIN();                     // count only from here ...
 *     for (int step = 0; step < 100; ++step) {
 *       NUMATCH_REGION_BEGIN("sweep");         // per-thread, may nest
 *       sweep(grid);
 *       NUMATCH_REGION_END("sweep");
 *     }
 *     NUMATCH_ROI_END();                       // ... to here
 *   }
 *
 * While nobody captures, a call costs a load and a branch; the program never behaves differently.
 * Thread safe; errno is kept; may be called from a signal handler.
 *
 * How it travels: a run-time linked into the program defines numatch_annotate_v1() and is called
 * directly. Otherwise, and only with NUMATCH_SESSION in the environment, a prctl() with an option
 * that Linux does not know carries the address of a numatch_annotation; the kernel refuses it, the
 * QEMU plugin has read it by then.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The prctl option and the record behind its second argument. */
#define NUMATCH_PRCTL 0x4e4d5401

struct numatch_annotation {
  uint64_t kind; /* a number below */
  uint64_t a0, a1, a2;
  uint64_t text; /* address; not zero-terminated */
  uint64_t text_bytes;
};

/* Kinds below 256 are event numbers of the trace format, so they never change. */
enum numatch_annotation_kind {
  NUMATCH_KIND_ALLOCATE = 40,     /* address, bytes, return address of the call */
  NUMATCH_KIND_FREE = 41,         /* address */
  NUMATCH_KIND_REGION_BEGIN = 64, /* text */
  NUMATCH_KIND_REGION_END = 65,   /* text */
  NUMATCH_KIND_ROI_BEGIN = 66,
  NUMATCH_KIND_ROI_END = 67,
  NUMATCH_KIND_LABEL = 68,   /* address, bytes, text */
  NUMATCH_KIND_PLACE = 69,   /* address, bytes, node or NUMATCH_OWN_NODE */
  NUMATCH_KIND_RUN_ON = 70,  /* node */
  NUMATCH_KIND_HELLO = 256,  /* address of a uint64_t that a listener sets to 1 */
  NUMATCH_KIND_JOINED = 257, /* pthread_t of a thread that has been joined */
};

/* Defined by a capture run-time inside the program, if there is one. */
void numatch_annotate_v1(uint64_t kind, uint64_t a0, uint64_t a1, uint64_t a2, const char* text,
                         uint64_t text_bytes) __attribute__((weak));

static inline void numatch_annotate_record(uint64_t kind, uint64_t a0, uint64_t a1, uint64_t a2,
                                           const char* text) {
  static int listening = -1; /* every thread computes the same value */
  int heard;
  if (numatch_annotate_v1) {
    numatch_annotate_v1(kind, a0, a1, a2, text, strlen(text));
    return;
  }
  heard = __atomic_load_n(&listening, __ATOMIC_RELAXED);
  if (heard < 0) {
    heard = getenv("NUMATCH_SESSION") ? 1 : 0;
    __atomic_store_n(&listening, heard, __ATOMIC_RELAXED);
  }
  if (heard) {
    const int kept_errno = errno;
    struct numatch_annotation record;
    record.kind = kind;
    record.a0 = a0;
    record.a1 = a1;
    record.a2 = a2;
    record.text = (uint64_t)(uintptr_t)text; /* "" where a kind has none */
    record.text_bytes = strlen(text);
    prctl(NUMATCH_PRCTL, &record, 0UL, 0UL, 0UL);
    errno = kept_errno;
  }
}

/* A named phase of the calling thread; regions nest. */
#define NUMATCH_REGION_BEGIN(name) \
  numatch_annotate_record(NUMATCH_KIND_REGION_BEGIN, 0, 0, 0, (name))
#define NUMATCH_REGION_END(name) numatch_annotate_record(NUMATCH_KIND_REGION_END, 0, 0, 0, (name))

/* The part of the run that matters, for all threads. */
#define NUMATCH_ROI_BEGIN() numatch_annotate_record(NUMATCH_KIND_ROI_BEGIN, 0, 0, 0, "")
#define NUMATCH_ROI_END() numatch_annotate_record(NUMATCH_KIND_ROI_END, 0, 0, 0, "")

/* What `bytes` bytes at `ptr` are called. */
#define NUMATCH_LABEL(ptr, bytes, name)                                                         \
  numatch_annotate_record(NUMATCH_KIND_LABEL, (uint64_t)(uintptr_t)(ptr), (uint64_t)(bytes), 0, \
                          (name))

/* The NUMA node on which the program wants them. */
#define NUMATCH_PLACE(ptr, bytes, node)                                                      \
  numatch_annotate_record(NUMATCH_KIND_PLACE, (uint64_t)(uintptr_t)(ptr), (uint64_t)(bytes), \
                          (uint64_t)(node), "")

/* … and the same for the node on which the calling thread runs now, whichever that is. */
#define NUMATCH_OWN_NODE (~(uint64_t)0)
#define NUMATCH_PLACE_HERE(ptr, bytes) NUMATCH_PLACE(ptr, bytes, NUMATCH_OWN_NODE)

/* The NUMA node on which the calling thread should run. */
#define NUMATCH_RUN_ON(node) \
  numatch_annotate_record(NUMATCH_KIND_RUN_ON, (uint64_t)(node), 0, 0, "")

#ifdef __cplusplus
}
#endif

#endif
