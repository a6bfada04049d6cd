// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "trace/crc32.hpp"
#include "trace/reader_state.hpp"

namespace numatch::trace {

namespace {

constexpr const char* capture_again = "the trace is damaged; capture it again";

result<void> check_file_header(const open_file& file) {
  const std::string where = file.path.string();
  file_header header{};
  if (file.bytes == 0) return fail(where, "is empty", "name a trace (.nmt)");
  if (file.bytes < sizeof header) return fail(where, "is no trace", "name a trace (.nmt)");
  result<void> read = read_exactly(file.descriptor, file.path, 0, &header, sizeof header);
  if (!read) return read;
  if (std::memcmp(header.magic, file_magic, sizeof file_magic) != 0) {
    return fail(where, "is no trace: it does not begin with NUMATRC", "name a trace (.nmt)");
  }
  if (header.version > format_version) {
    return fail(where,
                fmt::format("has format version {}, this numatch reads up to {}", header.version,
                            format_version),
                "use a newer numatch");
  }
  if (header.version == 0 || header.reserved != 0) {
    return fail(where, "has a damaged file header", capture_again);
  }
  return {};
}

result<file_trailer> read_trailer(open_file& file) {
  const std::string where = file.path.string();
  file.damaged_at = file.bytes - std::min<std::uint64_t>(file.bytes, sizeof(file_trailer));
  const std::string cut = fmt::format("is cut off: no trailer at its end, offset {}", file.bytes);
  constexpr std::uint64_t least = sizeof(file_header) + sizeof(file_trailer);
  if (file.bytes < least) return fail(where, cut, capture_again);
  file_trailer trailer{};
  result<void> read = read_exactly(file.descriptor, file.path, file.bytes - sizeof trailer,
                                   &trailer, sizeof trailer);
  if (!read) return tl::unexpected(read.error());
  if (std::memcmp(trailer.magic, end_magic, sizeof end_magic) != 0) {
    return fail(where, cut, capture_again);
  }
  if (trailer.crc != crc32(0, &trailer, 16) || trailer.reserved != 0 ||
      trailer.file_bytes != file.bytes || trailer.index_offset < sizeof(file_header) ||
      trailer.index_offset > file.bytes - sizeof trailer) {
    return fail(where,
                fmt::format("has a damaged trailer at offset {}", file.bytes - sizeof trailer),
                capture_again);
  }
  return trailer;
}

/// A header that leads to bytes inside [offset, end).
result<chunk_header> read_header(open_file& file, std::uint64_t offset, std::uint64_t end) {
  file.damaged_at = offset;
  const std::string where = chunk_place(file.path, offset);
  chunk_header header{};
  if (end - offset < sizeof header) return fail(where, "is cut off", capture_again);
  result<void> read = read_exactly(file.descriptor, file.path, offset, &header, sizeof header);
  if (!read) return tl::unexpected(read.error());
  if (header.magic != chunk_magic || !is_known_kind(header.kind) || header.compression > 1 ||
      header.raw_bytes > max_raw_bytes || header.stored_bytes > end - offset - sizeof header) {
    return fail(where, "has a damaged header", capture_again);
  }
  return header;
}

result<std::vector<index_entry>> read_entries(open_file& file, std::uint64_t offset) {
  const std::uint64_t end = file.bytes - sizeof(file_trailer);
  const std::string where = chunk_place(file.path, offset);
  const result<chunk_header> header = read_header(file, offset, end);
  if (!header) return tl::unexpected(header.error());
  if (header->kind != static_cast<std::uint16_t>(chunk_kind::index) ||
      offset + sizeof *header + header->stored_bytes != end) {
    return fail(where, "is not the index that the trailer promises", capture_again);
  }
  byte_buffer stored;
  byte_buffer raw;
  result<void> read = read_chunk(file.descriptor, file.path, offset, *header, stored, raw);
  if (!read) return tl::unexpected(read.error());
  if (raw.size() != header->records * sizeof(index_entry)) {
    return fail(where, "is an index of the wrong size", capture_again);
  }
  std::vector<index_entry> entries(header->records);
  if (!raw.empty()) std::memcpy(entries.data(), raw.data(), raw.size());
  return entries;
}

/// Chunks lie one behind the other from the file header to the index.
result<void> check_places(open_file& file, std::uint64_t index_offset) {
  std::uint64_t offset = sizeof(file_header);
  for (const index_entry& entry : file.chunks) {
    const std::string where = chunk_place(file.path, offset);
    file.damaged_at = offset;
    if (entry.offset != offset || offset > index_offset) {
      return fail(where, "lies where the index has none", capture_again);
    }
    const result<chunk_header> header = read_header(file, offset, index_offset);
    if (!header) return tl::unexpected(header.error());
    if (std::memcmp(&*header, &entry.header, sizeof *header) != 0) {
      return fail(where, "has another header than the index says", capture_again);
    }
    offset += sizeof *header + header->stored_bytes;
  }
  if (offset != index_offset) {
    file.damaged_at = offset;
    return fail(chunk_place(file.path, offset), "is missing in the index", capture_again);
  }
  return {};
}

}  // namespace

open_file::~open_file() {
  if (descriptor >= 0) ::close(descriptor);
}

result<open_file> open_any_trace(const std::filesystem::path& path) {
  open_file file;
  file.path = path;
  file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.descriptor < 0) return fail(path.string(), std::strerror(errno));
  struct stat status{};
  if (::fstat(file.descriptor, &status) != 0) return fail(path.string(), std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return fail(path.string(), "is a directory", "name a trace (.nmt)");
  if (!S_ISREG(status.st_mode)) return fail(path.string(), "is no regular file");
  file.bytes = static_cast<std::uint64_t>(status.st_size);
  if (result<void> r = check_file_header(file); !r) return tl::unexpected(r.error());
  return file;
}

result<void> read_index(open_file& file) {
  const result<file_trailer> trailer = read_trailer(file);
  if (!trailer) return tl::unexpected(trailer.error());
  result<std::vector<index_entry>> index = read_entries(file, trailer->index_offset);
  if (!index) return tl::unexpected(index.error());
  file.chunks = std::move(*index);
  return check_places(file, trailer->index_offset);
}

}  // namespace numatch::trace
