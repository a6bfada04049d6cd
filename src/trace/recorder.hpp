// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/event.hpp"
#include "trace/format.hpp"

// The recording side, inside the observed program (QEMU plugin, instrumentation run-time).
// Freestanding C++: no exceptions, no RTTI, no libstdc++, no malloc; memory comes from mmap, bytes
// go to the trace file of the session with pwrite. A thread's open buffers live in the session's
// shared memory, so that numatch can save them when the program is killed.

namespace numatch::trace {

/// A shared-memory session as made by trace/session.hpp (the numatch process).
struct session_memory;

/// One per program. Thread safe.
class recorder;

/// One per thread: its encoder, optional TLB filter and event buffer. Not thread safe.
class thread_recorder;

/// Null when `session_path` is null or empty, or the session cannot be joined (then nothing is
/// recorded).
recorder* join_session(const char* session_path);

/// Allots the next thread id. `parent` is ~0 when unknown. Null when recording has stopped.
thread_recorder* begin_thread(recorder*, std::uint32_t os_tid, std::uint32_t parent);
/// Writes what is buffered and a thread_end event; the pointer is dead afterwards.
void end_thread(thread_recorder*);
/// At exit: ends every live thread. Idempotent; later calls on any thread_recorder are ignored.
void finish(recorder*);

std::uint32_t id_of(const thread_recorder*);

/// Records an event; args and text are copied. Takes a stamp.
void record_event(thread_recorder*, event_kind kind, const std::uint64_t* args, unsigned arg_count,
                  const char* text = nullptr, std::size_t text_bytes = 0);

}  // namespace numatch::trace

// The inlined hot path: record_access(thread_recorder*, pc, address, bytes, write) and
// record_instructions(thread_recorder*, n) are defined in trace/encoder.hpp.
