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

/// One per program. Thread safe.
struct recorder;

/// One per thread: its encoder, optional TLB filter and event buffer. Not thread safe: only the
/// thread itself may use it, or somebody who knows that the thread does not run.
struct thread_recorder;

/// Joins the session of the environment variable NUMATCH_SESSION or of a plugin argument. Null when
/// `session_path` is null or empty or cannot be joined: then nothing is recorded. One program joins
/// a session, the first that tries; an image that replaces it by exec is not recorded.
recorder* join_session(const char* session_path);

/// True when the session wants TLB records only.
bool is_filtered(const recorder*);

/// Allots the next thread id for begin_thread(): lets ids follow the order of creation where a
/// thread is created by one thread and begins to record in another.
std::uint32_t reserve_thread(recorder*);

/// Allots the next thread id and records thread_start. `parent` is ~0 when unknown. Null when
/// recording has stopped or cannot go on.
thread_recorder* begin_thread(recorder*, std::uint32_t os_tid, std::uint32_t parent);
/// The same with an id from reserve_thread().
thread_recorder* begin_thread(recorder*, std::uint32_t os_tid, std::uint32_t parent,
                              std::uint32_t reserved_id);
/// Records thread_end and writes what is buffered; the pointer is dead afterwards.
void end_thread(thread_recorder*);
/// At exit: recording ends. What threads still hold stays in the shared memory, where numatch finds
/// it. Idempotent. A thread that still runs goes on to the end of its block of accesses at most.
void finish(recorder*);

/// In a forked child, as early as possible (pthread_atfork): the child shares the parent's buffers
/// and must let go of them. Afterwards calls on the inherited thread_recorders do nothing. A vfork
/// child does not need it.
void forget_session(recorder*);

/// For a process that records into a session of its own and lives on: gives back everything that
/// join_session() and begin_thread() took. No thread may use the recorder any more.
void leave_session(recorder*);

std::uint32_t id_of(const thread_recorder*);

/// Records an event; args and text are copied (text up to 4096 bytes). Takes a stamp.
void record_event(thread_recorder*, event_kind kind, const std::uint64_t* args, unsigned arg_count,
                  const char* text = nullptr, std::size_t text_bytes = 0);

}  // namespace numatch::trace

// The inlined hot path: record_access(thread_recorder*, pc, address, bytes, write) and
// record_instructions(thread_recorder*, n) are defined in trace/encoder.hpp.
