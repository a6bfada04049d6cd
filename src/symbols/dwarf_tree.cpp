// SPDX-License-Identifier: Apache-2.0
#include "symbols/dwarf_tree.hpp"

#include <dwarf.h>

#include <algorithm>

namespace numatch::symbols {

namespace {

std::string text_of(const char* text) {
  return text == nullptr ? std::string{} : std::string(text);
}

std::uint32_t number_of(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, attribute, &found) == nullptr) return 0;
  return dwarf_formudata(&found, &value) == 0 ? static_cast<std::uint32_t>(value) : 0;
}

std::string name_of(Dwarf_Die& die) {
  Dwarf_Attribute found;
  if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &found) != nullptr ||
      dwarf_attr_integrate(&die, DW_AT_MIPS_linkage_name, &found) != nullptr) {
    return demangle(dwarf_formstring(&found));
  }
  return text_of(dwarf_diename(&die));
}

/// The source files of a unit by number; DWARF 5 counts them from 0.
struct file_table {
  Dwarf_Files* files = nullptr;
  explicit file_table(Dwarf_Die& unit) {
    std::size_t count = 0;
    if (dwarf_getsrcfiles(&unit, &files, &count) != 0) files = nullptr;
  }
  std::string name(Dwarf_Die& die, unsigned attribute) const {
    if (files == nullptr || dwarf_hasattr_integrate(&die, attribute) == 0) return {};
    return text_of(dwarf_filesrc(files, number_of(die, attribute), nullptr, nullptr));
  }
};

/// Scopes that hold definitions without covering code themselves.
bool is_container(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_module;
}
bool is_function(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}
bool covers_code(int tag) {
  return is_function(tag) || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
         tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/// Appends the functions below `parent` that hold `pc`, the outermost first.
bool descend(Dwarf_Die& parent, Dwarf_Addr pc, std::vector<Dwarf_Die>& functions) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    if (is_container(tag)) {
      if (descend(child, pc, functions)) return true;
    } else if (covers_code(tag) && dwarf_haspc(&child, pc) > 0) {
      if (is_function(tag)) functions.push_back(child);
      descend(child, pc, functions);
      return true;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

}  // namespace

void dwarf_tree::read_units() {
  if (units_read_) return;
  units_read_ = true;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  std::uint8_t type = 0;
  while (dwarf_get_units(debug_, unit, &unit, nullptr, &type, &die, nullptr) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    const Dwarf_Off offset = dwarf_dieoffset(&die);
    units_.push_back(offset);
    Dwarf_Addr base = 0;
    Dwarf_Addr first = 0;
    Dwarf_Addr end = 0;
    for (ptrdiff_t next = 0; (next = dwarf_ranges(&die, next, &base, &first, &end)) > 0;) {
      ranges_.push_back({first, end, offset});
    }
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const unit_range& a, const unit_range& b) { return a.first < b.first; });
}

std::vector<code_location> dwarf_tree::code(std::uint64_t vaddr) {
  read_units();
  const Dwarf_Addr pc = vaddr + shift_;
  std::vector<unit_range>::const_iterator at =
      std::upper_bound(ranges_.begin(), ranges_.end(), pc,
                       [](std::uint64_t v, const unit_range& r) { return v < r.first; });
  if (at == ranges_.begin() || pc >= (--at)->end) return {};
  Dwarf_Die unit;
  if (dwarf_offdie(debug_, at->unit, &unit) == nullptr) return {};

  std::vector<Dwarf_Die> functions;
  descend(unit, pc, functions);
  const file_table files(unit);
  code_location here;
  if (Dwarf_Line* const line = dwarf_getsrc_die(&unit, pc); line != nullptr) {
    int number = 0;
    here.file = text_of(dwarf_linesrc(line, nullptr, nullptr));
    if (dwarf_lineno(line, &number) == 0) here.line = static_cast<std::uint32_t>(number);
  }
  std::vector<code_location> frames;
  for (std::size_t i = functions.size(); i > 0; --i) {
    Dwarf_Die& function = functions[i - 1];
    here.function = without_parameters(name_of(function));
    here.inlined = dwarf_tag(&function) == DW_TAG_inlined_subroutine;
    frames.push_back(here);
    // The next frame is where this one was inlined.
    here.file = files.name(function, DW_AT_call_file);
    here.line = number_of(function, DW_AT_call_line);
  }
  return frames;
}

void dwarf_tree::collect_variables(Dwarf_Die& parent) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (is_container(tag) || covers_code(tag)) {
      collect_variables(child);  // static variables of classes and functions
      continue;
    }
    Dwarf_Attribute location;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (tag != DW_TAG_variable || dwarf_attr(&child, DW_AT_location, &location) == nullptr ||
        dwarf_getlocation(&location, &operations, &count) != 0 || count != 1) {
      continue;
    }
    Dwarf_Attribute address;
    Dwarf_Addr value = operations[0].number;
    const bool indexed = operations[0].atom == DW_OP_addrx;  // DWARF 5: index into .debug_addr
    if (indexed && (dwarf_getlocation_attr(&location, &operations[0], &address) != 0 ||
                    dwarf_formaddr(&address, &value) != 0)) {
      continue;
    }
    if (!indexed && operations[0].atom != DW_OP_addr) continue;
    Dwarf_Die unit;
    dwarf_diecu(&child, &unit, nullptr, nullptr);
    variables_.try_emplace(
        value - shift_, declaration{name_of(child), file_table(unit).name(child, DW_AT_decl_file),
                                    number_of(child, DW_AT_decl_line)});
  } while (dwarf_siblingof(&child, &child) == 0);
}

void dwarf_tree::read_variables() {
  if (variables_read_) return;
  variables_read_ = true;
  read_units();
  for (const Dwarf_Off offset : units_) {
    Dwarf_Die unit;
    if (dwarf_offdie(debug_, offset, &unit) != nullptr) collect_variables(unit);
  }
}

const dwarf_tree::declaration* dwarf_tree::variable(std::uint64_t vaddr) {
  read_variables();
  const std::map<std::uint64_t, declaration>::const_iterator found = variables_.find(vaddr);
  return found == variables_.end() ? nullptr : &found->second;
}

}  // namespace numatch::symbols
