// SPDX-License-Identifier: Apache-2.0
#include "reproduce/toml_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/suggest.hpp"

namespace numatch::reproduce {

toml_fields::toml_fields(const std::filesystem::path& file, const toml::table& table,
                         std::initializer_list<std::string_view> known)
    : file_(file), table_(table) {
  for (const auto& [key, node] : table) {
    if (std::ranges::find(known, key.str()) == known.end()) {
      complain(key.str(), fmt::format("unknown key '{}'", key.str()),
               suggest(key.str(), std::span(known.begin(), known.size())));
    }
  }
}

void toml_fields::complain(std::string_view key, std::string what, std::string hint) {
  if (!state_) return;
  const toml::node* const at = table_.get(key);
  const toml::node& place = at == nullptr ? table_ : *at;
  state_ = fail(fmt::format("{}:{}", file_.string(), place.source().begin.line), std::move(what),
                std::move(hint));
}

const toml::node* toml_fields::find(std::string_view key, bool required) {
  const toml::node* const node = table_.get(key);
  if (node == nullptr && required) complain(key, fmt::format("'{}' is missing", key));
  return node;
}

std::string toml_fields::text(std::string_view key, bool required) {
  const toml::node* const node = find(key, required);
  if (node == nullptr) return {};
  const std::optional<std::string> value = node->value_exact<std::string>();
  if (!value || (required && value->empty())) {
    complain(key, fmt::format("'{}' must be a text", key));
    return {};
  }
  return *value;
}

double toml_fields::number(std::string_view key) {
  const toml::node* const node = find(key, true);
  if (node == nullptr) return 0;
  const std::optional<double> value = node->value<double>();
  if (!node->is_number() || !value) {
    complain(key, fmt::format("'{}' must be a number", key));
    return 0;
  }
  return *value;
}

double toml_fields::number(std::string_view key, double otherwise) {
  return table_.contains(key) ? number(key) : otherwise;
}

bool toml_fields::yes_or_no(std::string_view key, bool otherwise) {
  const toml::node* const node = find(key, false);
  if (node == nullptr) return otherwise;
  const std::optional<bool> value = node->value_exact<bool>();
  if (!value) complain(key, fmt::format("'{}' must be true or false", key));
  return value.value_or(otherwise);
}

namespace {

/// Nothing where the node is no list of texts.
std::optional<std::vector<std::string>> texts_of(const toml::node& node) {
  const toml::array* const list = node.as_array();
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> values;
  for (const toml::node& item : *list) {
    std::optional<std::string> value = item.value_exact<std::string>();
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace

std::vector<std::string> toml_fields::texts(std::string_view key) {
  const toml::node* const node = find(key, false);
  if (node == nullptr) return {};
  std::optional<std::vector<std::string>> values = texts_of(*node);
  if (!values) complain(key, fmt::format("'{}' must be a list of texts", key));
  return std::move(values).value_or(std::vector<std::string>());
}

std::map<std::string, std::vector<std::string>> toml_fields::named_lists(std::string_view key) {
  std::map<std::string, std::vector<std::string>> values;
  const toml::node* const node = find(key, false);
  if (node == nullptr) return values;
  const toml::table* const table = node->as_table();
  if (table != nullptr) {
    for (const auto& [name, item] : *table) {
      if (std::optional<std::vector<std::string>> list = texts_of(item)) {
        values.emplace(name.str(), *std::move(list));
      }
    }
  }
  if (table == nullptr || values.size() != table->size()) {
    complain(key, fmt::format("'{}' must be a table of lists of texts", key));
  }
  return values;
}

std::map<std::string, std::string> toml_fields::named_texts(std::string_view key) {
  std::map<std::string, std::string> values;
  const toml::node* const node = find(key, false);
  if (node == nullptr) return values;
  const toml::table* const table = node->as_table();
  if (table != nullptr) {
    for (const auto& [name, item] : *table) {
      if (std::optional<std::string> value = item.value_exact<std::string>()) {
        values.emplace(name.str(), std::move(*value));
      }
    }
  }
  if (table == nullptr || values.size() != table->size()) {
    complain(key, fmt::format("'{}' must be a table of texts", key));
  }
  return values;
}

std::vector<const toml::table*> toml_fields::tables(std::string_view key) {
  std::vector<const toml::table*> values;
  const toml::node* const node = find(key, false);
  if (node == nullptr) return values;
  const toml::array* const list = node->as_array();
  if (list != nullptr) {
    for (const toml::node& item : *list) {
      if (const toml::table* const table = item.as_table()) values.push_back(table);
    }
  }
  if (list == nullptr || values.size() != list->size()) {
    complain(key, fmt::format("'{}' must be tables, [[{}]]", key, key));
  }
  return values;
}

}  // namespace numatch::reproduce
