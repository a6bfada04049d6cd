// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "system_calls.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "guest_memory.hpp"
#include "numatch/annotate.h"

namespace numatch::qemu {

namespace {

using trace::event_kind;

template <class... Args>
void event(guest_thread& thread, event_kind kind, Args... args) {
  const std::uint64_t values[] = {static_cast<std::uint64_t>(args)..., 0};
  trace::record_event(thread.recorder, kind, values, sizeof...(Args));
}

constexpr std::uint64_t entries_of(std::uint64_t futex) {
  return futex * 2;
}
constexpr std::uint64_t wakes_of(std::uint64_t futex) {
  return futex * 2 + 1;
}

int futex_operation(const guest_thread& thread) {
  return static_cast<int>(thread.args[1]) & FUTEX_CMD_MASK;
}

/// The first 64 nodes of a node mask of `bits` - 1 bits (the kernel's own off-by-one).
std::uint64_t node_mask(std::uint64_t address, std::uint64_t bits) {
  std::uint64_t mask = 0;
  if (address == 0 || !read_guest_value(address, mask)) return 0;
  return bits > 64 ? mask : bits == 0 ? 0 : mask & ((std::uint64_t{1} << (bits - 1)) - 1);
}

void record_affinity(guest_thread& thread) {
  std::uint64_t mask[4] = {};
  const std::uint64_t bytes = thread.args[1] < sizeof mask ? thread.args[1] : sizeof mask;
  if (read_guest(thread.args[2], mask, bytes) != bytes) return;
  event(thread, event_kind::affinity, thread.args[0], mask[0], mask[1], mask[2], mask[3]);
}

void record_name(guest_thread& thread, std::uint64_t address) {
  char name[16];
  const std::size_t length = read_guest_string(address, name, sizeof name);
  trace::record_event(thread.recorder, event_kind::thread_name, nullptr, 0, name, length);
}

/// Once the program is replaced, QEMU and this plugin are gone with it.
void warn_of_exec(std::uint64_t path_address) {
  char path[4096];
  read_guest_string(path_address, path, sizeof path);
  if (access(path, X_OK) != 0) return;
  constexpr char before[] = "numatch: the program replaces itself by ";
  constexpr char after[] = ", which is not recorded; to record it, trace it directly\n";
  char line[sizeof before + sizeof path + sizeof after];
  std::size_t length = 0;
  const char* const parts[] = {before, path, after};
  for (const char* part : parts) {
    const std::size_t bytes = strlen(part);
    memcpy(line + length, part, bytes);
    length += bytes;
  }
  if (write(STDERR_FILENO, line, length) < 0) return;
}

}  // namespace

void system_calls::enter(guest_thread& thread, std::int64_t number,
                         const std::uint64_t (&args)[6]) {
  memcpy(thread.args, args, sizeof args);
  if (thread.modules_changed && number != SYS_mmap) {
    // The dynamic linker has mapped all segments of a library by now.
    thread.modules_changed = false;
    threads_.report_modules(thread);
  }
  switch (number) {
    case SYS_futex:
      return enter_futex(thread);
    case SYS_clone:
    case SYS_clone3:
      return enter_clone(thread, number);
    case SYS_set_tid_address:
      thread.cleared_at_end = args[0];
      return;
    case SYS_exit:
      // QEMU itself zeroes the tid and wakes the joiner; no system call of the program shows it.
      event(thread, event_kind::release, end_of(thread.id));
      if (thread.cleared_at_end != 0) release_all_wakes(thread, thread.cleared_at_end);
      return;
    case SYS_exit_group:
      return threads_.report_modules(thread);
    case SYS_execve:
      return warn_of_exec(args[0]);
    case SYS_munmap:
      threads_.remove_stack(args[0], args[1]);
      return event(thread, event_kind::unmap, args[0], args[1]);
    case SYS_mbind:
      return event(thread, event_kind::bind_memory, args[0], args[1], args[2],
                   node_mask(args[3], args[4]), args[5]);
    case SYS_set_mempolicy:
      return event(thread, event_kind::memory_policy, args[0], node_mask(args[1], args[2]));
    case SYS_move_pages:
      return move_pages(thread);
    case SYS_sched_setaffinity:
      return record_affinity(thread);
    case SYS_prctl:
      return enter_prctl(thread);
    default:
      return;
  }
}

void system_calls::leave(guest_thread& thread, std::int64_t number, std::int64_t value) {
  const std::uint64_t(&args)[6] = thread.args;
  const bool failed = value < 0 && value > -4096;
  switch (number) {
    case SYS_futex:
      return leave_futex(thread, value);
    case SYS_clone:
    case SYS_clone3:
      return threads_.end_clone(thread, value);
    case SYS_mmap:
      if (!failed) leave_mmap(thread, static_cast<std::uint64_t>(value));
      return;
    case SYS_mremap:
      if (!failed) event(thread, event_kind::remap, args[0], args[1], value, args[2]);
      return;
    case SYS_brk:
      if (thread.program_break == static_cast<std::uint64_t>(value)) return;
      thread.program_break = static_cast<std::uint64_t>(value);
      return event(thread, event_kind::heap_end, value);
    case SYS_mprotect:
      if (!failed) event(thread, event_kind::protect, args[0], args[1], args[2]);
      return;
    case SYS_madvise:
      if (!failed) event(thread, event_kind::advise, args[0], args[1], args[2]);
      return;
    default:
      return;
  }
}

void system_calls::release_all_wakes(guest_thread& thread, std::uint64_t futex) {
  event(thread, event_kind::acquire, entries_of(futex));
  event(thread, event_kind::release, wakes_of(futex));
  pthread_mutex_lock(&lock_);
  for (const requeued& moved : requeued_) {
    if (moved.to == futex) event(thread, event_kind::release, wakes_of(moved.from));
  }
  pthread_mutex_unlock(&lock_);
}

void system_calls::enter_futex(guest_thread& thread) {
  const std::uint64_t first = thread.args[0];
  const std::uint64_t second = thread.args[4];
  switch (futex_operation(thread)) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
      return event(thread, event_kind::release, entries_of(first));
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_UNLOCK_PI:
      return release_all_wakes(thread, first);
    case FUTEX_WAKE_OP:
      release_all_wakes(thread, first);
      return release_all_wakes(thread, second);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_CMP_REQUEUE_PI: {
      release_all_wakes(thread, first);
      event(thread, event_kind::release, entries_of(second));
      pthread_mutex_lock(&lock_);
      if (requeued_.find([=](const requeued& r) { return r.from == first && r.to == second; }) ==
          nullptr) {
        requeued_.add({first, second});
      }
      pthread_mutex_unlock(&lock_);
      return;
    }
    default:
      return;
  }
}

void system_calls::leave_futex(guest_thread& thread, std::int64_t value) {
  // EAGAIN: the value had changed already, so the waker has done its work before.
  const bool passed = value >= 0 || value == -EAGAIN;
  switch (futex_operation(thread)) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      if (passed) event(thread, event_kind::acquire, wakes_of(thread.args[0]));
      return;
    case FUTEX_WAIT_REQUEUE_PI:
      if (!passed) return;
      event(thread, event_kind::acquire, wakes_of(thread.args[0]));
      return event(thread, event_kind::acquire, wakes_of(thread.args[4]));
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_TRYLOCK_PI:
      if (value >= 0) event(thread, event_kind::acquire, wakes_of(thread.args[0]));
      return;
    default:
      return;
  }
}

void system_calls::enter_clone(guest_thread& thread, std::int64_t number) {
  clone_request request{thread.args[0], thread.args[2], thread.args[3], thread.args[4]};
  if (number == SYS_clone3) {
    std::uint64_t asked[8] = {};  // struct clone_args up to tls
    if (thread.args[1] < sizeof asked || read_guest(thread.args[0], asked, sizeof asked) == 0) {
      return;
    }
    request = {asked[0], asked[3], asked[2], asked[7]};
  }
  // Anything else is a new process, which is not recorded.
  if ((request.flags & CLONE_THREAD) != 0) threads_.begin_clone(thread, request);
}

void system_calls::leave_mmap(guest_thread& thread, std::uint64_t address) {
  const std::uint64_t bytes = thread.args[1];
  const std::uint64_t protection = thread.args[2];
  const std::uint64_t flags = thread.args[3];
  const std::uint64_t values[] = {address, bytes, protection, flags, thread.args[5]};
  char path[4096];
  std::size_t path_bytes = 0;
  if ((flags & MAP_ANONYMOUS) == 0) {
    char link[32] = "/proc/self/fd/";
    std::size_t at = strlen(link);
    char digits[12];
    std::size_t count = 0;
    for (std::uint32_t fd = static_cast<std::uint32_t>(thread.args[4]); count == 0 || fd != 0;
         fd /= 10) {
      digits[count++] = static_cast<char>('0' + fd % 10);
    }
    while (count > 0) link[at++] = digits[--count];
    const ssize_t length = readlink(link, path, sizeof path);
    if (length > 0) path_bytes = static_cast<std::size_t>(length);
    if ((protection & PROT_EXEC) != 0) thread.modules_changed = true;
  } else if ((flags & MAP_STACK) != 0) {
    threads_.add_stack(address, bytes);
  }
  trace::record_event(thread.recorder, event_kind::map, values, 5, path, path_bytes);
}

void system_calls::move_pages(guest_thread& thread) {
  constexpr std::size_t batch = 256;
  const std::uint64_t count = thread.args[1];
  const std::uint64_t pages_at = thread.args[2];
  const std::uint64_t nodes_at = thread.args[3];
  const std::uint64_t flags = thread.args[5];
  if (nodes_at == 0) return;  // only asks where the pages are
  std::uint64_t pages[batch];
  std::int32_t nodes[batch];
  // One event for each run of neighbouring pages that go to the same node.
  std::uint64_t first = 0;
  std::uint64_t run = 0;
  std::int32_t node = 0;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t left = count - done;
    const std::size_t now = left < batch ? left : batch;
    if (read_guest(pages_at + done * 8, pages, now * 8) != now * 8 ||
        read_guest(nodes_at + done * 4, nodes, now * 4) != now * 4) {
      break;
    }
    for (std::size_t i = 0; i < now; ++i) {
      if (run != 0 && nodes[i] == node && pages[i] == first + run * 4096) {
        ++run;
        continue;
      }
      if (run != 0) event(thread, event_kind::move_pages, run, first, node, flags);
      first = pages[i];
      node = nodes[i];
      run = 1;
    }
    done += now;
  }
  if (run != 0) event(thread, event_kind::move_pages, run, first, node, flags);
}

void system_calls::enter_prctl(guest_thread& thread) {
  if (thread.args[0] == PR_SET_NAME) record_name(thread, thread.args[1]);
  if (thread.args[0] == NUMATCH_PRCTL) annotate(thread, thread.args[1]);
}

void system_calls::annotate(guest_thread& thread, std::uint64_t record_address) {
  numatch_annotation said;
  if (!read_guest_value(record_address, said)) return;
  char text[4096];
  std::size_t text_bytes = said.text_bytes < sizeof text ? said.text_bytes : sizeof text;
  if (said.text == 0 || text_bytes == 0) {
    text_bytes = 0;
  } else {
    text_bytes = read_guest(said.text, text, text_bytes);
  }
  unsigned args = 0;
  switch (said.kind) {
    case NUMATCH_KIND_HELLO: {
      const std::uint64_t heard = 1;
      write_guest(said.a0, &heard, sizeof heard);
      return;
    }
    case NUMATCH_KIND_JOINED: {
      const std::uint32_t ended = threads_.thread_of_handle(said.a0);
      if (ended != unknown_thread) event(thread, event_kind::acquire, end_of(ended));
      return;
    }
    case NUMATCH_KIND_ALLOCATE:
    case NUMATCH_KIND_PLACE:
      args = 3;
      break;
    case NUMATCH_KIND_LABEL:
      args = 2;
      break;
    case NUMATCH_KIND_FREE:
    case NUMATCH_KIND_RUN_ON:
      args = 1;
      break;
    case NUMATCH_KIND_REGION_BEGIN:
    case NUMATCH_KIND_REGION_END:
    case NUMATCH_KIND_ROI_BEGIN:
    case NUMATCH_KIND_ROI_END:
      break;
    default:
      return;  // a newer annotate.h
  }
  const std::uint64_t values[] = {said.a0, said.a1, said.a2};
  trace::record_event(thread.recorder, static_cast<event_kind>(said.kind), values, args, text,
                      text_bytes);
}

}  // namespace numatch::qemu
