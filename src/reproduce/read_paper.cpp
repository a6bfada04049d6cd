// SPDX-License-Identifier: Apache-2.0
#include "reproduce/read_paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/suggest.hpp"
#include "reproduce/results.hpp"
#include "reproduce/toml_fields.hpp"

namespace numatch::reproduce {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view page_size = "page.size";

quantity read_quantity(toml_fields& fields, std::string_view key, const std::string& word) {
  const quantity_entry* const entry = find_quantity(word);
  if (entry != nullptr) return entry->what;
  std::vector<std::string_view> known;
  for (const quantity_entry& one : all_quantities()) known.push_back(one.key);
  fields.complain(key, fmt::format("there is no quantity '{}'", word), suggest(word, known));
  return quantity::time;
}

/// Complains where a word is none of the known ones: "there is no WHAT 'word'".
void expect_known(toml_fields& fields, std::string_view key, const std::string& word,
                  const std::vector<std::string_view>& known, std::string_view what) {
  if (std::ranges::find(known, word) != known.end()) return;
  fields.complain(key, fmt::format("there is no {} '{}'", what, word), suggest(word, known));
}

std::vector<std::string_view> views_of(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

template <class Item>
std::vector<std::string_view> names_of(const std::vector<Item>& items) {
  std::vector<std::string_view> names;
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

/// The titles of the paper's columns.
std::vector<std::string> columns_of(const suite_paper& paper) {
  std::vector<std::string> titles;
  for (const wanted_run& run : runs_of(paper, {})) titles.push_back(run.title);
  return titles;
}

result<suite_run> read_run(const fs::path& file, const toml::table& table, const suite& so_far) {
  toml_fields fields(
      file, table,
      {"name", "mechanism", "half", "parameters", "set", "region_of_interest", "instead"});
  suite_run run;
  run.name = fields.text("name");
  run.mechanism = fields.text("mechanism", false);
  run.half = fields.text("half", false);
  run.parameters = fields.texts("parameters");
  run.settings = fields.texts("set");
  if (table.contains("region_of_interest")) {
    run.region_of_interest = fields.yes_or_no("region_of_interest", true);
  }
  run.instead = fields.named_texts("instead");
  for (const auto& [program, other] : run.instead) {
    expect_known(fields, "instead", program, names_of(so_far.programs), "program");
    expect_known(fields, "instead", other, names_of(so_far.programs), "program");
  }
  if (!run.half.empty()) expect_known(fields, "half", run.half, {"threads", "pages"}, "half");
  if (run.mechanism.empty() && !run.parameters.empty()) {
    fields.complain("parameters", "there is no mechanism that could have parameters");
  }
  if (result<void> r = fields.state(); !r) return tl::unexpected(r.error());
  return run;
}

result<published_figure> read_figure(const fs::path& file, const toml::table& table,
                                     const suite_paper& paper) {
  toml_fields fields(file, table, {"mechanism", "quantity", "over", "percent", "where"});
  published_figure figure;
  figure.mechanism = fields.text("mechanism");
  figure.what = read_quantity(fields, "quantity", fields.text("quantity"));
  figure.over = fields.text("over");
  figure.percent = fields.number("percent");
  figure.where = fields.text("where");
  const std::vector<std::string> columns = columns_of(paper);
  if (std::ranges::find(columns, figure.mechanism) == columns.end()) {
    fields.complain("mechanism",
                    fmt::format("'{}' is not among the paper's mechanisms", figure.mechanism),
                    suggest(figure.mechanism, views_of(columns)));
  }
  std::vector<std::string_view> known{over_mean, over_best};
  for (const std::string& program : paper.programs) known.push_back(program);
  expect_known(fields, "over", figure.over, known, "program");
  if (result<void> r = fields.state(); !r) return tl::unexpected(r.error());
  return figure;
}

result<suite_sweep> read_sweep(const fs::path& file, const toml::table& table,
                               const suite_paper& paper, const suite& so_far) {
  toml_fields fields(
      file, table,
      {"title", "key", "values", "with", "classes", "programs", "runs", "quantities", "note"});
  suite_sweep sweep;
  sweep.title = fields.text("title");
  sweep.key = fields.text("key");
  sweep.values = fields.texts("values");
  sweep.with = fields.named_lists("with");
  sweep.classes = fields.texts("classes");
  sweep.programs = fields.texts("programs");
  sweep.runs = fields.texts("runs");
  sweep.note = fields.text("note", false);
  for (const std::string& word : fields.texts("quantities")) {
    sweep.quantities.push_back(read_quantity(fields, "quantities", word));
    if (sweep.quantities.back() == quantity::exclusivity && sweep.key != page_size) {
      fields.complain("quantities", "exclusivity changes with page.size alone");
    }
  }
  if (sweep.values.empty()) fields.complain("values", "'values' has no value");
  for (const auto& [key, values] : sweep.with) {
    if (values.size() != sweep.values.size()) {
      fields.complain("with", fmt::format("'{}' has {} values for {} of '{}'", key, values.size(),
                                          sweep.values.size(), sweep.key));
    }
  }
  for (const std::string& name : sweep.classes) {
    expect_known(fields, "classes", name, names_of(so_far.classes), "class");
  }
  for (const std::string& name : sweep.programs) {
    expect_known(fields, "programs", name, views_of(paper.programs), "program");
  }
  const std::vector<std::string> columns = columns_of(paper);
  for (const std::string& name : sweep.runs) {
    expect_known(fields, "runs", name, views_of(columns), "column");
  }
  if (sweep.programs.empty()) sweep.programs = paper.programs;
  if (result<void> r = fields.state(); !r) return tl::unexpected(r.error());
  return sweep;
}

/// Reads each table of an array into a list.
template <class Item, class Read>
result<void> read_each(const std::vector<const toml::table*>& tables, std::vector<Item>& to,
                       const Read& read) {
  for (const toml::table* one : tables) {
    result<Item> item = read(*one);
    if (!item) return tl::unexpected(item.error());
    to.push_back(*std::move(item));
  }
  return {};
}

}  // namespace

result<suite_class> read_class(const fs::path& file, const toml::table& table) {
  toml_fields fields(file, table, {"name", "time_scale", "set", "note"});
  suite_class size;
  size.name = fields.text("name");
  size.time_scale = fields.number("time_scale", 1);
  size.settings = fields.texts("set");
  const bool scaled = size.time_scale != 1 || !size.settings.empty();
  size.note = fields.text("note", scaled);
  if (!(size.time_scale >= 1)) fields.complain("time_scale", "'time_scale' must be 1 or more");
  if (result<void> r = fields.state(); !r) return tl::unexpected(r.error());
  return size;
}

result<suite_paper> read_paper(const fs::path& file, const toml::table& table,
                               const suite& so_far) {
  toml_fields fields(file, table,
                     {"name", "title", "machine", "programs", "against", "mechanisms", "halves",
                      "run", "class", "tables", "sharing", "note", "figure", "sweep"});
  suite_paper paper;
  paper.name = fields.text("name");
  paper.title = fields.text("title");
  paper.machine = fields.text("machine");
  paper.programs = fields.texts("programs");
  paper.against = fields.text("against", false);
  paper.mechanisms = fields.texts("mechanisms");
  paper.halves = fields.texts("halves");
  paper.sharing = fields.texts("sharing");
  paper.note = fields.text("note", false);
  for (const std::string& word : fields.texts("tables")) {
    paper.tables.push_back(read_quantity(fields, "tables", word));
    if (!entry_of(paper.tables.back()).in_tables) {
      fields.complain("tables", fmt::format("'{}' is for a sweep", word));
    }
  }
  for (const std::string& half : paper.halves) {
    if (std::ranges::find(paper.mechanisms, half) != paper.mechanisms.end()) continue;
    fields.complain("halves", fmt::format("'{}' is not among the paper's mechanisms", half),
                    suggest(half, views_of(paper.mechanisms)));
  }
  for (const std::string& name : paper.programs) {
    expect_known(fields, "programs", name, names_of(so_far.programs), "program");
  }
  if (paper.programs.empty()) {
    for (const suite_program& program : so_far.programs) paper.programs.push_back(program.name);
  }
  if (!paper.against.empty()) {
    expect_known(fields, "against", paper.against, views_of(paper.programs), "program");
  }
  const std::vector<const toml::table*> runs = fields.tables("run");
  const std::vector<const toml::table*> classes = fields.tables("class");
  const std::vector<const toml::table*> figures = fields.tables("figure");
  const std::vector<const toml::table*> sweeps = fields.tables("sweep");
  if (result<void> r = fields.state(); !r) return tl::unexpected(r.error());

  result<void> read = read_each(
      runs, paper.runs, [&](const toml::table& one) { return read_run(file, one, so_far); });
  if (!read) return tl::unexpected(read.error());
  read = read_each(classes, paper.classes,
                   [&](const toml::table& one) { return read_class(file, one); });
  if (!read) return tl::unexpected(read.error());
  read = read_each(figures, paper.figures,
                   [&](const toml::table& one) { return read_figure(file, one, paper); });
  if (!read) return tl::unexpected(read.error());
  read = read_each(sweeps, paper.sweeps,
                   [&](const toml::table& one) { return read_sweep(file, one, paper, so_far); });
  if (!read) return tl::unexpected(read.error());
  return paper;
}

}  // namespace numatch::reproduce
