// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace numatch::bench {

/// An option that a mode takes.
struct option_text {
  std::string_view name;   ///< "--sizes"
  std::string_view value;  ///< "N,N" as the help shows it; empty: a flag
  std::string_view says;
};

/// The words of a command line after the mode, checked against what the mode takes.
class options {
 public:
  static result<options> parse(std::span<const option_text> known,
                               std::span<const std::string_view> words);
  bool has(std::string_view name) const { return values_.contains(name); }
  void set_if_missing(std::string_view name, std::string_view value) {
    values_.try_emplace(std::string(name), value);
  }
  std::string text(std::string_view name, std::string_view otherwise = {}) const;
  /// Comma-separated; `otherwise` when the option is not there.
  std::vector<std::string> list(std::string_view name, std::string_view otherwise = {}) const;
  result<std::uint64_t> number(std::string_view name, std::uint64_t otherwise) const;
  result<std::vector<std::size_t>> numbers(std::string_view name, std::string_view otherwise) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// One line per option, for --help.
std::string help_of(std::span<const option_text> known);

}  // namespace numatch::bench
