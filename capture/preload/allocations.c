/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later */
/*
 * Preloaded into a program that runs under QEMU: tells the plugin which code allocated which
 * memory, and which thread has been joined (a join that finds its thread ended makes no system
 * call). Each function passes on to the next one of its name, so the program keeps its own
 * allocator. A statically linked program does without.
 *
 * Rules: nothing here allocates; errno is kept; where the plugin does not listen (a forked child, a
 * program started by exec) the functions only pass on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <threads.h>
#include <time.h>

#include "numatch/annotate.h"

#define EXPORT __attribute__((visibility("default")))
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

/* ---- Telling the plugin ---------------------------------------------------------------------- */

static void tell(uint64_t kind, uint64_t a0, uint64_t a1, uint64_t a2) {
  const int kept_errno = errno;
  const struct numatch_annotation record = {kind, a0, a1, a2, 0, 0};
  prctl(NUMATCH_PRCTL, &record, 0UL, 0UL, 0UL);
  errno = kept_errno;
}

static int somebody_listens(void) {
  static int listening = -1; /* every thread finds the same answer */
  int heard = __atomic_load_n(&listening, __ATOMIC_RELAXED);
  if (heard < 0) {
    uint64_t answer = 0;
    tell(NUMATCH_KIND_HELLO, (uint64_t)(uintptr_t)&answer, 0, 0);
    heard = __atomic_load_n(&answer, __ATOMIC_RELAXED) == 1;
    __atomic_store_n(&listening, heard, __ATOMIC_RELAXED);
  }
  return heard;
}

/* ---- The real functions ---------------------------------------------------------------------- */

static void* next_function(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

/* dlsym may allocate while it looks for malloc: it gets pieces of this, which are never freed. */
static _Alignas(16) unsigned char early_memory[16384];
static size_t early_used;
static __thread int looking;

static void* early_allocate(size_t bytes) {
  const size_t whole = (bytes + 15) & ~(size_t)15;
  const size_t at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
  return whole >= bytes && at <= sizeof early_memory && whole <= sizeof early_memory - at
             ? early_memory + at
             : NULL;
}

static int is_early(const void* memory) {
  const unsigned char* const at = memory;
  return at >= early_memory && at < early_memory + sizeof early_memory;
}

/* Looks `name` up once; null while the calling thread is in the middle of a look-up. */
#define REAL(pointer, name)                                                  \
  do {                                                                       \
    if (__atomic_load_n(&(pointer), __ATOMIC_RELAXED) == NULL && !looking) { \
      looking = 1;                                                           \
      void* const found_ = next_function(name);                              \
      looking = 0;                                                           \
      __atomic_store_n((void**)&(pointer), found_, __ATOMIC_RELAXED);        \
    }                                                                        \
  } while (0)

/* ---- Call sites ------------------------------------------------------------------------------ */

/* operator new calls malloc; the site that counts is that of new. Used up by the first report. */
static __thread uint64_t site_of_new;
/* operator delete calls free: one report is enough. */
static __thread const void* told_freed;

static void report(void* memory, size_t bytes, uint64_t caller) {
  const uint64_t site = site_of_new != 0 ? site_of_new : caller;
  site_of_new = 0;
  if (memory == NULL || !somebody_listens()) return;
  tell(NUMATCH_KIND_ALLOCATE, (uint64_t)(uintptr_t)memory, bytes, site);
}

static void report_free(const void* memory) {
  if (memory == NULL) return;
  if (memory == told_freed) {
    told_freed = NULL;
    return;
  }
  if (somebody_listens()) tell(NUMATCH_KIND_FREE, (uint64_t)(uintptr_t)memory, 0, 0);
}

/* ---- malloc and its family ------------------------------------------------------------------- */

EXPORT void* malloc(size_t bytes) {
  static void* (*real)(size_t);
  REAL(real, "malloc");
  if (real == NULL) return early_allocate(bytes);
  void* const memory = real(bytes);
  report(memory, bytes, CALLER);
  return memory;
}

EXPORT void* calloc(size_t count, size_t bytes) {
  static void* (*real)(size_t, size_t);
  REAL(real, "calloc");
  if (real == NULL) {
    size_t whole;
    return __builtin_mul_overflow(count, bytes, &whole) ? NULL : early_allocate(whole);
  }
  void* const memory = real(count, bytes);
  report(memory, count * bytes, CALLER);
  return memory;
}

EXPORT void free(void* memory) {
  static void (*real)(void*);
  if (memory == NULL || is_early(memory)) return;
  REAL(real, "free");
  /* Before it is done: afterwards the memory may be another thread's. */
  report_free(memory);
  if (real != NULL) real(memory);
}

static void* resize(void* memory, size_t bytes, uint64_t caller) {
  static void* (*real)(void*, size_t);
  if (is_early(memory)) {
    void* const moved = malloc(bytes);
    const size_t room = (size_t)(early_memory + sizeof early_memory - (unsigned char*)memory);
    if (moved != NULL) memcpy(moved, memory, bytes < room ? bytes : room);
    return moved;
  }
  REAL(real, "realloc");
  if (real == NULL) return memory == NULL ? early_allocate(bytes) : NULL;
  const size_t before = memory != NULL ? malloc_usable_size(memory) : 0;
  report_free(memory);
  void* const moved = real(memory, bytes);
  if (moved != NULL) {
    report(moved, bytes, caller);
  } else if (bytes != 0) {
    report(memory, before, caller); /* it failed: the old block lives on */
  }
  return moved;
}

EXPORT void* realloc(void* memory, size_t bytes) {
  return resize(memory, bytes, CALLER);
}

EXPORT void* reallocarray(void* memory, size_t count, size_t bytes) {
  size_t whole;
  if (__builtin_mul_overflow(count, bytes, &whole)) {
    errno = ENOMEM;
    return NULL;
  }
  return resize(memory, whole, CALLER);
}

EXPORT int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  static int (*real)(void**, size_t, size_t);
  REAL(real, "posix_memalign");
  if (real == NULL) return ENOMEM;
  const int code = real(memory, alignment, bytes);
  if (code == 0) report(*memory, bytes, CALLER);
  return code;
}

#define ALIGNED(name)                                 \
  EXPORT void* name(size_t alignment, size_t bytes) { \
    static void* (*real)(size_t, size_t);             \
    REAL(real, #name);                                \
    if (real == NULL) return NULL;                    \
    void* const memory = real(alignment, bytes);      \
    report(memory, bytes, CALLER);                    \
    return memory;                                    \
  }
ALIGNED(aligned_alloc)
ALIGNED(memalign)

#define PAGE_ALIGNED(name)            \
  EXPORT void* name(size_t bytes) {   \
    static void* (*real)(size_t);     \
    REAL(real, #name);                \
    if (real == NULL) return NULL;    \
    void* const memory = real(bytes); \
    report(memory, bytes, CALLER);    \
    return memory;                    \
  }
PAGE_ALIGNED(valloc)
PAGE_ALIGNED(pvalloc)

/* ---- operator new and delete ----------------------------------------------------------------- */

/* A C++ library loaded with RTLD_LOCAL has its operator new out of our sight. */
static void* new_without_library(size_t bytes) {
  void* const memory = malloc(bytes != 0 ? bytes : 1);
  if (memory == NULL) abort();
  return memory;
}

/* A bad_alloc passes through: nothing needs to be undone, site_of_new is used up by malloc. */
#define OPERATOR_NEW(symbol, PARAMETERS, ARGUMENTS)                                  \
  EXPORT void* symbol PARAMETERS;                                                    \
  EXPORT void* symbol PARAMETERS {                                                   \
    static void*(*real)PARAMETERS;                                                   \
    REAL(real, #symbol);                                                             \
    if (site_of_new == 0) site_of_new = CALLER; /* new[] calls new */                \
    void* const memory = real != NULL ? real ARGUMENTS : new_without_library(bytes); \
    if (site_of_new != 0) report(memory, bytes, CALLER); /* a pool without malloc */ \
    site_of_new = 0;                                                                 \
    return memory;                                                                   \
  }
OPERATOR_NEW(_Znwm, (size_t bytes), (bytes))
OPERATOR_NEW(_Znam, (size_t bytes), (bytes))
OPERATOR_NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const void* tag), (bytes, tag))
OPERATOR_NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const void* tag), (bytes, tag))
OPERATOR_NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
OPERATOR_NEW(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))

#define OPERATOR_DELETE(symbol, PARAMETERS, ARGUMENTS) \
  EXPORT void symbol PARAMETERS;                       \
  EXPORT void symbol PARAMETERS {                      \
    static void(*real) PARAMETERS;                     \
    REAL(real, #symbol);                               \
    if (memory == NULL) return;                        \
    report_free(memory);                               \
    told_freed = memory;                               \
    if (real != NULL) {                                \
      real ARGUMENTS;                                  \
    } else {                                           \
      free(memory);                                    \
    }                                                  \
    told_freed = NULL;                                 \
  }
OPERATOR_DELETE(_ZdlPv, (void* memory), (memory))
OPERATOR_DELETE(_ZdaPv, (void* memory), (memory))
OPERATOR_DELETE(_ZdlPvm, (void* memory, size_t bytes), (memory, bytes))
OPERATOR_DELETE(_ZdaPvm, (void* memory, size_t bytes), (memory, bytes))
OPERATOR_DELETE(_ZdlPvSt11align_val_t, (void* memory, size_t alignment), (memory, alignment))
OPERATOR_DELETE(_ZdaPvSt11align_val_t, (void* memory, size_t alignment), (memory, alignment))
OPERATOR_DELETE(_ZdlPvmSt11align_val_t, (void* memory, size_t bytes, size_t alignment),
                (memory, bytes, alignment))
OPERATOR_DELETE(_ZdaPvmSt11align_val_t, (void* memory, size_t bytes, size_t alignment),
                (memory, bytes, alignment))

/* ---- Joins ----------------------------------------------------------------------------------- */

#define JOIN(symbol, PARAMETERS, ARGUMENTS)              \
  EXPORT int symbol PARAMETERS {                         \
    static int(*real) PARAMETERS;                        \
    REAL(real, #symbol);                                 \
    if (real == NULL) return ENOSYS;                     \
    const int code = real ARGUMENTS;                     \
    if (code == 0 && somebody_listens()) {               \
      tell(NUMATCH_KIND_JOINED, (uint64_t)thread, 0, 0); \
    }                                                    \
    return code;                                         \
  }
JOIN(pthread_join, (pthread_t thread, void** value), (thread, value))
JOIN(pthread_tryjoin_np, (pthread_t thread, void** value), (thread, value))
JOIN(pthread_timedjoin_np, (pthread_t thread, void** value, const struct timespec* until),
     (thread, value, until))
JOIN(pthread_clockjoin_np,
     (pthread_t thread, void** value, clockid_t clock, const struct timespec* until),
     (thread, value, clock, until))
JOIN(thrd_join, (thrd_t thread, int* value), (thread, value))
