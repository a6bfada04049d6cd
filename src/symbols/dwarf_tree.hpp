// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "symbols/symbols.hpp"

namespace numatch::symbols {

/// The debug information of one file, at the file's own addresses. Reads .debug_info only, because
/// compilers may leave the address tables (.debug_aranges) out. Not thread safe.
class dwarf_tree {
 public:
  /// `shift` is what the file's addresses differ by in `debug` (0, or of a separate debug file).
  dwarf_tree(Dwarf* debug, std::uint64_t shift) : debug_(debug), shift_(shift) {}

  /// Frames at an instruction, innermost first; empty when no function covers it.
  std::vector<code_location> code(std::uint64_t vaddr);

  struct declaration {
    std::string name;
    std::string file;
    std::uint32_t line = 0;
  };
  /// The variable whose location is exactly this address; null when there is none.
  const declaration* variable(std::uint64_t vaddr);

 private:
  struct unit_range {
    std::uint64_t first;
    std::uint64_t end;
    Dwarf_Off unit;
  };
  void read_units();
  void read_variables();
  void collect_variables(Dwarf_Die& parent);

  Dwarf* debug_;
  std::uint64_t shift_;
  std::vector<unit_range> ranges_;
  std::vector<Dwarf_Off> units_;
  std::map<std::uint64_t, declaration> variables_;
  bool units_read_ = false;
  bool variables_read_ = false;
};

}  // namespace numatch::symbols
