// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The read and write entry points that -fsanitize=thread calls. Compiled twice: into the archive
// for every compiler, and by clang to bitcode that the LTO mode inlines into the program.
#include "state.hpp"

using numatch::instrumented::access;
using numatch::instrumented::phase;
using numatch::instrumented::this_thread;

#ifdef NUMATCH_LTO
// Inlined, there is no return address: the address of the inlined code stands for the access. The
// asm is volatile so that two accesses never share one.
#define NUMATCH_INLINE [[gnu::always_inline]]
struct inlined_place {
  [[gnu::always_inline]] operator std::uintptr_t() const {
    std::uintptr_t here;
    __asm__ __volatile__("lea 0(%%rip), %0" : "=r"(here));
    return here;
  }
};
#define NUMATCH_PC \
  inlined_place {}
#else
#define NUMATCH_INLINE
struct calling_place {
  [[gnu::always_inline]] operator std::uintptr_t() const { return NUMATCH_CALLER; }
};
#define NUMATCH_PC \
  calling_place {}
#endif

#ifdef NUMATCH_LTO
namespace numatch::instrumented {
[[clang::preserve_most, gnu::noinline]] void access_slowly_from_inlined(std::uintptr_t pc,
                                                                        std::uintptr_t address,
                                                                        std::uint32_t bytes,
                                                                        bool write) {
  access_slowly(pc, address, bytes, write);
}
}  // namespace numatch::instrumented
#endif

#define NUMATCH_ONE(name, bytes, write)                                   \
  NUMATCH_ENTRY NUMATCH_INLINE void __tsan_##name##bytes(void* address);  \
  NUMATCH_ENTRY NUMATCH_INLINE void __tsan_##name##bytes(void* address) { \
    access(NUMATCH_PC, address, bytes, write);                            \
  }
#define NUMATCH_BOTH(name, bytes)                                         \
  NUMATCH_ENTRY NUMATCH_INLINE void __tsan_##name##bytes(void* address);  \
  NUMATCH_ENTRY NUMATCH_INLINE void __tsan_##name##bytes(void* address) { \
    const std::uintptr_t pc = NUMATCH_PC;                                 \
    access(pc, address, bytes, false);                                    \
    access(pc, address, bytes, true);                                     \
  }
#define NUMATCH_EACH_SIZE(name, write) \
  NUMATCH_ONE(name, 1, write)          \
  NUMATCH_ONE(name, 2, write)          \
  NUMATCH_ONE(name, 4, write)          \
  NUMATCH_ONE(name, 8, write)          \
  NUMATCH_ONE(name, 16, write)
#define NUMATCH_EACH_SIZE_BOTH(name) \
  NUMATCH_BOTH(name, 1)              \
  NUMATCH_BOTH(name, 2)              \
  NUMATCH_BOTH(name, 4)              \
  NUMATCH_BOTH(name, 8)              \
  NUMATCH_BOTH(name, 16)

NUMATCH_EACH_SIZE(read, false)
NUMATCH_EACH_SIZE(write, true)
NUMATCH_EACH_SIZE(unaligned_read, false)
NUMATCH_EACH_SIZE(unaligned_write, true)
NUMATCH_EACH_SIZE(volatile_read, false)
NUMATCH_EACH_SIZE(volatile_write, true)
NUMATCH_EACH_SIZE(unaligned_volatile_read, false)
NUMATCH_EACH_SIZE(unaligned_volatile_write, true)
NUMATCH_EACH_SIZE_BOTH(read_write)
NUMATCH_EACH_SIZE_BOTH(unaligned_read_write)

NUMATCH_ENTRY NUMATCH_INLINE void __tsan_vptr_update(void** slot, void* value);
NUMATCH_ENTRY NUMATCH_INLINE void __tsan_vptr_update(void** slot, void*) {
  access(NUMATCH_PC, static_cast<void*>(slot), sizeof(void*), true);
}
NUMATCH_ENTRY NUMATCH_INLINE void __tsan_vptr_read(void** slot);
NUMATCH_ENTRY NUMATCH_INLINE void __tsan_vptr_read(void** slot) {
  access(NUMATCH_PC, static_cast<void*>(slot), sizeof(void*), false);
}

NUMATCH_ENTRY NUMATCH_INLINE void __tsan_func_entry(void* caller);
NUMATCH_ENTRY NUMATCH_INLINE void __tsan_func_entry(void*) {}
NUMATCH_ENTRY NUMATCH_INLINE void __tsan_func_exit();
NUMATCH_ENTRY NUMATCH_INLINE void __tsan_func_exit() {}

NUMATCH_ENTRY void __tsan_ignore_thread_begin();
NUMATCH_ENTRY void __tsan_ignore_thread_begin() {
  if (this_thread.mute_depth++ == 0 && this_thread.now == phase::ready)
    this_thread.become(phase::muted);
}
NUMATCH_ENTRY void __tsan_ignore_thread_end();
NUMATCH_ENTRY void __tsan_ignore_thread_end() {
  if (--this_thread.mute_depth == 0 && this_thread.now == phase::muted)
    this_thread.become(phase::ready);
}
