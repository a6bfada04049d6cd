// SPDX-License-Identifier: Apache-2.0
#include "live/numa_maps.hpp"

#include <optional>

#include "live/text_fields.hpp"

namespace numatch::live {

namespace {

/// The kernel writes blanks, newlines and backslashes of a name as "\" and three octal digits.
std::string unescaped(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    unsigned code = 0;
    if (text.front() == '\\' && text.size() >= 4 && parse_number(text.substr(1, 3), 8, code)) {
      name += static_cast<char>(code);
      text.remove_prefix(4);
    } else {
      name += text.front();
      text.remove_prefix(1);
    }
  }
  return name;
}

/// A word of a line behind address and policy: "heap", "file=...", "N0=12", "anon=3".
void take_word(std::string_view word, mapped_pages& pages) {
  if (word == "heap") pages.kind = page_kind::heap;
  if (word == "stack") pages.kind = page_kind::stack;
  if (word == "huge") pages.kind = page_kind::huge;
  const std::string_view key = take_until(word, '=');
  std::uint64_t value = 0;
  unsigned node = 0;
  if (key == "file") {
    pages.file = unescaped(word);
    if (pages.kind == page_kind::anonymous) pages.kind = page_kind::file;
  } else if (key == "kernelpagesize_kB" && parse_number(word, 10, value) && value > 0) {
    pages.page_bytes = value * 1024;
  } else if (key.starts_with('N') && parse_number(key.substr(1), 10, node) &&
             parse_number(word, 10, value)) {
    pages.pages_on[node] = value;
  }
}

std::optional<mapped_pages> parse_line(std::string_view line) {
  mapped_pages pages;
  if (!parse_number(take_until(line, ' '), 16, pages.first)) return std::nullopt;
  pages.policy = std::string(take_until(line, ' '));
  if (pages.policy.empty()) return std::nullopt;
  // One of the policies has a blank in its name: "prefer (many):0-3".
  if (line.starts_with('(')) pages.policy += " " + std::string(take_until(line, ' '));
  while (!line.empty()) take_word(take_until(line, ' '), pages);
  return pages;
}

}  // namespace

std::string_view to_string(page_kind kind) {
  switch (kind) {
    case page_kind::heap:
      return "heap";
    case page_kind::stack:
      return "stack";
    case page_kind::anonymous:
      return "anonymous";
    case page_kind::file:
      return "file";
    case page_kind::huge:
      return "huge";
  }
  return "";
}

std::uint64_t mapped_pages::bytes() const {
  std::uint64_t pages = 0;
  for (const auto& [node, count] : pages_on) pages += count;
  return pages * page_bytes;
}

std::uint64_t mapped_pages::bytes_on(unsigned node) const {
  const std::map<unsigned, std::uint64_t>::const_iterator found = pages_on.find(node);
  return found == pages_on.end() ? 0 : found->second * page_bytes;
}

std::vector<mapped_pages> parse_numa_maps(std::string_view text) {
  std::vector<mapped_pages> mappings;
  while (!text.empty()) {
    if (std::optional<mapped_pages> pages = parse_line(take_until(text, '\n'))) {
      mappings.push_back(std::move(*pages));
    }
  }
  return mappings;
}

}  // namespace numatch::live
