// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/format.hpp"

// Whole chunks in files, for the numatch process.

namespace numatch::trace {

using byte_buffer = std::vector<std::uint8_t>;

/// No chunk may be larger when it is unpacked: keeps a damaged size from asking for all memory.
inline constexpr std::uint64_t max_raw_bytes = std::uint64_t{1} << 32;

/// "FILE, chunk at offset N", the way in which every error names its place.
std::string chunk_place(const std::filesystem::path& file, std::uint64_t offset);

/// Fills magic, compression, crc and sizes, and appends header and body to `out`.
void append_chunk(std::string& out, chunk_header& header, std::span<const std::uint8_t> raw);

bool is_known_kind(std::uint16_t kind);

/// CRC of a header and its stored bytes as the format defines it.
std::uint32_t chunk_crc(const chunk_header& header, std::span<const std::uint8_t> stored);

/// Exactly `count` bytes at `offset`; the end of the file is an error.
result<void> read_exactly(int descriptor, const std::filesystem::path& file, std::uint64_t offset,
                          void* to, std::size_t count);

/// The raw bytes of a chunk, after its CRC has been checked. `header` is what the index says.
result<void> read_chunk(int descriptor, const std::filesystem::path& file, std::uint64_t offset,
                        const chunk_header& header, byte_buffer& stored, byte_buffer& raw);

}  // namespace numatch::trace
