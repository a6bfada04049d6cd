// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Atomic operations: -fsanitize=thread replaces them by calls, so the run-time performs them. The
// memory order is always the strongest; on x86-64 that costs only plain stores something.
#include "state.hpp"

using numatch::instrumented::access;

namespace {

using order = int;
__extension__ using unsigned_128 = unsigned __int128;

/// 16 bytes at once, as cmpxchg16b does it: the same instruction that libatomic uses, so code that
/// is not instrumented may work on the same variable.
bool exchange_16(volatile unsigned_128* target, unsigned_128* expected, unsigned_128 desired) {
  std::uint64_t low = static_cast<std::uint64_t>(*expected);
  std::uint64_t high = static_cast<std::uint64_t>(*expected >> 64);
  bool done;
  __asm__ __volatile__("lock cmpxchg16b %1"
                       : "=@ccz"(done), "+m"(*target), "+a"(low), "+d"(high)
                       : "b"(static_cast<std::uint64_t>(desired)),
                         "c"(static_cast<std::uint64_t>(desired >> 64))
                       : "memory");
  if (!done) *expected = static_cast<unsigned_128>(high) << 64 | low;
  return done;
}

template <class T>
bool exchange_if(volatile T* target, T* expected, T desired) {
  if constexpr (sizeof(T) == 16)
    return exchange_16(target, expected, desired);
  else
    return __atomic_compare_exchange_n(target, expected, desired, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

template <class T>
T load(const volatile T* target) {
  if constexpr (sizeof(T) == 16) {
    T seen = 0;  // exchanging zero for zero reads without changing anything
    exchange_16(const_cast<volatile T*>(target), &seen, 0);
    return seen;
  } else {
    return __atomic_load_n(target, __ATOMIC_SEQ_CST);
  }
}

/// Replaces the value by `change(value)`; returns the old one.
template <class T, class Change>
T modify(volatile T* target, Change change) {
  T old = load(target);
  while (!exchange_if(target, &old, static_cast<T>(change(old)))) {
  }
  return old;
}

template <class T>
T replace(volatile T* target, T value) {
  if constexpr (sizeof(T) == 16)
    return modify(target, [value](T) { return value; });
  else
    return __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);
}

}  // namespace

// `type` is a type everywhere below: it cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define NUMATCH_READ_THEN_WRITE(target)      \
  const std::uintptr_t pc = NUMATCH_CALLER;  \
  access(pc, target, sizeof *target, false); \
  access(pc, target, sizeof *target, true)

#define NUMATCH_FETCH(bits, type, name, expression)                                          \
  NUMATCH_ENTRY type __tsan_atomic##bits##_fetch_##name(volatile type* target, type operand, \
                                                        order);                              \
  NUMATCH_ENTRY type __tsan_atomic##bits##_fetch_##name(volatile type* target, type operand, \
                                                        order) {                             \
    NUMATCH_READ_THEN_WRITE(target);                                                         \
    if constexpr (bits <= 64)                                                                \
      return __atomic_fetch_##name(target, operand, __ATOMIC_SEQ_CST);                       \
    else                                                                                     \
      return modify(target, [operand](type old) { return expression; });                     \
  }

/// A failed exchange reads only.
#define NUMATCH_COMPARE(bits, type, name)                                  \
  NUMATCH_ENTRY int __tsan_atomic##bits##_compare_exchange_##name(         \
      volatile type* target, type* expected, type desired, order, order);  \
  NUMATCH_ENTRY int __tsan_atomic##bits##_compare_exchange_##name(         \
      volatile type* target, type* expected, type desired, order, order) { \
    const std::uintptr_t pc = NUMATCH_CALLER;                              \
    access(pc, target, sizeof *target, false);                             \
    const bool done = exchange_if(target, expected, desired);              \
    if (done) access(pc, target, sizeof *target, true);                    \
    return done;                                                           \
  }

#define NUMATCH_ATOMIC(bits, type)                                                              \
  NUMATCH_ENTRY type __tsan_atomic##bits##_load(const volatile type* target, order);            \
  NUMATCH_ENTRY type __tsan_atomic##bits##_load(const volatile type* target, order) {           \
    access(NUMATCH_CALLER, target, sizeof *target, false);                                      \
    return load(target);                                                                        \
  }                                                                                             \
  NUMATCH_ENTRY void __tsan_atomic##bits##_store(volatile type* target, type value, order);     \
  NUMATCH_ENTRY void __tsan_atomic##bits##_store(volatile type* target, type value, order) {    \
    access(NUMATCH_CALLER, target, sizeof *target, true);                                       \
    replace(target, value);                                                                     \
  }                                                                                             \
  NUMATCH_ENTRY type __tsan_atomic##bits##_exchange(volatile type* target, type value, order);  \
  NUMATCH_ENTRY type __tsan_atomic##bits##_exchange(volatile type* target, type value, order) { \
    NUMATCH_READ_THEN_WRITE(target);                                                            \
    return replace(target, value);                                                              \
  }                                                                                             \
  NUMATCH_FETCH(bits, type, add, old + operand)                                                 \
  NUMATCH_FETCH(bits, type, sub, old - operand)                                                 \
  NUMATCH_FETCH(bits, type, and, old& operand)                                                  \
  NUMATCH_FETCH(bits, type, or, old | operand)                                                  \
  NUMATCH_FETCH(bits, type, xor, old ^ operand)                                                 \
  NUMATCH_FETCH(bits, type, nand, ~(old & operand))                                             \
  NUMATCH_COMPARE(bits, type, strong)                                                           \
  NUMATCH_COMPARE(bits, type, weak)                                                             \
  NUMATCH_ENTRY type __tsan_atomic##bits##_compare_exchange_val(                                \
      volatile type* target, type expected, type desired, order, order);                        \
  NUMATCH_ENTRY type __tsan_atomic##bits##_compare_exchange_val(                                \
      volatile type* target, type expected, type desired, order, order) {                       \
    const std::uintptr_t pc = NUMATCH_CALLER;                                                   \
    access(pc, target, sizeof *target, false);                                                  \
    if (exchange_if(target, &expected, desired)) access(pc, target, sizeof *target, true);      \
    return expected;                                                                            \
  }

// NOLINTEND(bugprone-macro-parentheses)

// Unsigned types: they wrap around without undefined behaviour, and have the same representation.
NUMATCH_ATOMIC(8, std::uint8_t)
NUMATCH_ATOMIC(16, std::uint16_t)
NUMATCH_ATOMIC(32, std::uint32_t)
NUMATCH_ATOMIC(64, std::uint64_t)
NUMATCH_ATOMIC(128, unsigned_128)

NUMATCH_ENTRY void __tsan_atomic_thread_fence(order);
NUMATCH_ENTRY void __tsan_atomic_thread_fence(order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
NUMATCH_ENTRY void __tsan_atomic_signal_fence(order);
NUMATCH_ENTRY void __tsan_atomic_signal_fence(order) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// What C++ libraries call to explain their own synchronisation to a race detector.
NUMATCH_ENTRY void __tsan_acquire(void* object);
NUMATCH_ENTRY void __tsan_acquire(void* object) {
  numatch::instrumented::acquire(numatch::instrumented::object_at(object));
}
NUMATCH_ENTRY void __tsan_release(void* object);
NUMATCH_ENTRY void __tsan_release(void* object) {
  numatch::instrumented::release(numatch::instrumented::object_at(object));
}
