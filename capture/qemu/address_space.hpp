// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "table.hpp"
#include "trace/recorder.hpp"

namespace numatch::qemu {

/// One line of /proc/self/maps.
struct mapping {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t file_offset;
  const char* path;  ///< until the next call; empty when there is none
};

/// Reads /proc/self/maps line by line.
class maps_reader {
 public:
  maps_reader();
  ~maps_reader();
  maps_reader(const maps_reader&) = delete;
  maps_reader& operator=(const maps_reader&) = delete;
  bool next(mapping& line);

 private:
  bool next_line(char*& text);
  int descriptor_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  char buffer_[16384] = {};
};

/// Which ELF files the program has mapped where, apart from those of QEMU itself, and where
/// its stacks lie. Not thread safe: the caller holds a lock.
class address_space {
 public:
  /// Remembers what belongs to QEMU: to be called before the program is loaded.
  void remember_host();
  /// True when a file of the program, not of QEMU, is mapped at `address`.
  bool program_is_at(std::uint64_t address);
  /// A `module` event of `recorder` for each mapped ELF segment that has none yet.
  void report_modules(trace::thread_recorder* recorder);
  /// The program made a mapping that it means to use as a stack, or unmapped something.
  void add_stack(std::uint64_t address, std::uint64_t bytes);
  void remove_stack(std::uint64_t address, std::uint64_t bytes);
  /// The stack that holds `address`; false when there is no mapping.
  bool find_stack(std::uint64_t address, std::uint64_t& begin, std::uint64_t& bytes);

 private:
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct reported_module {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t file_offset;
    std::uint64_t path_hash;
  };
  bool is_host(std::uint64_t address);
  void report_module(trace::thread_recorder* recorder, const mapping& line);

  table<range> host_;
  table<range> stacks_;
  table<reported_module> reported_;
};

}  // namespace numatch::qemu
