// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/chunk_file.hpp"

#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>

#include "trace/crc32.hpp"

namespace numatch::trace {

std::string chunk_place(const std::filesystem::path& file, std::uint64_t offset) {
  return fmt::format("{}, chunk at offset {}", file.string(), offset);
}

bool is_known_kind(std::uint16_t kind) {
  return kind >= static_cast<std::uint16_t>(chunk_kind::metadata) &&
         kind <= static_cast<std::uint16_t>(chunk_kind::index);
}

std::uint32_t chunk_crc(const chunk_header& header, std::span<const std::uint8_t> stored) {
  chunk_header without = header;
  without.crc = 0;
  return crc32(crc32(0, &without, sizeof without), stored.data(), stored.size());
}

void append_chunk(std::string& out, chunk_header& header, std::span<const std::uint8_t> raw) {
  byte_buffer packed(ZSTD_compressBound(raw.size()));
  const std::size_t packed_bytes =
      ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), 1);
  const bool helps = ZSTD_isError(packed_bytes) == 0 && packed_bytes < raw.size();
  const std::span<const std::uint8_t> stored =
      helps ? std::span<const std::uint8_t>(packed.data(), packed_bytes) : raw;
  header.magic = chunk_magic;
  header.compression = helps ? 1 : 0;
  header.stored_bytes = stored.size();
  header.raw_bytes = raw.size();
  header.crc = chunk_crc(header, stored);
  out.append(reinterpret_cast<const char*>(&header), sizeof header);
  out.append(reinterpret_cast<const char*>(stored.data()), stored.size());
}

result<void> read_exactly(int descriptor, const std::filesystem::path& file, std::uint64_t offset,
                          void* to, std::size_t count) {
  char* target = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t n = ::pread(descriptor, target, count, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(file.string(), std::strerror(errno));
    if (n == 0) return fail(file.string(), fmt::format("ends at offset {}", offset));
    target += n;
    offset += static_cast<std::uint64_t>(n);
    count -= static_cast<std::size_t>(n);
  }
  return {};
}

result<void> read_chunk(int descriptor, const std::filesystem::path& file, std::uint64_t offset,
                        const chunk_header& header, byte_buffer& stored, byte_buffer& raw) {
  const std::string where = chunk_place(file, offset);
  constexpr const char* hint = "the trace is damaged; capture it again";
  stored.resize(header.stored_bytes);
  result<void> read =
      read_exactly(descriptor, file, offset + sizeof header, stored.data(), stored.size());
  if (!read) return read;
  if (chunk_crc(header, stored) != header.crc) {
    return fail(where, "its bytes do not have the recorded checksum", hint);
  }
  if (header.compression == 0) {
    if (header.stored_bytes != header.raw_bytes) {
      return fail(where, "has two sizes although it is not compressed", hint);
    }
    raw = stored;
    return {};
  }
  raw.resize(header.raw_bytes);
  const std::size_t size = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) != 0 || size != header.raw_bytes) {
    return fail(where, "does not decompress to the recorded size", hint);
  }
  return {};
}

}  // namespace numatch::trace
