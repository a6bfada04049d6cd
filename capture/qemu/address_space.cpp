// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "address_space.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace numatch::qemu {

namespace {

std::uint64_t take_hex(char*& text) {
  std::uint64_t value = 0;
  for (;; ++text) {
    const char c = *text;
    if (c >= '0' && c <= '9') {
      value = value << 4 | static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value << 4 | static_cast<std::uint64_t>(c - 'a' + 10);
    } else {
      return value;
    }
  }
}

char* skip_field(char* text) {
  while (*text != ' ' && *text != '\0') ++text;
  while (*text == ' ') ++text;
  return text;
}

std::uint64_t hash_of(const char* text) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3U;
  return hash;
}

int protection_of(std::uint32_t segment_flags) {
  return ((segment_flags & PF_R) != 0 ? PROT_READ : 0) |
         ((segment_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

constexpr std::uint64_t page = 4096;

/// A loadable segment of an ELF file: whole pages of the file, and what they are mapped for.
struct segment {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t protection;
};

/// The segments of the ELF file at `path`, in its order; none when it is no ELF file. The host's
/// own mappings do not tell them apart: QEMU never makes guest code executable.
unsigned read_segments(const char* path, segment (&found)[16]) {
  unsigned count = 0;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  Elf64_Ehdr header;
  if (pread(descriptor, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64) {
    for (unsigned i = 0; i < header.e_phnum && count < 16; ++i) {
      Elf64_Phdr entry;
      const off_t at = static_cast<off_t>(header.e_phoff + i * sizeof entry);
      if (pread(descriptor, &entry, sizeof entry, at) != static_cast<ssize_t>(sizeof entry)) break;
      if (entry.p_type != PT_LOAD || entry.p_filesz == 0) continue;
      found[count++] = {entry.p_offset & ~(page - 1),
                        (entry.p_offset + entry.p_filesz + page - 1) & ~(page - 1),
                        static_cast<std::uint64_t>(protection_of(entry.p_flags))};
    }
  }
  close(descriptor);
  return count;
}

}  // namespace

maps_reader::maps_reader() : descriptor_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}

maps_reader::~maps_reader() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool maps_reader::next_line(char*& text) {
  for (;;) {
    char* const newline = static_cast<char*>(memchr(buffer_ + begin_, '\n', end_ - begin_));
    if (newline != nullptr) {
      *newline = '\0';
      text = buffer_ + begin_;
      begin_ = static_cast<std::size_t>(newline + 1 - buffer_);
      return true;
    }
    memmove(buffer_, buffer_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (descriptor_ < 0 || end_ == sizeof buffer_) return false;
    const ssize_t got = read(descriptor_, buffer_ + end_, sizeof buffer_ - end_);
    if (got <= 0) return false;
    end_ += static_cast<std::size_t>(got);
  }
}

bool maps_reader::next(mapping& line) {
  char* text = nullptr;
  if (!next_line(text)) return false;
  line.begin = take_hex(text);
  if (*text == '-') ++text;
  line.end = take_hex(text);
  text = skip_field(text);  // to the permissions
  text = skip_field(text);  // to the offset
  line.file_offset = take_hex(text);
  text = skip_field(text);  // to the device
  text = skip_field(text);  // to the inode
  line.path = skip_field(text);
  return true;
}

void address_space::remember_host() {
  maps_reader maps;
  mapping line;
  while (maps.next(line)) host_.add({line.begin, line.end});
}

bool address_space::is_host(std::uint64_t address) {
  return host_.find([=](const range& r) { return address >= r.begin && address < r.end; }) !=
         nullptr;
}

bool address_space::program_is_at(std::uint64_t address) {
  maps_reader maps;
  mapping line;
  while (maps.next(line)) {
    if (address >= line.begin && address < line.end) {
      return line.path[0] == '/' && !is_host(address);
    }
  }
  return false;
}

void address_space::report_modules(trace::thread_recorder* recorder) {
  maps_reader maps;
  mapping line;
  while (maps.next(line)) {
    if (line.path[0] == '/' && !is_host(line.begin)) report_module(recorder, line);
  }
}

void address_space::report_module(trace::thread_recorder* recorder, const mapping& line) {
  const reported_module seen{line.begin, line.end, line.file_offset, hash_of(line.path)};
  // A part of what was reported, or the same: it has only been protected differently.
  if (reported_.find([&](const reported_module& m) {
        return m.path_hash == seen.path_hash && m.begin <= seen.begin && seen.end <= m.end &&
               m.file_offset - m.begin == seen.file_offset - seen.begin;
      }) != nullptr) {
    return;
  }
  segment segments[16];
  const unsigned count = read_segments(line.path, segments);
  if (count == 0 || !reported_.add(seen)) return;
  // Two segments may share a page of the file. Where the mapping begins with it, it is the later
  // one's, elsewhere the earlier one's.
  unsigned first = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (segments[i].begin == line.file_offset) first = i;
  }
  std::uint64_t done = line.file_offset;
  const std::uint64_t limit = line.file_offset + (line.end - line.begin);
  for (unsigned i = first; i < count; ++i) {
    const std::uint64_t from = segments[i].begin > done ? segments[i].begin : done;
    const std::uint64_t to = segments[i].end < limit ? segments[i].end : limit;
    if (from >= to) continue;
    const std::uint64_t args[] = {line.begin + (from - line.file_offset), to - from, from,
                                  segments[i].protection};
    trace::record_event(recorder, trace::event_kind::module, args, 4, line.path, strlen(line.path));
    done = to;
  }
}

void address_space::add_stack(std::uint64_t address, std::uint64_t bytes) {
  remove_stack(address, bytes);
  stacks_.add({address, address + bytes});
}

void address_space::remove_stack(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + bytes;
  while (range* const found =
             stacks_.find([=](const range& r) { return r.begin < end && address < r.end; })) {
    stacks_.remove(found);
  }
}

bool address_space::find_stack(std::uint64_t address, std::uint64_t& begin, std::uint64_t& bytes) {
  if (const range* const known =
          stacks_.find([=](const range& r) { return address >= r.begin && address < r.end; })) {
    begin = known->begin;
    bytes = known->end - known->begin;
    return true;
  }
  maps_reader maps;
  mapping line;
  while (maps.next(line)) {
    if (address < line.begin || address >= line.end) continue;
    begin = line.begin;
    bytes = line.end - line.begin;
    return true;
  }
  return false;
}

}  // namespace numatch::qemu
