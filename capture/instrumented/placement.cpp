// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The program's own wishes: on which CPUs a thread runs, on which nodes memory lies, thread names.
// Only calls that succeeded are reported; a call inside a shared library (libnuma's numa_alloc_*)
// is not seen here.
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cstring>

#include "state.hpp"

using namespace numatch::instrumented;
using numatch::trace::event_kind;

namespace {

void affinity_set(std::uint64_t os_tid, std::size_t bytes, const void* mask) {
  std::uint64_t words[4] = {};
  memcpy(words, mask, bytes < sizeof words ? bytes : sizeof words);
  happened(event_kind::affinity, {os_tid, words[0], words[1], words[2], words[3]});
}

}  // namespace

NUMATCH_WRAP(int, sched_setaffinity, pid_t thread, std::size_t bytes, const cpu_set_t* mask) {
  const int outcome = __real_sched_setaffinity(thread, bytes, mask);
  if (outcome == 0) affinity_set(static_cast<std::uint64_t>(thread), bytes, mask);
  return outcome;
}
NUMATCH_WRAP(int, pthread_setaffinity_np, pthread_t thread, std::size_t bytes,
             const cpu_set_t* mask) {
  const int outcome = __real_pthread_setaffinity_np(thread, bytes, mask);
  if (outcome == 0) affinity_set(os_tid_of(thread), bytes, mask);
  return outcome;
}

NUMATCH_WRAP(int, pthread_setname_np, pthread_t thread, const char* name) {
  const int outcome = __real_pthread_setname_np(thread, name);
  // The name of another thread is reported by that thread when it ends.
  if (outcome == 0 && pthread_equal(thread, pthread_self()))
    happened(event_kind::thread_name, {}, name, strlen(name));
  return outcome;
}

namespace {

std::uint64_t first_word(const unsigned long* nodes) {
  return nodes == nullptr ? 0 : *nodes;
}

void bound(const void* where, std::uint64_t bytes, int mode, const unsigned long* nodes,
           unsigned flags) {
  happened(event_kind::bind_memory, {reinterpret_cast<std::uint64_t>(where), bytes,
                                     static_cast<std::uint64_t>(mode), first_word(nodes), flags});
}
void policy_set(int mode, const unsigned long* nodes) {
  happened(event_kind::memory_policy, {static_cast<std::uint64_t>(mode), first_word(nodes)});
}
void pages_moved(unsigned long count, void** pages, const int* nodes, int flags) {
  if (nodes == nullptr || count == 0) return;  // only asks where the pages are
  happened(event_kind::move_pages,
           {count, reinterpret_cast<std::uint64_t>(pages[0]), static_cast<std::uint64_t>(nodes[0]),
            static_cast<std::uint64_t>(flags)});
}

}  // namespace

// The system calls themselves, not libnuma's functions of the same name: a program may define
// these to do without libnuma.
extern "C" {
[[gnu::weak]] long __real_mbind(void*, unsigned long, int, const unsigned long*, unsigned long,
                                unsigned);
[[gnu::weak]] long __real_set_mempolicy(int, const unsigned long*, unsigned long);
[[gnu::weak]] long __real_move_pages(int, unsigned long, void**, const int*, int*, int);
}

NUMATCH_ENTRY long __wrap_mbind(void* where, unsigned long bytes, int mode,
                                const unsigned long* nodes, unsigned long node_bits,
                                unsigned flags);
NUMATCH_ENTRY long __wrap_mbind(void* where, unsigned long bytes, int mode,
                                const unsigned long* nodes, unsigned long node_bits,
                                unsigned flags) {
  const long outcome = __real_mbind(where, bytes, mode, nodes, node_bits, flags);
  if (outcome == 0) bound(where, bytes, mode, nodes, flags);
  return outcome;
}
NUMATCH_ENTRY long __wrap_set_mempolicy(int mode, const unsigned long* nodes,
                                        unsigned long node_bits);
NUMATCH_ENTRY long __wrap_set_mempolicy(int mode, const unsigned long* nodes,
                                        unsigned long node_bits) {
  const long outcome = __real_set_mempolicy(mode, nodes, node_bits);
  if (outcome == 0) policy_set(mode, nodes);
  return outcome;
}
NUMATCH_ENTRY long __wrap_move_pages(int process, unsigned long count, void** pages,
                                     const int* nodes, int* status, int flags);
NUMATCH_ENTRY long __wrap_move_pages(int process, unsigned long count, void** pages,
                                     const int* nodes, int* status, int flags) {
  const long outcome = __real_move_pages(process, count, pages, nodes, status, flags);
  if (outcome >= 0) pages_moved(count, pages, nodes, flags);
  return outcome;
}

/// A program without libnuma makes these calls by number.
extern "C" long __real_syscall(long call, ...);
NUMATCH_ENTRY long __wrap_syscall(long call, long a, long b, long c, long d, long e, long f);
NUMATCH_ENTRY long __wrap_syscall(long call, long a, long b, long c, long d, long e, long f) {
  const long outcome = __real_syscall(call, a, b, c, d, e, f);
  if (outcome < 0) return outcome;
  if (call == SYS_mbind)
    bound(std::bit_cast<const void*>(a), static_cast<std::uint64_t>(b), static_cast<int>(c),
          std::bit_cast<const unsigned long*>(d), static_cast<unsigned>(f));
  else if (call == SYS_set_mempolicy)
    policy_set(static_cast<int>(a), std::bit_cast<const unsigned long*>(b));
  else if (call == SYS_move_pages)
    pages_moved(static_cast<unsigned long>(b), std::bit_cast<void**>(c),
                std::bit_cast<const int*>(d), static_cast<int>(f));
  else if (call == SYS_sched_setaffinity)
    affinity_set(static_cast<std::uint64_t>(a), static_cast<std::size_t>(b),
                 std::bit_cast<const void*>(c));
  return outcome;
}
