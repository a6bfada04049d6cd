// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/recorder.hpp"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <cerrno>

#include "trace/recorder/internals.hpp"
#include "trace/recorder/system.hpp"

namespace numatch::trace {

void flush_filter(thread_recorder*);

namespace {

constexpr std::size_t data_step = 32 << 10;
constexpr std::size_t alive_bytes = 4096;
static_assert(sizeof(thread_recorder) <= recorder_bytes);

bool same_magic(const session_memory* session) {
  for (unsigned i = 0; i < sizeof session_magic; ++i) {
    if (session->magic[i] != session_magic[i]) return false;
  }
  return session->version == session_version;
}

session_memory* map_session(const char* path) {
  const int descriptor = linux_call::open(path, O_RDWR);
  if (descriptor < 0) return nullptr;
  void* memory = nullptr;
  struct stat status{};
  if (linux_call::file_status(descriptor, &status) == 0 &&
      static_cast<std::uint64_t>(status.st_size) == session_bytes) {
    memory = linux_call::map(nullptr, session_header_bytes, MAP_SHARED, descriptor, 0);
  }
  linux_call::close(descriptor);
  if (memory != nullptr && !same_magic(static_cast<session_memory*>(memory))) {
    linux_call::unmap(memory, session_header_bytes);
    return nullptr;
  }
  return static_cast<session_memory*>(memory);
}

bool open_trace(recorder* r) {
  const int descriptor = linux_call::open(r->session->trace_path, O_WRONLY);
  if (descriptor < 0) return false;
  struct stat status{};
  if (linux_call::file_status(descriptor, &status) != 0) {
    linux_call::close(descriptor);
    return false;
  }
  r->trace_device = status.st_dev;
  r->trace_inode = status.st_ino;
  r->trace_descriptor = linux_call::move_up(descriptor);
  return true;
}

/// Touching a page of a full tmpfs would kill the program: ask first. A file system that cannot
/// reserve is trusted.
bool reserve(const recorder* r, std::uint64_t offset, std::size_t bytes) {
  const int descriptor = linux_call::open(r->session_path, O_RDWR);
  if (descriptor < 0) return false;
  const long outcome = linux_call::reserve(descriptor, offset, bytes);
  linux_call::close(descriptor);
  return outcome == 0 || outcome == -EOPNOTSUPP || outcome == -ENOSYS;
}

thread_recorder* map_slot(const recorder* r, std::uint32_t slot) {
  const std::uint64_t offset = slot_offset(slot);
  if (!reserve(r, offset, tlb_at + filter_bytes(*r->session))) return nullptr;
  if (!reserve(r, offset + data_at, data_step)) return nullptr;
  const int descriptor = linux_call::open(r->session_path, O_RDWR);
  if (descriptor < 0) return nullptr;
  void* const memory = linux_call::map(nullptr, slot_bytes, MAP_SHARED, descriptor, offset);
  linux_call::close(descriptor);
  if (memory == nullptr) return nullptr;
  thread_recorder* const t = static_cast<thread_recorder*>(memory);
  t->tables = static_cast<site_tables*>(linux_call::map_private(sizeof(site_tables)));
  t->data_limit = data_step;
  if (t->tables != nullptr) return t;
  linux_call::unmap(memory, slot_bytes);
  return nullptr;
}

thread_recorder* take_slot(recorder* r) {
  for (std::uint32_t slot = 0; slot < max_live_threads; ++slot) {
    std::atomic<std::uint32_t>& taken = r->session->slot_taken[slot];
    std::uint32_t free_one = 0;
    if (taken.load(std::memory_order_relaxed) != 0 || !taken.compare_exchange_strong(free_one, 1)) {
      continue;
    }
    if (r->slots[slot] == nullptr) r->slots[slot] = map_slot(r, slot);
    if (r->slots[slot] == nullptr) {
      taken = 0;
      stop_recording(r->session, session_problem::shared_memory, ENOSPC);
      return nullptr;
    }
    r->slots[slot]->slot = slot;
    return r->slots[slot];
  }
  stop_recording(r->session, session_problem::too_many_threads, EAGAIN);
  return nullptr;
}

void set_up_filter(thread_recorder* t, const session_memory* session, std::uint8_t* memory) {
  t->filtered = session->filter_entries != 0 ? 1 : 0;
  if (t->filtered == 0) return;
  t->filter = filter_in(memory + tlb_at, *session);
  t->filter.flush();
}

void set_up_thread(thread_recorder* t, recorder* r, std::uint32_t id) {
  std::uint8_t* const memory = reinterpret_cast<std::uint8_t*>(t);
  t->state = thread_state::none;
  commit(t->data, 0);
  commit(t->events, 0);
  t->extra_lookups = 0;
  t->instructions = 0;
  t->pause = site{~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, &t->nothing, 0};
  t->nothing = site{~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, &t->nothing, 0};
  t->data_bytes = memory + data_at;
  t->event_bytes = memory + events_at;
  t->position = 0;
  t->busy = 0;
  t->owner = r;
  t->stopped = 0;
  set_up_filter(t, r->session, memory);
  reset_encoder(t);
  t->id = id;
  std::atomic_thread_fence(std::memory_order_release);
  t->state = thread_state::live;
}

}  // namespace

void stop_recording(session_memory* session, session_problem problem, int error_number) {
  std::uint32_t none = 0;
  if (session->problem.compare_exchange_strong(none, static_cast<std::uint32_t>(problem))) {
    session->problem_errno = error_number;
  }
  session->stopped = 1;
}

void silence(thread_recorder* t) {
  pause_block(t);
  t->stopped = 1;
}

bool grow_data(thread_recorder* t) {
  if (t->data_limit == data_capacity) return false;
  if (!reserve(t->owner, slot_offset(t->slot) + data_at + t->data_limit, data_step)) return false;
  t->data_limit += data_step;
  return true;
}

recorder* join_session(const char* session_path) {
  if (session_path == nullptr || session_path[0] == '\0') return nullptr;
  session_memory* const session = map_session(session_path);
  if (session == nullptr) return nullptr;
  recorder* const r = static_cast<recorder*>(linux_call::map_private(sizeof(recorder)));
  void* const alive = linux_call::map_private(alive_bytes);
  std::uint32_t nobody = 0;
  if (r == nullptr || alive == nullptr || !session->joined.compare_exchange_strong(nobody, 1)) {
    return nullptr;
  }
  linux_call::wipe_on_fork(alive, alive_bytes);
  *static_cast<std::uint32_t*>(alive) = 1;
  r->alive = static_cast<const std::uint32_t*>(alive);
  r->session = session;
  r->workspace_bytes = ZSTD_estimateCCtxSize(compression_level);
  for (unsigned i = 0; i + 1 < sizeof r->session_path && session_path[i] != '\0'; ++i) {
    r->session_path[i] = session_path[i];
  }
  if (!open_trace(r)) {
    stop_recording(session, session_problem::trace_write, EACCES);
    return nullptr;
  }
  return r;
}

bool is_filtered(const recorder* r) {
  return r->session->filter_entries != 0;
}

std::uint32_t reserve_thread(recorder* r) {
  return r->session->next_thread.fetch_add(1);
}

thread_recorder* begin_thread(recorder* r, std::uint32_t os_tid, std::uint32_t parent) {
  if (!is_ours(r) || has_stopped(r->session)) return nullptr;
  return begin_thread(r, os_tid, parent, reserve_thread(r));
}

thread_recorder* begin_thread(recorder* r, std::uint32_t os_tid, std::uint32_t parent,
                              std::uint32_t reserved_id) {
  if (!is_ours(r) || has_stopped(r->session)) return nullptr;
  thread_recorder* const t = take_slot(r);
  if (t == nullptr) return nullptr;
  set_up_thread(t, r, reserved_id);
  const std::uint64_t args[] = {os_tid, parent == ~std::uint32_t{0} ? ~std::uint64_t{0} : parent};
  record_event(t, event_kind::thread_start, args, 2);
  return t;
}

void end_thread(thread_recorder* t) {
  recorder* const r = t->owner;
  if (t->stopped != 0 || !is_ours(r) || has_stopped(r->session)) return;
  if (t->filtered != 0) flush_filter(t);
  record_event(t, event_kind::thread_end, nullptr, 0);
  t->state = thread_state::ended;
  if (!flush_data(t) || !flush_events(t)) return;
  silence(t);
  r->session->slot_taken[t->slot].store(0, std::memory_order_release);
}

void finish(recorder* r) {
  if (is_ours(r)) r->session->stopped = 1;
}

void forget_session(recorder* r) {
  constexpr int private_here = MAP_PRIVATE | MAP_FIXED;
  for (thread_recorder* t : r->slots) {
    if (t == nullptr) continue;
    linux_call::map(t, slot_bytes, private_here | MAP_NORESERVE, -1, 0);
    t->pause.next = &t->nothing;
    t->nothing = site{~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, &t->nothing, 0};
    t->last = &t->pause;
    t->owner = r;
    t->stopped = 1;
  }
  linux_call::map(r->session, session_header_bytes, private_here, -1, 0);
  r->session->stopped = 1;
}

void leave_session(recorder* r) {
  finish(r);
  for (thread_recorder* t : r->slots) {
    if (t == nullptr) continue;
    linux_call::unmap(t->tables, sizeof(site_tables));
    linux_call::unmap(t, slot_bytes);
  }
  for (compressor& c : r->compressors) {
    if (c.workspace != nullptr) linux_call::unmap(c.workspace, r->workspace_bytes);
    if (c.output != nullptr) linux_call::unmap(c.output, output_bytes);
  }
  linux_call::close(r->trace_descriptor);
  linux_call::unmap(r->session, session_header_bytes);
  linux_call::unmap(const_cast<std::uint32_t*>(r->alive), alive_bytes);
  linux_call::unmap(r, sizeof(recorder));
}

std::uint32_t id_of(const thread_recorder* t) {
  return t->id;
}

void record_event(thread_recorder* t, event_kind kind, const std::uint64_t* args,
                  unsigned arg_count, const char* text, std::size_t text_bytes) {
  constexpr std::size_t most_text = 4096;
  if (t->stopped != 0 || t->busy != 0) return;
  if (!is_ours(t->owner) || has_stopped(t->owner->session)) return silence(t);
  if (arg_count > max_event_args) arg_count = max_event_args;
  if (text_bytes > most_text) text_bytes = most_text;
  t->busy = 1;
  const std::size_t size = (sizeof(event_header) + 8 * arg_count + text_bytes + 7) / 8 * 8;
  if (bytes_of(t->events.progress) + size <= event_capacity || flush_events(t)) {
    pause_block(t);
    const std::uint64_t progress = t->events.progress;
    std::uint8_t* to = t->event_bytes + bytes_of(progress);
    event_header header{};
    header.bytes = static_cast<std::uint32_t>(size);
    header.kind = static_cast<std::uint16_t>(kind);
    header.args = static_cast<std::uint8_t>(arg_count);
    header.position = position_of(t);
    header.stamp = take_stamp(t->owner->session);
    header.text_bytes = static_cast<std::uint32_t>(text_bytes);
    __builtin_memcpy(to, &header, sizeof header);
    copy_bytes(to + sizeof header, args, 8 * arg_count);
    copy_bytes(to + sizeof header + 8 * arg_count, text, text_bytes);
    for (std::size_t i = sizeof header + 8 * arg_count + text_bytes; i < size; ++i) to[i] = 0;
    if (progress == 0) {
      t->events.first_stamp = header.stamp;
      t->events.first_position = header.position;
    }
    commit(t->events, progress_of(bytes_of(progress) + size, records_of(progress) + 1));
  }
  t->busy = 0;
}

}  // namespace numatch::trace
