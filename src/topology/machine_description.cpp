// SPDX-License-Identifier: Apache-2.0
#include "topology/machine_description.hpp"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/atomic_file.hpp"
#include "base/suggest.hpp"
#include "topology/description_schema.hpp"
#include "topology/machine_folders.hpp"

namespace numatch {

namespace fs = std::filesystem;

namespace {

/// One `key = { value = …, unit = …, source = … }` with its place in the file.
struct raw_fact {
  std::string key;
  const toml::table* cells;
  unsigned line;
};

/// A table with `value` is a fact, any other table is a section.
void collect(const toml::table& section, const std::string& prefix, std::vector<raw_fact>& facts,
             std::vector<raw_fact>& strays) {
  for (const auto& [name, node] : section) {
    const std::string key = prefix + std::string(name.str());
    const unsigned line = node.source().begin.line;
    const toml::table* table = node.as_table();
    if (table != nullptr && !table->contains("value") && !table->is_inline()) {
      collect(*table, key + ".", facts, strays);
    } else {
      (table != nullptr ? facts : strays).push_back({key, table, line});
    }
  }
}

class description_reader {
 public:
  explicit description_reader(fs::path path) : path_(std::move(path)) {}

  result<machine_description> read(std::vector<fs::path>& visited);

 private:
  tl::unexpected<error> wrong(unsigned line, std::string what, std::string hint = {}) const {
    return fail(fmt::format("{}:{}", path_.string(), line), std::move(what), std::move(hint));
  }
  tl::unexpected<error> wrong(const raw_fact& raw, const error& why) const {
    return wrong(raw.line, why.what, why.hint);
  }
  tl::unexpected<error> unknown_key(const raw_fact& raw) const;
  result<machine_description> read_base(const std::string& name, std::vector<fs::path>& visited);
  result<void> add(const raw_fact& raw, machine_description& to) const;
  result<std::string> value_text(const raw_fact& raw, const known_fact& known,
                                 machine_description& to) const;
  result<void> read_distances(const raw_fact& raw, const toml::array& rows,
                              machine_description& to) const;

  fs::path path_;
};

tl::unexpected<error> description_reader::unknown_key(const raw_fact& raw) const {
  static constexpr std::array<std::string_view, 2> plain{"summary", "base"};
  return wrong(raw.line, fmt::format("unknown key '{}'", raw.key), suggest_key(raw.key, plain));
}

result<void> description_reader::read_distances(const raw_fact& raw, const toml::array& rows,
                                                machine_description& to) const {
  std::vector<std::vector<double>> table;
  for (const toml::node& row : rows) {
    std::vector<double> cells;
    const toml::array* line = row.as_array();
    if (line == nullptr) return wrong(raw.line, raw.key + " must be a list of rows");
    for (const toml::node& cell : *line) {
      const std::optional<double> value = cell.value<double>();
      if (!value || !std::isfinite(*value) || *value <= 0) {
        return wrong(raw.line, raw.key + " holds something that is not a positive number");
      }
      cells.push_back(*value);
    }
    table.push_back(std::move(cells));
  }
  for (const std::vector<double>& row : table) {
    if (row.size() != table.size()) return wrong(raw.line, raw.key + " is not square");
  }
  to.node_distances = std::move(table);
  return {};
}

result<std::string> description_reader::value_text(const raw_fact& raw, const known_fact& known,
                                                   machine_description& to) const {
  const toml::node& value = *raw.cells->get("value");
  if (known.kind == fact_kind::word) {
    const std::optional<std::string> text = value.value_exact<std::string>();
    if (!text) return wrong(raw.line, raw.key + " must be a text");
    if (const result<void> fits = check_word(known, *text); !fits) return wrong(raw, fits.error());
    return *text;
  }
  if (known.kind == fact_kind::distances) {
    const toml::array* rows = value.as_array();
    if (rows == nullptr) return wrong(raw.line, raw.key + " must be a list of rows");
    if (result<void> r = read_distances(raw, *rows, to); !r) return tl::unexpected(r.error());
    std::vector<std::string> lines;
    for (const auto& row : to.node_distances)
      lines.push_back(fmt::format("{}", fmt::join(row, " ")));
    return fmt::format("{}", fmt::join(lines, " / "));
  }
  const std::optional<double> number = value.value<double>();
  if (!value.is_number() || !number) return wrong(raw.line, raw.key + " must be a positive number");
  if (const result<void> fits = check_number(known, *number); !fits) {
    return wrong(raw, fits.error());
  }
  return fmt::format("{}", *number);
}

result<void> description_reader::add(const raw_fact& raw, machine_description& to) const {
  const known_fact* known = find_known_fact(raw.key);
  if (known == nullptr) return unknown_key(raw);
  for (const auto& [name, node] : *raw.cells) {
    const std::string_view cell = name.str();
    if (cell == "value" || cell == "unit" || cell == "source") continue;
    return wrong(raw.line, fmt::format("{} has an unknown cell '{}'", raw.key, cell),
                 "a fact has value, unit and source");
  }
  if (!raw.cells->contains("value")) return wrong(raw.line, raw.key + " has no value");
  const std::string source = (*raw.cells)["source"].value_or(std::string());
  if (source.empty()) {
    return wrong(raw.line, raw.key + " has no source", "say which paper and table, or \"assumed\"");
  }
  const std::string unit = (*raw.cells)["unit"].value_or(std::string());
  if (const result<void> fits = check_unit(*known, unit); !fits) return wrong(raw, fits.error());
  const result<std::string> text = value_text(raw, *known, to);
  if (!text) return tl::unexpected(text.error());
  topology::fact fact{raw.key, *text, unit, source};
  const auto old = std::find_if(to.facts.begin(), to.facts.end(),
                                [&](const topology::fact& f) { return f.key == raw.key; });
  if (old != to.facts.end()) {
    *old = std::move(fact);
  } else {
    to.facts.push_back(std::move(fact));
  }
  return {};
}

result<machine_description> description_reader::read_base(const std::string& name,
                                                          std::vector<fs::path>& visited) {
  fs::path beside = path_.parent_path() / (name + ".toml");
  std::error_code ignored;
  if (fs::is_regular_file(beside, ignored)) return description_reader(beside).read(visited);
  if (const std::optional<fs::path> found = find_machine(name); found) {
    return description_reader(*found).read(visited);
  }
  const std::vector<std::string> names = machine_names();
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fail(path_.string(), fmt::format("base '{}' does not exist", name), suggest(name, known));
}

result<machine_description> description_reader::read(std::vector<fs::path>& visited) {
  std::error_code ignored;
  const fs::path self = fs::weakly_canonical(path_, ignored);
  if (std::find(visited.begin(), visited.end(), self) != visited.end()) {
    return fail(path_.string(), "is based on itself");
  }
  visited.push_back(self);
  const result<std::string> text = read_file(path_);
  if (!text) return tl::unexpected(text.error());
  toml::table root;
  try {
    root = toml::parse(*text, path_.string());
  } catch (const toml::parse_error& e) {
    return wrong(e.source().begin.line, std::string(e.description()));
  }

  std::vector<raw_fact> facts;
  std::vector<raw_fact> strays;
  collect(root, "", facts, strays);
  machine_description description;
  std::string summary;
  for (const raw_fact& stray : strays) {
    const std::optional<std::string> value = root[stray.key].value_exact<std::string>();
    const bool is_known = stray.key == "summary" || stray.key == "base";
    if (!is_known && find_known_fact(stray.key) != nullptr) {
      return wrong(stray.line, stray.key + " is not a fact",
                   "write { value = …, unit = …, source = … }");
    }
    if (!is_known) return unknown_key(stray);
    if (!value) return wrong(stray.line, stray.key + " must be a text");
    if (stray.key == "summary") summary = *value;
    if (stray.key != "base") continue;
    result<machine_description> base = read_base(*value, visited);
    if (!base) return base;
    description = std::move(*base);
  }
  if (!summary.empty()) description.summary = summary;
  description.name = path_.stem().string();
  // toml++ sorts by key; a person wants the order of the file.
  std::stable_sort(facts.begin(), facts.end(),
                   [](const raw_fact& a, const raw_fact& b) { return a.line < b.line; });
  for (const raw_fact& raw : facts) {
    if (result<void> r = add(raw, description); !r) return tl::unexpected(r.error());
  }
  return description;
}

}  // namespace

const topology::fact* find_fact(const std::vector<topology::fact>& facts, std::string_view key) {
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&](const topology::fact& f) { return f.key == key; });
  return found == facts.end() ? nullptr : &*found;
}

result<machine_description> read_description(const fs::path& path) {
  std::vector<fs::path> visited;
  return description_reader(path).read(visited);
}

std::uint64_t bytes_of(const topology::fact& size) {
  double factor = 0;
  if (size.unit == "B") factor = 1;
  if (size.unit == "KiB") factor = 1024;
  if (size.unit == "MiB") factor = 1024.0 * 1024;
  if (size.unit == "GiB") factor = 1024.0 * 1024 * 1024;
  return static_cast<std::uint64_t>(std::stod(size.value) * factor);
}

}  // namespace numatch
