// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// operator new and delete. Their own malloc is inside libstdc++ and is not seen a second time; an
// operator that the program defines itself is called as such.
#include "allocations.hpp"

using namespace numatch::instrumented;

#define NUMATCH_NEW(name)                                             \
  NUMATCH_WRAP_WEAK(void*, name, std::size_t bytes) {                 \
    return allocated(__real_##name(bytes), bytes, NUMATCH_CALL_SITE); \
  }
#define NUMATCH_NEW_WITH(name, type)                                         \
  NUMATCH_WRAP_WEAK(void*, name, std::size_t bytes, type extra) {            \
    return allocated(__real_##name(bytes, extra), bytes, NUMATCH_CALL_SITE); \
  }
#define NUMATCH_NEW_ALIGNED_NOTHROW(name)                                                         \
  NUMATCH_WRAP_WEAK(void*, name, std::size_t bytes, std::size_t alignment, const void* nothrow) { \
    return allocated(__real_##name(bytes, alignment, nothrow), bytes, NUMATCH_CALL_SITE);         \
  }
#define NUMATCH_DELETE(name)                    \
  NUMATCH_WRAP_WEAK(void, name, void* memory) { \
    freed(memory);                              \
    __real_##name(memory);                      \
  }
#define NUMATCH_DELETE_WITH(name, type)                     \
  NUMATCH_WRAP_WEAK(void, name, void* memory, type extra) { \
    freed(memory);                                          \
    __real_##name(memory, extra);                           \
  }
#define NUMATCH_DELETE_SIZED_ALIGNED(name)                                                \
  NUMATCH_WRAP_WEAK(void, name, void* memory, std::size_t bytes, std::size_t alignment) { \
    freed(memory);                                                                        \
    __real_##name(memory, bytes, alignment);                                              \
  }

NUMATCH_NEW(_Znwm)
NUMATCH_NEW(_Znam)
NUMATCH_NEW_WITH(_ZnwmSt11align_val_t, std::size_t)
NUMATCH_NEW_WITH(_ZnamSt11align_val_t, std::size_t)
NUMATCH_NEW_WITH(_ZnwmRKSt9nothrow_t, const void*)
NUMATCH_NEW_WITH(_ZnamRKSt9nothrow_t, const void*)
NUMATCH_NEW_ALIGNED_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t)
NUMATCH_NEW_ALIGNED_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t)
NUMATCH_DELETE(_ZdlPv)
NUMATCH_DELETE(_ZdaPv)
NUMATCH_DELETE_WITH(_ZdlPvm, std::size_t)
NUMATCH_DELETE_WITH(_ZdaPvm, std::size_t)
NUMATCH_DELETE_WITH(_ZdlPvSt11align_val_t, std::size_t)
NUMATCH_DELETE_WITH(_ZdaPvSt11align_val_t, std::size_t)
NUMATCH_DELETE_SIZED_ALIGNED(_ZdlPvmSt11align_val_t)
NUMATCH_DELETE_SIZED_ALIGNED(_ZdaPvmSt11align_val_t)
