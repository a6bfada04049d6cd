// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "trace/encoder.hpp"
#include "trace/event.hpp"
#include "trace/recorder.hpp"

// The run-time of programs compiled through numatch-cc lives inside the observed program: it is
// called before constructors, inside malloc and from signal handlers. So: no malloc, no locks, no
// C++ library; a thread registers itself at its first access.

namespace numatch::instrumented {

/// What a thread's callbacks do. A signal handler that interrupts a callback finds `busy` and is
/// not recorded: the encoder below it is half-way through an access.
enum class phase : std::uint32_t {
  unknown = 0,  ///< not registered yet
  ready = 1,    ///< records
  busy = 2,     ///< inside the recorder
  off = 3,      ///< no session, the thread has ended, or this is a forked child
  muted = 4,    ///< between __tsan_ignore_thread_begin and _end
};

inline void barrier_for_signals() {
  __asm__ __volatile__("" ::: "memory");
}

struct thread_state {
  phase now;
  std::uint32_t mute_depth;
  trace::thread_recorder* recorder;
  /// The recorder's filter while it may be used: in phase `ready` of a filtered session.
  trace::filter_tlb* filter;
  /// The innermost OpenMP region and how many of its barriers this thread has met (openmp.hpp).
  std::uint64_t region;
  std::uint64_t barriers;
  /// The last range write, to recognise the memcpy call that a structure copy becomes (ranges.cpp).
  std::uintptr_t range_pc;
  std::uintptr_t range_address;
  std::size_t range_bytes;

  /// A signal handler may come in between: it never finds `ready` without the filter.
  void become(phase next) {
    barrier_for_signals();
    const bool filters = next == phase::ready && recorder->filtered != 0;
    if (filters) filter = &recorder->filter;
    barrier_for_signals();
    now = next;
    barrier_for_signals();
    if (!filters) filter = nullptr;
    barrier_for_signals();
  }
};

// The run-time is linked into executables only, never into shared objects. It is constinit.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers)
extern constinit __thread thread_state this_thread __attribute__((tls_model("local-exec")));

/// Registers the calling thread if a session wants it. True when it may record now.
bool open_thread(thread_state& thread);

/// The thread's recorder for the duration of one callback; false when nothing is to be recorded.
/// Keeps errno: a memory access or a successful call must not change it.
class recording {
 public:
  recording();
  ~recording();
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;
  explicit operator bool() const { return recorder_ != nullptr; }
  trace::thread_recorder* recorder() const { return recorder_; }
  void event(trace::event_kind kind, std::initializer_list<std::uint64_t> args,
             const char* text = nullptr, std::size_t text_bytes = 0) const;

 private:
  trace::thread_recorder* recorder_ = nullptr;
  int errno_;
};

/// What access() leaves to a call: threads that are not registered, wrong predictions, TLB misses.
void access_slowly(std::uintptr_t pc, std::uintptr_t address, std::uint32_t bytes, bool write);

#ifdef NUMATCH_LTO
/// The same for inlined code: a call that leaves the caller's registers alone.
[[clang::preserve_most]] void access_slowly_from_inlined(std::uintptr_t pc, std::uintptr_t address,
                                                         std::uint32_t bytes, bool write);
#define NUMATCH_ACCESS_SLOWLY access_slowly_from_inlined
#else
#define NUMATCH_ACCESS_SLOWLY access_slowly
#endif

/// The hot path behind every read and write entry point: trace::record_access() with its slow ways
/// behind one tail call, so that this function needs no stack. `here` becomes the pc of the access
/// where one is needed: a filtered trace has none.
template <class Place>
[[gnu::always_inline]] inline void access(Place here, const volatile void* pointer,
                                          std::uint32_t bytes, bool write) {
  thread_state& thread = this_thread;
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  std::uintptr_t pc = 0;
  if (trace::filter_tlb* const filter = thread.filter) {
    if (filter->hit(address, bytes)) [[likely]]
      return;
  } else if (thread.now == phase::ready) {
    trace::thread_recorder* const recorder = thread.recorder;
    pc = here;
    // Busy before anything is looked at: a signal handler's own accesses would change it.
    thread.now = phase::busy;
    barrier_for_signals();
    trace::site* const expected = recorder->last->next;
    const bool as_expected = expected->address == address && expected->pc == pc &&
                             expected->kind == std::uint64_t{bytes} * 2 + write;
    if (as_expected) [[likely]]
      trace::record_expected(recorder, expected);
    barrier_for_signals();
    thread.now = phase::ready;
    if (as_expected) [[likely]]
      return;
  } else if (thread.now != phase::unknown) {
    return;  // without a session a program pays for no more than this
  } else {
    pc = here;
  }
  NUMATCH_ACCESS_SLOWLY(pc, address, bytes, write);
}

/// `bytes` consecutive bytes as accesses of up to 8 aligned bytes each, the way a copy loop makes
/// them.
void access_range(trace::thread_recorder* recorder, std::uintptr_t pc, std::uintptr_t address,
                  std::size_t bytes, bool write);

/// An event of the calling thread.
void happened(trace::event_kind kind, std::initializer_list<std::uint64_t> args,
              const char* text = nullptr, std::size_t text_bytes = 0);

/// Order between threads (trace/event.hpp): a release before the real operation, an acquire after.
inline void release(std::uint64_t object) {
  happened(trace::event_kind::release, {object});
}
inline void acquire(std::uint64_t object) {
  happened(trace::event_kind::acquire, {object});
}
/// The object number of a lock or condition at an address.
inline std::uint64_t object_at(const volatile void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer) * 2;
}
inline std::uint64_t start_of_thread(std::uint32_t id) {
  return (1ULL << 63) | id;
}
inline std::uint64_t end_of_thread(std::uint32_t id) {
  return (3ULL << 62) | id;
}

/// A session is being recorded by this process.
bool recording_on();
/// Registers the calling thread as a child of `parent`; false when nothing is recorded.
bool register_thread(std::uint32_t parent);
/// The calling thread ends: what it has buffered is written, later accesses are not seen.
void retire_thread();

/// A join: the thread's number is looked up before it, for another thread may get the same
/// pthread_t right after it.
class joining {
 public:
  explicit joining(std::uint64_t thread);
  /// The thread has ended: an acquire of its end.
  void done() const;

 private:
  std::uint32_t id_ = 0;
  bool known_ = false;
};

/// The kernel's number of a pthread_t: 0 for the caller, 2^32 - 1 when it is not known.
std::uint64_t os_tid_of(std::uint64_t thread);

/// Writes a `module` event for each file mapping not reported before; once at the start and once
/// at the exit (the libraries opened in between). Also the stack of the first thread.
void report_modules(const recording& record, bool first_time);
/// Writes the stack event of a thread made by pthread_create.
void report_stack();
/// Has retire_thread() called when the calling thread ends, after its other thread data is gone.
void watch_thread_end();

}  // namespace numatch::instrumented

/// The instruction before the return address: a line-number look-up finds the access's own line.
#define NUMATCH_CALLER (reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1)
#define NUMATCH_ENTRY extern "C" [[gnu::visibility("default")]]
/// The function that the linker's --wrap=NAME (file `wraps`) puts in front of NAME.
#define NUMATCH_WRAP(result, name, ...)            \
  extern "C" result __real_##name(__VA_ARGS__);    \
  NUMATCH_ENTRY result __wrap_##name(__VA_ARGS__); \
  NUMATCH_ENTRY result __wrap_##name(__VA_ARGS__)
/// The same for a library that only a shared object of the program may use: the program is then
/// linked without it, and the dynamic linker finds NAME.
#define NUMATCH_WRAP_WEAK(result, name, ...)                  \
  extern "C" [[gnu::weak]] result __real_##name(__VA_ARGS__); \
  NUMATCH_ENTRY result __wrap_##name(__VA_ARGS__);            \
  NUMATCH_ENTRY result __wrap_##name(__VA_ARGS__)
