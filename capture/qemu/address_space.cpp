// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "address_space.hpp"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/// The protection that the ELF file at `path` asks for what lies at `offset` in it, or -1 when it
/// is no ELF file. The host's own protection says nothing: QEMU never makes guest code executable.
int elf_protection(const char* path, std::uint64_t offset) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  int protection = -1;
  Elf64_Ehdr header;
  if (pread(descriptor, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64) {
    protection = PROT_READ;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      const off_t at = static_cast<off_t>(header.e_phoff + i * sizeof segment);
      if (pread(descriptor, &segment, sizeof segment, at) != static_cast<ssize_t>(sizeof segment)) {
        break;
      }
      if (segment.p_type != PT_LOAD) continue;
      const std::uint64_t first = segment.p_offset & ~std::uint64_t{4095};
      // A later segment wins: two may share a page of the file, and the mapping that begins there
      // is the later one's.
      if (offset >= first && offset < segment.p_offset + segment.p_filesz) {
        protection = protection_of(segment.p_flags);
      }
    }
  }
  close(descriptor);
  return protection;
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

void address_space::report_modules(trace::thread_recorder* recorder) {
  maps_reader maps;
  mapping line;
  while (maps.next(line)) {
    if (line.path[0] != '/') continue;
    const std::uint64_t begin = line.begin;
    if (host_.find([=](const range& r) { return begin >= r.begin && begin < r.end; }) != nullptr) {
      continue;
    }
    const reported_module seen{line.begin, line.file_offset, hash_of(line.path)};
    if (reported_.find([&](const reported_module& m) {
          return m.begin == seen.begin && m.file_offset == seen.file_offset &&
                 m.path_hash == seen.path_hash;
        }) != nullptr) {
      continue;
    }
    const int protection = elf_protection(line.path, line.file_offset);
    if (protection < 0 || !reported_.add(seen)) continue;
    const std::uint64_t args[] = {line.begin, line.end - line.begin, line.file_offset,
                                  static_cast<std::uint64_t>(protection)};
    trace::record_event(recorder, trace::event_kind::module, args, 4, line.path, strlen(line.path));
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
