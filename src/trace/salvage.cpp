// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/salvage.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>

#include "trace/chunk_file.hpp"
#include "trace/crc32.hpp"

namespace numatch::trace {

namespace {

result<void> write_at(const unfinished_file& file, std::uint64_t offset, const char* from,
                      std::size_t count) {
  while (count > 0) {
    const ssize_t n = ::pwrite(file.descriptor, from, count, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(file.path.string(), std::strerror(errno), "free some space");
    from += n;
    offset += static_cast<std::uint64_t>(n);
    count -= static_cast<std::size_t>(n);
  }
  return {};
}

bool is_plausible(const chunk_header& header, std::uint64_t room) {
  return header.magic == chunk_magic && is_known_kind(header.kind) && header.compression <= 1 &&
         header.stored_bytes <= room && header.raw_bytes <= max_raw_bytes;
}

/// Follows the headers; true when they lead exactly to the end and all writes were finished.
bool walk(unfinished_file& file, std::uint64_t file_end, std::uint64_t whole_chunks) {
  std::uint64_t offset = sizeof(file_header);
  while (offset + sizeof(chunk_header) <= file_end) {
    index_entry entry{offset, {}};
    if (!read_exactly(file.descriptor, file.path, offset, &entry.header, sizeof entry.header)) {
      return false;
    }
    if (!is_plausible(entry.header, file_end - offset - sizeof entry.header)) return false;
    file.chunks.push_back(entry);
    offset += sizeof entry.header + entry.header.stored_bytes;
  }
  file.end = offset;
  return offset == file_end && file.chunks.size() == whole_chunks;
}

/// The first place at or after `offset` that begins like a chunk; `end` when there is none.
result<std::uint64_t> find_magic(const unfinished_file& file, std::uint64_t offset,
                                 std::uint64_t end) {
  std::string window;
  const std::string_view magic(reinterpret_cast<const char*>(&chunk_magic), sizeof chunk_magic);
  while (offset + sizeof(chunk_header) <= end) {
    window.resize(std::min<std::uint64_t>(end - offset, 1 << 20));
    result<void> read =
        read_exactly(file.descriptor, file.path, offset, window.data(), window.size());
    if (!read) return tl::unexpected(read.error());
    const std::size_t found = window.find(magic);
    if (found != std::string::npos) return offset + found;
    offset += window.size() - magic.size() + 1;
  }
  return end;
}

/// Keeps every chunk whose checksum is right and closes the gaps.
result<void> pick_up(unfinished_file& file, std::uint64_t end) {
  file.chunks.clear();
  file.end = sizeof(file_header);
  std::uint64_t offset = file.end;
  std::string whole;
  for (;;) {
    const result<std::uint64_t> found = find_magic(file, offset, end);
    if (!found) return tl::unexpected(found.error());
    if (*found + sizeof(chunk_header) > end) return {};
    offset = *found;
    chunk_header header;
    result<void> read = read_exactly(file.descriptor, file.path, offset, &header, sizeof header);
    if (!read) return read;
    if (is_plausible(header, end - offset - sizeof header)) {
      whole.resize(sizeof header + header.stored_bytes);
      read = read_exactly(file.descriptor, file.path, offset, whole.data(), whole.size());
      if (!read) return read;
      const std::span<const std::uint8_t> body(
          reinterpret_cast<const std::uint8_t*>(whole.data()) + sizeof header, header.stored_bytes);
      if (chunk_crc(header, body) == header.crc) {
        result<void> moved = write_at(file, file.end, whole.data(), whole.size());
        if (!moved) return moved;
        file.chunks.push_back({file.end, header});
        file.end += whole.size();
        offset += whole.size();
        continue;
      }
    }
    ++offset;
  }
}

}  // namespace

result<void> collect_chunks(unfinished_file& file, std::uint64_t file_end,
                            std::uint64_t whole_chunks) {
  struct stat status{};
  if (::fstat(file.descriptor, &status) != 0) return fail(file.path.string(), std::strerror(errno));
  const std::uint64_t end = static_cast<std::uint64_t>(status.st_size);
  if (end == file_end && walk(file, file_end, whole_chunks)) return {};
  return pick_up(file, end);
}

result<void> append_to(unfinished_file& file, chunk_header header,
                       std::span<const std::uint8_t> raw) {
  std::string out;
  append_chunk(out, header, raw);
  result<void> written = write_at(file, file.end, out.data(), out.size());
  if (!written) return written;
  file.chunks.push_back({file.end, header});
  file.end += out.size();
  return {};
}

result<void> append_end(unfinished_file& file) {
  const std::vector<index_entry> entries = file.chunks;
  file_trailer trailer{};
  trailer.index_offset = file.end;
  chunk_header header{};
  header.kind = static_cast<std::uint16_t>(chunk_kind::index);
  header.records = entries.size();
  const std::span<const std::uint8_t> raw(reinterpret_cast<const std::uint8_t*>(entries.data()),
                                          entries.size() * sizeof(index_entry));
  if (result<void> r = append_to(file, header, raw); !r) return r;
  trailer.file_bytes = file.end + sizeof trailer;
  trailer.crc = crc32(0, &trailer, 16);
  std::memcpy(trailer.magic, end_magic, sizeof end_magic);
  const char* const from = reinterpret_cast<const char*>(&trailer);
  if (result<void> r = write_at(file, file.end, from, sizeof trailer); !r) return r;
  if (::ftruncate(file.descriptor, static_cast<off_t>(trailer.file_bytes)) != 0) {
    return fail(file.path.string(), std::strerror(errno));
  }
  return {};
}

}  // namespace numatch::trace
