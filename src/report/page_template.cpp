// SPDX-License-Identifier: Apache-2.0
#include "report/page_template.hpp"

#include <cstdint>

namespace numatch::report {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character at the front of `text`, 0 where there is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xf0 && lead <= 0xf4  ? 4
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xc2 && lead < 0xe0 ? 2
                                                         : 0;
  if (size == 0 || size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Longer than needed, a surrogate, or beyond U+10FFFF.
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;
  if (lead == 0xed && byte(1) >= 0xa0) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) >= 0x90) return 0;
  return size;
}

std::string_view escape_one(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string fill_template(std::string_view frame, const std::map<std::string, std::string>& slots) {
  std::string out;
  for (;;) {
    const std::size_t open = frame.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : frame.find("}}", open);
    if (close == std::string_view::npos) break;
    out += frame.substr(0, open);
    const auto slot = slots.find(std::string(frame.substr(open + 2, close - open - 2)));
    if (slot != slots.end()) out += slot->second;
    frame.remove_prefix(close + 2);
  }
  return out += frame;
}

std::string escape_html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    const std::string_view escaped = escape_one(text.front());
    const std::uint8_t first = static_cast<std::uint8_t>(text.front());
    if (size == 0 || (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f) {
      out += replacement;
    } else if (!escaped.empty()) {
      out += escaped;
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

}  // namespace numatch::report
