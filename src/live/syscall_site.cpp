// SPDX-License-Identifier: Apache-2.0
#include "live/syscall_site.hpp"

#include <algorithm>
#include <string_view>

namespace numatch::live {

namespace {

constexpr std::string_view syscall_instruction = "\x0f\x05";
constexpr std::size_t part_bytes = 64 * 1024;

std::optional<std::uint64_t> search(const mapped_range& range, const memory_reader& read) {
  for (std::uint64_t at = range.first; at < range.end; at += part_bytes - 1) {
    const std::string code =
        read(at, static_cast<std::size_t>(std::min<std::uint64_t>(part_bytes, range.end - at)));
    const std::size_t found = code.find(syscall_instruction);
    if (found != std::string::npos) return at + found;
    if (code.size() < part_bytes) break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> find_syscall_site(std::span<const mapped_range> mappings,
                                               const memory_reader& read) {
  for (const bool kernels_own : {true, false}) {
    for (const mapped_range& range : mappings) {
      if (!range.executable || !range.readable || (range.name == "[vdso]") != kernels_own) continue;
      if (!kernels_own && (range.inode == 0 || range.writable)) continue;
      if (const std::optional<std::uint64_t> found = search(range, read)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace numatch::live
