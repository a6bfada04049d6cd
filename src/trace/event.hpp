// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>

// Freestanding: included by run-times that live inside the observed program.

namespace numatch::trace {

/// What an event record says besides accesses. The numbers are part of the file format: never reuse
/// one. args[] are listed behind each name; `text` is an optional string.
enum class event_kind : std::uint16_t {
  // Threads. The record belongs to the thread named first.
  thread_start = 1,  ///< os tid, parent thread (or ~0)
  thread_end = 2,    ///< –
  thread_name = 3,   ///< – , text

  // Order. Every release that precedes an acquire of the same object in stamp order happens before
  // it; a replay keeps exactly these edges and no other accident of the recording.
  release = 16,  ///< object
  acquire = 17,  ///< object

  // Memory, as the program asked for it (results included).
  map = 32,       ///< address, bytes, protection, flags, fd offset; text = path for a file mapping
  unmap = 33,     ///< address, bytes
  remap = 34,     ///< old address, old bytes, new address, new bytes
  heap_end = 35,  ///< new program break
  protect = 36,   ///< address, bytes, protection
  advise = 37,    ///< address, bytes, advice
  module = 38,    ///< address, bytes, file offset, protection; text = path
  stack = 39,     ///< lowest address, bytes
  allocate = 40,  ///< address, bytes, call site (return address)
  free = 41,      ///< address

  // Placement, as the program asked for it.
  bind_memory = 48,    ///< address, bytes, mode, node mask (first 64 nodes), flags
  memory_policy = 49,  ///< mode, node mask
  move_pages = 50,     ///< count, first address, first node, flags
  affinity = 51,       ///< os tid (0 = caller), cpu mask words 0..3

  // Annotations (include/numatch/annotate.h).
  region_begin = 64,  ///< – , text = name
  region_end = 65,    ///< – , text = name
  roi_begin = 66,     ///< –
  roi_end = 67,       ///< –
  label = 68,         ///< address, bytes, text = name
  place = 69,         ///< address, bytes, node (all ones: the caller's): data a library placed
  run_on = 70,        ///< node: the calling thread's intended node
};

inline constexpr unsigned max_event_args = 5;

/// Position and stamp: `position` accesses of its thread come before the event; `stamp` is a number
/// from one counter of the whole program, so stamps give a total order of all events.
struct event_header {
  std::uint32_t bytes;  ///< of the record: header, args, text, padded to 8
  std::uint16_t kind;
  std::uint8_t args;
  std::uint8_t reserved;
  std::uint64_t position;
  std::uint64_t stamp;
  std::uint32_t text_bytes;
  std::uint32_t reserved2;
};
static_assert(sizeof(event_header) == 32);

}  // namespace numatch::trace
