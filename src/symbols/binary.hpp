// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbols/symbols.hpp"

namespace numatch::symbols {

/// One ELF file, asked by its own addresses (p_vaddr): the caller takes off the load bias. A file
/// that cannot be opened has no segments and no answers. Not thread safe.
class binary {
 public:
  explicit binary(std::string path);
  ~binary();
  binary(const binary&) = delete;
  binary& operator=(const binary&) = delete;

  const std::string& path() const { return path_; }
  /// What to subtract from run-time addresses when `file_offset` of the file lies at `address`.
  std::optional<std::uint64_t> bias(std::uint64_t address, std::uint64_t file_offset);
  /// One past the last byte of the loaded image, .bss included; 0 when unknown.
  std::uint64_t image_end();
  std::vector<code_location> code(std::uint64_t vaddr);
  std::optional<data_location> data(std::uint64_t vaddr);

  struct state;

 private:
  state& segments();  // read at the first call
  state& opened();    // with symbols and debug information
  std::string path_;
  std::unique_ptr<state> state_;
};

}  // namespace numatch::symbols
