// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

// Reading the text files of /proc and /sys piece by piece.

namespace numatch::live {

/// Takes what stands before the first `separator` from the front of `text`, and the separator.
inline std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

/// false: the digits are not one whole number that fits.
template <class Number>
bool parse_number(std::string_view digits, int base, Number& value) {
  const std::from_chars_result read =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
}

}  // namespace numatch::live
