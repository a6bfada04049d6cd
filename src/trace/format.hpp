// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>

// The bytes of a .nmt file; docs/trace-format.md is the specification. Little-endian, freestanding.

namespace numatch::trace {

inline constexpr char file_magic[8] = {'N', 'U', 'M', 'A', 'T', 'R', 'C', '\n'};
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint32_t chunk_magic = 0x43544d4e;  // "NMTC"
inline constexpr char end_magic[8] = {'N', 'U', 'M', 'A', 'E', 'N', 'D', '\n'};

/// First bytes of a file; fixed size for ever.
struct file_header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;
};
static_assert(sizeof(file_header) == 16);

enum class chunk_kind : std::uint16_t {
  metadata = 1,  ///< JSON: command, front-end, filter, time unit, host facts
  accesses = 2,  ///< encoder.hpp, one thread
  events = 3,    ///< event.hpp, one thread
  tlb = 4,       ///< tlb_record[], one thread; only in traces recorded with a TLB filter
  index = 5,     ///< index_entry[], last chunk
};

/// Every chunk can be checked, skipped and decoded without any other. `crc` is CRC-32 (zlib's) of
/// the header with crc = 0 followed by the stored bytes.
struct chunk_header {
  std::uint32_t magic;
  std::uint16_t kind;
  std::uint16_t compression;  ///< 0: none, 1: zstd
  std::uint32_t thread;
  std::uint32_t crc;
  std::uint64_t stored_bytes;
  std::uint64_t raw_bytes;
  std::uint64_t first_position;  ///< accesses of this thread before the chunk
  std::uint64_t records;
  std::uint64_t first_stamp;
  std::uint64_t instructions;  ///< retired by this thread in this chunk; 0 when not counted
};
static_assert(sizeof(chunk_header) == 64);

struct index_entry {
  std::uint64_t offset;  ///< of the chunk header
  chunk_header header;
};
static_assert(sizeof(index_entry) == 72);

/// Last bytes of a whole file.
struct file_trailer {
  std::uint64_t index_offset;
  std::uint64_t file_bytes;
  std::uint32_t crc;  ///< of the 16 bytes above
  std::uint32_t reserved;
  char magic[8];
};
static_assert(sizeof(file_trailer) == 32);

/// A TLB-filtered trace: what left the private TLB of a thread.
struct tlb_record {
  std::uint64_t position;     ///< accesses of this thread before the one that missed
  std::uint64_t missed_page;  ///< page number, or ~0 for a pure eviction (flush at the end)
  std::uint64_t
      evicted_page;  ///< page number, or ~0 when a free way was filled or a counter saturated
  std::uint64_t evicted_accesses;
};

/// One decoded access.
struct access {
  std::uint64_t address;
  std::uint64_t pc;
  std::uint32_t bytes;
  bool write;
  friend bool operator==(const access&, const access&) = default;
};

}  // namespace numatch::trace
