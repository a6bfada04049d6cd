// SPDX-License-Identifier: Apache-2.0
#include "service/configuration.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/atomic_file.hpp"
#include "base/suggest.hpp"
#include "control/run_control.hpp"
#include "live/sensor.hpp"
#include "service/listen_address.hpp"

namespace numatch::service {

namespace {

constexpr std::array<std::string_view, 5> top_keys{"enabled", "interval_seconds", "most_programs",
                                                   "metrics", "program"};
constexpr std::array<std::string_view, 13> program_keys{
    "name",    "executable", "cgroup",     "user",   "least_threads", "least_cpu_seconds",
    "dry_run", "mechanism",  "parameters", "sensor", "budget",        "page_rate",
    "cached"};

/// One table of the file, which keeps the first thing that is wrong with it.
class table_reader {
 public:
  table_reader(const std::string& file, const toml::table& table,
               std::span<const std::string_view> known)
      : file_(file), table_(table) {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      const unsigned line = std::max<unsigned>(key.source().begin.line, 1);
      if (problem_ && line >= problem_line_) continue;
      problem_ = error{fmt::format("unknown key '{}'", key.str()),
                       fmt::format("{}:{}", file_, line), suggest(key.str(), known)};
      problem_line_ = line;
    }
  }

  void flag(std::string_view key, bool& value) {
    if (const toml::node* node = table_.get(key)) {
      if (const std::optional<bool> read = node->value_exact<bool>()) {
        value = *read;
      } else {
        wrong(key, "must be true or false");
      }
    }
  }
  void text(std::string_view key, std::string& value) {
    if (const toml::node* node = table_.get(key)) {
      const std::optional<std::string> read = node->value_exact<std::string>();
      if (read && !read->empty()) {
        value = *read;
      } else {
        wrong(key, "must be a text");
      }
    }
  }
  void number(std::string_view key, double least, double most, double& value) {
    if (const toml::node* node = table_.get(key)) {
      const std::optional<double> read = node->is_number() ? node->value<double>() : std::nullopt;
      if (read && *read >= least && *read <= most) {
        value = *read;
      } else {
        wrong(key, fmt::format("must be a number from {} to {}", least, most));
      }
    }
  }
  void whole(std::string_view key, std::uint64_t least, std::uint64_t most, std::uint64_t& value) {
    if (const toml::node* node = table_.get(key)) {
      const std::optional<std::int64_t> read = node->value_exact<std::int64_t>();
      if (read && *read >= 0 && static_cast<std::uint64_t>(*read) >= least &&
          static_cast<std::uint64_t>(*read) <= most) {
        value = static_cast<std::uint64_t>(*read);
      } else {
        wrong(key, fmt::format("must be a whole number from {} to {}", least, most));
      }
    }
  }
  void texts(std::string_view key, std::vector<std::string>& values) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr) return wrong(key, "must be a list of texts");
    for (const toml::node& cell : *list) {
      const std::optional<std::string> read = cell.value_exact<std::string>();
      if (!read) return wrong(key, "must be a list of texts");
      values.push_back(*read);
    }
  }
  bool has(std::string_view key) const { return table_.contains(key); }

  /// At the key's line, or at the table's when it is not there.
  void wrong(std::string_view key, std::string_view what, std::string hint = {}) {
    if (problem_) return;
    const toml::node* node = table_.get(key);
    const unsigned line = (node != nullptr ? node->source() : table_.source()).begin.line;
    problem_ = error{fmt::format("{} {}", key, what),
                     fmt::format("{}:{}", file_, std::max<unsigned>(line, 1)), std::move(hint)};
  }
  const std::optional<error>& problem() const { return problem_; }

 private:
  const std::string& file_;
  const toml::table& table_;
  std::optional<error> problem_;
  unsigned problem_line_ = 0;
};

void read_user(table_reader& table, std::optional<uid_t>& user) {
  if (!table.has("user")) return;
  std::string name;
  table.text("user", name);
  if (name.empty()) return;
  const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && name.size() < 10) {
    user = static_cast<uid_t>(std::stoul(name));
  } else if (const passwd* found = ::getpwnam(name.c_str())) {
    user = found->pw_uid;
  } else {
    table.wrong("user", fmt::format("'{}' does not exist here", name));
  }
}

void check_mechanism(table_reader& table, const program_rule& rule) {
  control::run_options options;
  options.mechanism = rule.mechanism;
  for (const std::string& given : rule.parameters) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos || equals == 0) {
      return table.wrong("parameters", fmt::format("has '{}', which is not NAME=VALUE", given));
    }
    options.parameters.insert_or_assign(given.substr(0, equals), given.substr(equals + 1));
  }
  if (const result<void> fits = control::check_run(options); !fits) {
    const error& why = fits.error();
    table.wrong(rule.parameters.empty() ? "mechanism" : "parameters",
                fmt::format("'{}': {}", rule.mechanism, why.what), why.hint);
  }
}

void check_sensor(table_reader& table, const std::string& sensor) {
  std::vector<std::string_view> known{"auto"};
  for (const live::sensor_entry* entry : live::all_sensors()) known.push_back(entry->name);
  if (std::find(known.begin(), known.end(), sensor) == known.end()) {
    table.wrong("sensor", fmt::format("'{}' does not exist", sensor), suggest(sensor, known));
  }
}

result<program_rule> read_rule(const std::string& file, const toml::table& cells) {
  table_reader table(file, cells, program_keys);
  program_rule rule;
  table.text("name", rule.name);
  table.text("executable", rule.executable);
  table.text("cgroup", rule.cgroup);
  read_user(table, rule.user);
  table.whole("least_threads", 1, 1'000'000, rule.least_threads);
  table.whole("least_cpu_seconds", 0, 1'000'000'000, rule.least_cpu_seconds);
  table.flag("dry_run", rule.dry_run);
  table.text("mechanism", rule.mechanism);
  table.texts("parameters", rule.parameters);
  check_mechanism(table, rule);
  table.text("sensor", rule.sensor);
  check_sensor(table, rule.sensor);
  table.number("budget", 0.01, 100, rule.budget_percent);
  table.number("page_rate", 0.1, 1e6, rule.page_megabytes);
  if (table.has("cached")) {
    table.whole("cached", 0, std::uint64_t{1} << 50, rule.cached_bytes.emplace());
  }
  if (rule.name.empty()) table.wrong("name", "is missing", "it stands before what is told of it");
  if (rule.executable.empty() && rule.cgroup.empty()) {
    table.wrong("executable", "is missing, and cgroup, too", "one of them must say what is meant");
  }
  if (!rule.cgroup.empty() && rule.cgroup.front() != '/') {
    table.wrong("cgroup", "must begin with a slash", "as in /proc/PID/cgroup after the last colon");
  }
  if (table.problem()) return tl::unexpected(*table.problem());
  return rule;
}

result<void> read_rules(const std::string& file, const toml::node& node,
                        std::vector<program_rule>& rules) {
  const toml::array* list = node.as_array();
  if (list == nullptr || !list->is_homogeneous(toml::node_type::table)) {
    return fail(fmt::format("{}:{}", file, node.source().begin.line), "program is no list",
                "write [[program]] above each program's lines");
  }
  for (const toml::node& cells : *list) {
    result<program_rule> rule = read_rule(file, *cells.as_table());
    if (!rule) return tl::unexpected(rule.error());
    rules.push_back(std::move(*rule));
  }
  return {};
}

}  // namespace

result<configuration> parse_configuration(std::string_view text, const std::string& file) {
  toml::table root;
  try {
    root = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    return fail(fmt::format("{}:{}", file, e.source().begin.line), std::string(e.description()));
  }
  configuration read;
  table_reader table(file, root, top_keys);
  table.flag("enabled", read.enabled);
  table.number("interval_seconds", 0.05, 3600, read.interval_seconds);
  table.whole("most_programs", 1, 10'000, read.most_programs);
  table.text("metrics", read.metrics);
  if (!read.metrics.empty()) {
    const result<listen_address> where = parse_listen_address(read.metrics);
    if (!where) table.wrong("metrics", where.error().what, where.error().hint);
  }
  if (table.problem()) return tl::unexpected(*table.problem());
  const toml::node* programs = root.get("program");
  if (programs == nullptr) return fail(file, "names no program", "add a [[program]]");
  if (result<void> r = read_rules(file, *programs, read.programs); !r) {
    return tl::unexpected(r.error());
  }
  return read;
}

result<configuration> read_configuration(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = 1 << 20;
  const result<std::string> text = read_file(file, most_bytes);
  if (!text) return tl::unexpected(text.error());
  return parse_configuration(*text, file.string());
}

}  // namespace numatch::service
