// SPDX-License-Identifier: Apache-2.0
#include "symbols/binary.hpp"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "symbols/dwarf_tree.hpp"

namespace numatch::symbols {

namespace {

struct segment {
  std::uint64_t vaddr;
  std::uint64_t memory_bytes;
  std::uint64_t offset;
  std::uint64_t file_bytes;
  bool writable;
};

struct symbol {
  std::uint64_t vaddr;
  std::uint64_t bytes;
  std::string name;
};

std::vector<segment> read_segments(const std::string& path) {
  std::vector<segment> segments;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return segments;
  elf_version(EV_CURRENT);
  Elf* const elf = elf_begin(descriptor, ELF_C_READ, nullptr);
  std::size_t count = 0;
  if (elf != nullptr && elf_getphdrnum(elf, &count) == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) break;
      if (header.p_type != PT_LOAD) continue;
      segments.push_back({header.p_vaddr, header.p_memsz, header.p_offset, header.p_filesz,
                          (header.p_flags & PF_W) != 0});
    }
  }
  elf_end(elf);
  ::close(descriptor);
  return segments;
}

constexpr Dwfl_Callbacks offline_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

}  // namespace

struct binary::state {
  explicit state(const std::string& path) : segments(read_segments(path)) {}
  std::vector<segment> segments;
  bool symbols_read = false;
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;
  std::uint64_t shift = 0;  // libdwfl's address = file's address + shift
  std::unique_ptr<dwarf_tree> dwarf;
  std::vector<symbol> variables;  // sorted by vaddr

  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    if (session != nullptr) dwfl_end(session);
  }
  void open(const std::string& path);
  void read_variables();
};

void binary::state::open(const std::string& path) {
  if (symbols_read || segments.empty()) return;
  symbols_read = true;
  session = dwfl_begin(&offline_callbacks);
  if (session == nullptr) return;
  dwfl_report_begin(session);
  module = dwfl_report_offline(session, path.c_str(), path.c_str(), -1);
  dwfl_report_end(session, nullptr, nullptr);
  if (module == nullptr) return;
  GElf_Addr elf_shift = 0;
  if (dwfl_module_getelf(module, &elf_shift) != nullptr) shift = elf_shift;
  Dwarf_Addr debug_shift = 0;
  if (Dwarf* const debug = dwfl_module_getdwarf(module, &debug_shift); debug != nullptr) {
    dwarf = std::make_unique<dwarf_tree>(debug, shift - debug_shift);
  }
  read_variables();
}

void binary::state::read_variables() {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym entry;
    GElf_Addr address = 0;
    GElf_Word section = 0;
    const char* const name =
        dwfl_module_getsym_info(module, i, &entry, &address, &section, nullptr, nullptr);
    if (name == nullptr || section == SHN_UNDEF || entry.st_size == 0) continue;
    if (GELF_ST_TYPE(entry.st_info) != STT_OBJECT) continue;
    const std::string_view text = name;
    variables.push_back(
        {address - shift, entry.st_size, std::string(text.substr(0, text.find('@')))});
  }
  // Of several names for one place the largest comes first and the others are dropped.
  std::sort(variables.begin(), variables.end(), [](const symbol& a, const symbol& b) {
    return std::tie(a.vaddr, b.bytes, a.name) < std::tie(b.vaddr, a.bytes, b.name);
  });
  const auto same_place = [](const symbol& a, const symbol& b) { return a.vaddr == b.vaddr; };
  variables.erase(std::unique(variables.begin(), variables.end(), same_place), variables.end());
}

binary::binary(std::string path) : path_(std::move(path)) {}
binary::~binary() = default;

binary::state& binary::segments() {
  if (!state_) state_ = std::make_unique<state>(path_);
  return *state_;
}

binary::state& binary::opened() {
  segments().open(path_);
  return *state_;
}

std::optional<std::uint64_t> binary::bias(std::uint64_t address, std::uint64_t file_offset) {
  constexpr std::uint64_t page = 4096;
  for (const segment& s : segments().segments) {
    const std::uint64_t first = s.offset & ~(page - 1);
    if (file_offset < first || file_offset >= s.offset + s.file_bytes) continue;
    // The segment's first mapped byte holds the file's byte `first` at the page of p_vaddr.
    return address - ((s.vaddr & ~(page - 1)) + (file_offset - first));
  }
  return std::nullopt;
}

std::uint64_t binary::image_end() {
  std::uint64_t end = 0;
  for (const segment& s : segments().segments) end = std::max(end, s.vaddr + s.memory_bytes);
  return end;
}

std::vector<code_location> binary::code(std::uint64_t vaddr) {
  state& file = opened();
  if (file.module == nullptr) return {};
  std::vector<code_location> frames;
  if (file.dwarf) frames = file.dwarf->code(vaddr);
  if (frames.empty()) {
    const char* const name = dwfl_module_addrname(file.module, vaddr + file.shift);
    if (name != nullptr) frames.push_back({without_parameters(demangle(name)), {}, 0, false});
  }
  return frames;
}

std::optional<data_location> binary::data(std::uint64_t vaddr) {
  state& file = opened();
  const auto holds = [vaddr](const segment& s) {
    return vaddr >= s.vaddr && vaddr < s.vaddr + s.memory_bytes;
  };
  const std::vector<segment>::const_iterator inside =
      std::find_if(file.segments.begin(), file.segments.end(), holds);
  if (inside == file.segments.end()) return std::nullopt;

  data_location found;
  std::uint64_t first = inside->vaddr;
  std::uint64_t end = inside->vaddr + inside->memory_bytes;
  std::vector<symbol>::const_iterator after =
      std::upper_bound(file.variables.begin(), file.variables.end(), vaddr,
                       [](std::uint64_t v, const symbol& s) { return v < s.vaddr; });
  if (after != file.variables.end()) end = std::min(end, after->vaddr);
  if (after != file.variables.begin()) {
    const symbol& before = *std::prev(after);
    const std::uint64_t before_end = before.vaddr + before.bytes;
    if (vaddr < before_end) {
      found = {demangle(before.name.c_str()), before.vaddr, before.bytes, {}, 0, {}};
      const dwarf_tree::declaration* const declared =
          file.dwarf ? file.dwarf->variable(before.vaddr) : nullptr;
      if (declared != nullptr) {
        // The symbol of a C function's static variable carries a number: "table.2".
        if (!declared->name.empty()) found.name = declared->name;
        found.file = declared->file;
        found.line = declared->line;
      }
      return found;
    }
    first = std::max(first, before_end);
  }
  found.address = first;
  found.bytes = end - first;
  return found;
}

}  // namespace numatch::symbols
