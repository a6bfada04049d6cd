// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace numatch::live {

/// The numbers of "0-3,8"; what is no number ends the list.
std::vector<unsigned> number_list(std::string_view text);

/// A whole number at the start of a text, behind blanks.
template <class Number>
std::optional<Number> leading_number(std::string_view text);

/// The files that Linux describes itself in, under a root that is "/" but for tests.
class system_tree {
 public:
  explicit system_tree(std::string root);

  /// A small file without its last newline; nullopt when it cannot be read.
  std::optional<std::string> text(const std::string& path) const;
  template <class Number>
  std::optional<Number> number(const std::string& path) const {
    const std::optional<std::string> found = text(path);
    return found ? leading_number<Number>(*found) : std::nullopt;
  }
  /// The value behind `key` and blanks or a colon, up to the end of its line:
  /// value("/proc/meminfo", "MemTotal") is "2048 kB".
  std::optional<std::string> value(const std::string& path, std::string_view key) const;
  /// The word in brackets of "always [madvise] never"; the whole text when there are none.
  std::optional<std::string> chosen(const std::string& path) const;
  bool exists(const std::string& path) const;
  std::vector<std::string> names_in(const std::string& folder) const;  ///< sorted

 private:
  std::string root_;  ///< without a slash at its end
};

}  // namespace numatch::live
