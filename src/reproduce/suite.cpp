// SPDX-License-Identifier: Apache-2.0
#include "reproduce/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <sstream>

#include "base/atomic_file.hpp"
#include "base/suggest.hpp"
#include "reproduce/read_paper.hpp"
#include "reproduce/toml_fields.hpp"

namespace numatch::reproduce {

namespace fs = std::filesystem;

namespace {

constexpr double most_threads = 4096;

result<suite_program> read_program(const fs::path& file, const toml::table& table,
                                   const suite& so_far) {
  toml_fields fields(file, table,
                     {"name", "file", "package", "arguments", "arguments_from", "words", "size",
                      "inputs", "prepare", "environment", "threads", "region_of_interest"});
  suite_program program;
  program.name = fields.text("name");
  program.file = fields.text("file", so_far.layouts.empty());
  program.package = fields.text("package", false);
  program.arguments = fields.texts("arguments");
  program.arguments_from = fields.texts("arguments_from");
  program.words = fields.named_texts("words");
  program.size = fields.named_texts("size");
  program.inputs = fields.text("inputs", false);
  program.prepare = fields.texts("prepare");
  if (!program.inputs.empty() && so_far.sources.empty()) {
    fields.complain("inputs", "'inputs' lies below the suite's 'sources', and it has none");
  }
  if (!program.size.empty()) {
    for (const suite_class& size : so_far.classes) {
      if (program.size.contains(size.name)) continue;
      fields.complain("size", fmt::format("'size' says nothing of class {}", size.name));
    }
  }
  program.environment = fields.named_texts("environment");
  program.region_of_interest = fields.yes_or_no("region_of_interest", true);
  const double threads = fields.number("threads", program.threads);
  if (!(threads >= 1 && threads <= most_threads)) {
    fields.complain("threads", fmt::format("'threads' must be from 1 to {}", most_threads));
  } else {
    program.threads = static_cast<unsigned>(threads);
  }
  if (result<void> r = fields.state(); !r) return tl::unexpected(r.error());
  return program;
}

result<suite_layout> read_layout(const fs::path& file, const toml::table& table) {
  toml_fields fields(file, table, {"name", "has", "file", "build", "copy", "defaults"});
  suite_layout layout;
  layout.name = fields.text("name");
  layout.has = fields.texts("has");
  layout.file = fields.text("file");
  layout.build = fields.texts("build");
  layout.copy = fields.texts("copy");
  layout.defaults = fields.named_texts("defaults");
  if (layout.has.empty()) fields.complain("has", "'has' must name what tells this layout");
  if (layout.build.empty() && !(layout.copy.empty() && layout.defaults.empty())) {
    fields.complain("build", "'copy' and 'defaults' are for a 'build', which is missing");
  }
  if (result<void> r = fields.state(); !r) return tl::unexpected(r.error());
  return layout;
}

/// Refuses a second one of the same name.
template <class Item>
result<void> add(std::vector<Item>& to, result<Item> item, const fs::path& file,
                 const toml::table& table) {
  if (!item) return tl::unexpected(item.error());
  if (std::ranges::find(to, item->name, &Item::name) != to.end()) {
    return fail(fmt::format("{}:{}", file.string(), table.source().begin.line),
                fmt::format("'{}' is there twice", item->name));
  }
  to.push_back(*std::move(item));
  return {};
}

std::vector<fs::path> suite_folders() {
  std::vector<fs::path> folders;
  if (const char* const given = std::getenv("NUMATCH_SUITES"); given != nullptr) {
    std::istringstream list(given);
    for (std::string folder; std::getline(list, folder, ':');) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  folders.push_back(program.parent_path().parent_path() / "share/numatch/suites");
  folders.emplace_back(NUMATCH_SUITES_INSTALLED);
  folders.emplace_back(NUMATCH_SUITES_SOURCE);
  return folders;
}

}  // namespace

result<suite> read_suite(const fs::path& file) {
  const result<std::string> text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  toml::table table;
  try {
    table = toml::parse(*text, file.string());
  } catch (const toml::parse_error& problem) {
    return fail(fmt::format("{}:{}", file.string(), problem.source().begin.line),
                std::string(problem.description()));
  }
  toml_fields fields(file, table, {"summary", "sources", "layout", "program", "class", "paper"});
  suite read;
  read.name = file.stem().string();
  read.summary = fields.text("summary");
  read.folder = fs::absolute(file).parent_path();
  read.sources = fields.text("sources", false);
  const std::vector<const toml::table*> layouts = fields.tables("layout");
  const std::vector<const toml::table*> programs = fields.tables("program");
  const std::vector<const toml::table*> classes = fields.tables("class");
  const std::vector<const toml::table*> papers = fields.tables("paper");
  if (!layouts.empty() && read.sources.empty()) {
    fields.complain("sources", "must say what directory the layouts are of");
  }
  if (programs.empty()) fields.complain("program", "has no [[program]]");
  if (classes.empty()) fields.complain("class", "has no [[class]]");
  if (papers.empty()) fields.complain("paper", "has no [[paper]]");
  if (result<void> r = fields.state(); !r) return tl::unexpected(r.error());
  for (const toml::table* one : layouts) {
    if (result<void> r = add(read.layouts, read_layout(file, *one), file, *one); !r) {
      return tl::unexpected(r.error());
    }
  }
  for (const toml::table* one : classes) {
    if (result<void> r = add(read.classes, read_class(file, *one), file, *one); !r) {
      return tl::unexpected(r.error());
    }
  }
  for (const toml::table* one : programs) {
    if (result<void> r = add(read.programs, read_program(file, *one, read), file, *one); !r) {
      return tl::unexpected(r.error());
    }
  }
  for (const toml::table* one : papers) {
    if (result<void> r = add(read.papers, read_paper(file, *one, read), file, *one); !r) {
      return tl::unexpected(r.error());
    }
  }
  return read;
}

result<fs::path> find_suite(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return fs::path(name);
  std::vector<std::string> found;
  for (const fs::path& folder : suite_folders()) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() != ".toml") continue;
      if (entry.path().stem() == name) return entry.path();
      found.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  const std::vector<std::string_view> known(found.begin(), found.end());
  return fail(
      "--suite", fmt::format("there is no suite '{}'", name),
      known.empty() ? "set NUMATCH_SUITES to the folder that holds them" : suggest(name, known));
}

fs::path programs_folder() {
  if (const char* const given = std::getenv("NUMATCH_WORKLOADS"); given != nullptr) return given;
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path() / "workloads";
}

}  // namespace numatch::reproduce
