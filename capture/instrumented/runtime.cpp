// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The life of the run-time: joining the session, registering threads, fork, exit.
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "state.hpp"

extern "C" char** environ;

namespace numatch::instrumented {

constinit __thread thread_state this_thread{};

namespace {

enum class process : int { unknown, starting, recording, silent };

// The run-time is one per program by nature, and its entry points have no argument to carry it.
constinit std::atomic<process> process_phase{process::unknown};
constinit trace::recorder* session = nullptr;
constinit pthread_key_t thread_end_key{};
constinit std::atomic<bool> has_thread_end_key{false};
constinit std::uint32_t first_os_tid = 0;

/// How often a thread's end is put off so that other destructors of thread data are still seen.
constexpr std::uintptr_t destructor_rounds = PTHREAD_DESTRUCTOR_ITERATIONS - 1;

std::uint32_t os_tid() {
  return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

/// A program started by this one is not part of the recording.
void clear_session_variable() {
  constexpr char name[] = "NUMATCH_SESSION=";
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (strncmp(*entry, name, sizeof name - 1) == 0) (*entry)[sizeof name - 1] = '\0';
}

/// Joins the session once; without locks, because a signal handler may be the first to come here.
/// Threads that come while another one is joining are registered at a later access.
bool start_process() {
  process now = process_phase.load(std::memory_order_acquire);
  if (now != process::unknown) return now == process::recording;
  if (environ == nullptr) return false;  // before the C library is ready
  if (!process_phase.compare_exchange_strong(now, process::starting)) return false;
  const char* path = getenv("NUMATCH_SESSION");
  session = trace::join_session(path);
  if (session != nullptr) clear_session_variable();
  first_os_tid = os_tid();
  process_phase.store(session != nullptr ? process::recording : process::silent,
                      std::memory_order_release);
  return session != nullptr;
}

void forget_in_child() {
  if (process_phase.load() != process::recording) return;
  process_phase.store(process::silent);
  this_thread.become(phase::off);
  trace::forget_session(session);
}

void record_name(const recording& record) {
  char name[17] = {};
  if (prctl(PR_GET_NAME, name, 0, 0, 0) == 0)
    record.event(trace::event_kind::thread_name, {}, name, strlen(name));
}

/// Destructor of the thread's key: the last round ends the thread.
void thread_ends(void* rounds) {
  const std::uintptr_t left = reinterpret_cast<std::uintptr_t>(rounds);
  if (left > 1) {
    pthread_setspecific(thread_end_key, std::bit_cast<void*>(left - 1));
    return;
  }
  retire_thread();
}

}  // namespace

bool recording_on() {
  return process_phase.load(std::memory_order_relaxed) == process::recording || start_process();
}

bool register_thread(std::uint32_t parent) {
  thread_state& thread = this_thread;
  if (thread.now != phase::unknown) return thread.now == phase::ready;
  if (!recording_on()) {
    if (process_phase.load() == process::silent) thread.become(phase::off);
    return false;
  }
  thread.become(phase::busy);
  thread.recorder = trace::begin_thread(session, os_tid(), parent);
  const phase open = thread.mute_depth > 0 ? phase::muted : phase::ready;
  thread.become(thread.recorder == nullptr ? phase::off : open);
  return thread.now == phase::ready;
}

bool open_thread(thread_state& thread) {
  return thread.now == phase::unknown && register_thread(~std::uint32_t{0});
}

void watch_thread_end() {
  if (has_thread_end_key.load(std::memory_order_acquire))
    pthread_setspecific(thread_end_key, std::bit_cast<void*>(destructor_rounds));
}

void retire_thread() {
  thread_state& thread = this_thread;
  if (thread.now != phase::ready && thread.now != phase::muted) return;
  thread.become(phase::ready);
  {
    const recording record;
    record_name(record);
    record.event(trace::event_kind::release, {end_of_thread(trace::id_of(record.recorder()))});
  }
  thread.become(phase::off);
  trace::end_thread(thread.recorder);
}

recording::recording() : errno_(errno) {
  thread_state& thread = this_thread;
  if (thread.now != phase::ready && !open_thread(thread)) return;
  thread.become(phase::busy);
  recorder_ = thread.recorder;
}

recording::~recording() {
  errno = errno_;
  if (recorder_ == nullptr) return;
  this_thread.become(phase::ready);
}

void recording::event(trace::event_kind kind, std::initializer_list<std::uint64_t> args,
                      const char* text, std::size_t text_bytes) const {
  trace::record_event(recorder_, kind, args.begin(), static_cast<unsigned>(args.size()), text,
                      text_bytes);
}

void happened(trace::event_kind kind, std::initializer_list<std::uint64_t> args, const char* text,
              std::size_t text_bytes) {
  if (this_thread.now == phase::off) return;
  const recording record;
  if (record) record.event(kind, args, text, text_bytes);
}

void access_slowly(std::uintptr_t pc, std::uintptr_t address, std::uint32_t bytes, bool write) {
  thread_state& thread = this_thread;
  if (thread.now != phase::ready) [[unlikely]] {
    if (thread.now != phase::unknown) return;
    const recording registers_and_keeps_errno;
    if (!registers_and_keeps_errno) return;
  }
  thread.become(phase::busy);
  trace::record_access(thread.recorder, pc, address, bytes, write);
  thread.become(phase::ready);
}

void access_range(trace::thread_recorder* recorder, std::uintptr_t pc, std::uintptr_t address,
                  std::size_t bytes, bool write) {
  const std::uintptr_t end = address + bytes;
  while (address < end) {
    const std::uintptr_t next = (address | 7) + 1;
    const std::uintptr_t stop = next < end ? next : end;
    trace::record_access(recorder, pc, address, static_cast<std::uint32_t>(stop - address), write);
    address = stop;
  }
}

namespace {

/// Runs before the program's own constructors; the first thread gets number 0 here.
[[gnu::constructor(101)]] void program_starts() {
  if (!register_thread(~std::uint32_t{0})) return;
  pthread_atfork(nullptr, nullptr, forget_in_child);
  if (pthread_key_create(&thread_end_key, thread_ends) == 0) has_thread_end_key.store(true);
  const recording record;
  if (record) report_modules(record, true);
}

/// Runs after the program's own destructors. Threads that still run are cut off here; what they
/// have buffered is in the session's shared memory.
[[gnu::destructor(101)]] void program_ends() {
  if (process_phase.load() != process::recording) return;
  {
    const recording record;
    if (record) {
      record_name(record);
      report_modules(record, false);
    }
  }
  this_thread.become(phase::off);
  trace::finish(session);
}

}  // namespace
}  // namespace numatch::instrumented

/// Called by a constructor of each instrumented object file.
NUMATCH_ENTRY void __tsan_init();
NUMATCH_ENTRY void __tsan_init() {
  numatch::instrumented::recording_on();
}

/// include/numatch/annotate.h finds it by its weak name.
NUMATCH_ENTRY void numatch_annotate_v1(std::uint64_t kind, std::uint64_t a0, std::uint64_t a1,
                                       std::uint64_t a2, const char* text,
                                       std::uint64_t text_bytes);
NUMATCH_ENTRY void numatch_annotate_v1(std::uint64_t kind, std::uint64_t a0, std::uint64_t a1,
                                       std::uint64_t a2, const char* text,
                                       std::uint64_t text_bytes) {
  if (kind >= 256) return;  // questions to the QEMU plugin, not events
  numatch::instrumented::happened(static_cast<numatch::trace::event_kind>(kind), {a0, a1, a2}, text,
                                  text_bytes);
}

/// What `--frontend auto` looks for in a program, and what pulls this file out of the archive.
extern "C" [[gnu::section(".numatch_runtime"), gnu::used,
             gnu::retain]] const char numatch_runtime_marker[] = "numatch run-time 1";
