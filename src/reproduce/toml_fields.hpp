// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace numatch::reproduce {

/// The keys of one table of a TOML file. Every reader takes its key, so that an error names it with
/// file and line; the first error stays, and what is read after it is empty.
class toml_fields {
 public:
  toml_fields(const std::filesystem::path& file, const toml::table& table,
              std::initializer_list<std::string_view> known);

  std::string text(std::string_view key, bool required = true);
  double number(std::string_view key, double otherwise);
  double number(std::string_view key);
  bool yes_or_no(std::string_view key, bool otherwise);
  std::vector<std::string> texts(std::string_view key);
  std::map<std::string, std::string> named_texts(std::string_view key);
  std::map<std::string, std::vector<std::string>> named_lists(std::string_view key);
  /// The tables of an array of tables; none where the key is missing.
  std::vector<const toml::table*> tables(std::string_view key);

  /// Remembers an error at a key, or at the table where the key is missing.
  void complain(std::string_view key, std::string what, std::string hint = {});
  /// The first error.
  result<void> state() const { return state_; }

 private:
  const toml::node* find(std::string_view key, bool required);
  const std::filesystem::path& file_;
  const toml::table& table_;
  result<void> state_;
};

}  // namespace numatch::reproduce
