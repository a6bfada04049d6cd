// SPDX-License-Identifier: Apache-2.0
#include "cli/reproduce_programs.hpp"

#include <fmt/ranges.h>

#include <span>
#include <sstream>
#include <utility>

#include "base/atomic_file.hpp"
#include "cli/logged_command.hpp"
#include "reproduce/store.hpp"

namespace numatch::cli {

namespace fs = std::filesystem;

using reproduce::filled;
using reproduce::places;
using reproduce::suite_layout;
using reproduce::suite_program;

namespace {

/// Copies what is below `from`, links as links, with the paths that it has there.
result<void> copy_below(const fs::path& from, const std::vector<fs::path>& paths,
                        const fs::path& to) {
  for (const fs::path& path : paths) {
    const fs::path target = (to / path.lexically_relative(from)).lexically_normal();
    std::error_code problem;
    fs::create_directories(target.parent_path(), problem);
    fs::copy(path, target,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks |
                 fs::copy_options::skip_existing,
             problem);
    if (problem) return fail(path.string(), "cannot be copied: " + problem.message());
  }
  return {};
}

result<fs::path> first_match(const fs::path& folder, const std::string& pattern,
                             const std::string& hint) {
  const std::vector<fs::path> found = reproduce::matches(folder, pattern);
  if (found.empty()) return fail((folder / pattern).string(), "is missing", hint);
  return found.front();
}

result<fs::path> new_folder(const fs::path& folder) {
  std::error_code problem;
  fs::remove_all(folder, problem);
  if (!problem) fs::create_directories(folder, problem);
  if (problem) return fail(folder.string(), problem.message(), "name another --store");
  return folder;
}

/// Runs a command; that it failed is one line.
result<void> run(const std::vector<std::string>& words, const fs::path& folder,
                 const fs::path& log) {
  const result<int> code = logged_command(words, folder, log);
  if (!code) {
    return fail("", fmt::format("{} cannot be run: {}", words.front(), code.error().what));
  }
  if (*code == 0) return {};
  const result<std::string> said = read_file(log);
  return fail("",
              fmt::format("'{}' ended with code {}: {}", fmt::join(words, " "), *code,
                          said ? complaint_in(*said) : said.error().message()),
              "all that it said is in " + log.string());
}

}  // namespace

program_source::program_source(const reproduce::suite& of, const reproduce::suite_class& size,
                               fs::path sources, const fs::path& kept, std::string build,
                               console& terminal)
    : of_(of),
      size_(size),
      sources_(sources.empty() ? fs::path() : fs::absolute(sources).lexically_normal()),
      kept_(fs::absolute(kept)),
      build_(std::move(build)),
      terminal_(terminal) {
  if (!sources_.has_filename()) sources_ = sources_.parent_path();  // a slash at the end
}

places program_source::known_of(const suite_program& program) const {
  places known = places_of(program, size_);
  known["sources"] = sources_.string();
  known["programs"] = reproduce::programs_folder().string();
  known["suite"] = of_.folder.string();
  return known;
}

/// A copy of the sources in which the program is built; what an earlier call built is kept.
result<fs::path> program_source::build(const suite_program& program, const suite_layout& layout,
                                       const places& known) const {
  const std::vector<fs::path> paths = reproduce::copied_by(layout, known, sources_);
  const result<std::string> contents = reproduce::contents_of(sources_, paths);
  if (!contents) return tl::unexpected(contents.error());
  const std::vector<std::string> words = filled(layout.build, known);
  const std::string description =
      fmt::format("{} {} by {} in {} with {} of {}", program.name, size_.name,
                  fmt::join(words, " "), sources_.string(), build_, *contents);
  const fs::path folder = kept_ / fmt::format("{:016x}.built", reproduce::hash_of(description));
  const fs::path done = folder.string() + ".done";
  const std::string file = filled(layout.file, known);
  std::error_code ignored;
  if (!fs::exists(done, ignored)) {
    terminal_.note(fmt::format("building {}: {}", program.name, fmt::join(words, " ")));
    const result<fs::path> made = new_folder(folder);
    if (!made) return tl::unexpected(made.error());
    if (result<void> r = copy_below(sources_, paths, folder); !r) {
      return tl::unexpected(r.error());
    }
    for (const auto& [wanted, other] : layout.defaults) {
      if (fs::exists(folder / wanted, ignored)) continue;
      fs::copy_file(folder / other, folder / wanted, ignored);
    }
    const fs::path log = folder.string() + ".log";
    if (result<void> r = run(words, folder, log); !r) {
      return tl::unexpected(r.error());
    }
    if (result<fs::path> r = first_match(folder, file, "see " + log.string()); !r) {
      return r;
    }
    if (result<void> r = write_file(done, description); !r) return tl::unexpected(r.error());
  }
  return first_match(folder, file, "remove " + done.string());
}

result<fs::path> program_source::program_file(const suite_program& program,
                                              const places& known) const {
  if (!program.file.empty()) {
    const fs::path file(filled(program.file, known));
    const fs::path whole = file.is_absolute() ? file : reproduce::programs_folder() / file;
    std::error_code ignored;
    if (!program.package.empty() && !fs::exists(whole, ignored)) {
      return fail(whole.string(), "is missing", "apt-get install " + program.package);
    }
    return whole;
  }
  const result<const suite_layout*> layout = reproduce::layout_of(of_, program, known, sources_);
  if (!layout) return tl::unexpected(layout.error());
  if (!(*layout)->build.empty()) return build(program, **layout, known);
  return first_match(sources_, filled((*layout)->file, known), "");
}

result<fs::path> program_source::archive(const suite_program& program, const places& known) const {
  return first_match(sources_, filled(program.inputs, known), "get the inputs of this class");
}

result<found_program> program_source::find(const suite_program& program) const {
  const places known = known_of(program);
  const result<fs::path> file = program_file(program, known);
  if (!file) return tl::unexpected(file.error());
  const result<std::string> content = reproduce::content_of(*file);
  if (!content) return tl::unexpected(content.error());
  found_program found;
  found.command.push_back(file->string());
  for (std::string& word : filled(program.arguments, known)) {
    found.command.push_back(std::move(word));
  }
  if (!program.arguments_from.empty()) {
    const fs::path output = kept_ / (program.name + ".arguments");
    const fs::path folder = sources_.empty() ? kept_ : sources_;
    const std::vector<std::string> words = filled(program.arguments_from, known);
    if (result<void> r = run(words, folder, output); !r) {
      return tl::unexpected(r.error());
    }
    const result<std::string> text = read_file(output);
    if (!text) return tl::unexpected(text.error());
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) found.command.push_back(line);
  }
  for (const auto& [name, value] : program.environment) {
    found.environment[name] = filled(value, known);
  }
  found.description = fmt::format("trace of {} with {}\n", *content,
                                  fmt::join(std::span(found.command).subspan(1), " "));
  for (const auto& [name, value] : found.environment) {
    found.description += fmt::format("{}={}\n", name, value);
  }
  if (!program.inputs.empty()) {
    const result<fs::path> input = archive(program, known);
    if (!input) return tl::unexpected(input.error());
    const result<std::string> read = reproduce::content_of(*input);
    if (!read) return tl::unexpected(read.error());
    found.description += "input " + *read + "\n";
  }
  if (!program.prepare.empty()) {
    found.description +=
        fmt::format("input of {}\n", fmt::join(filled(program.prepare, known), " "));
  }
  return found;
}

bool program_source::has_folder(const suite_program& program) {
  return program.file.empty() || !program.inputs.empty() || !program.prepare.empty();
}

result<fs::path> program_source::make_input(const suite_program& program) const {
  const places known = known_of(program);
  const result<fs::path> folder =
      new_folder(kept_ / fmt::format("{}-{}-{}.run", of_.name, program.name, size_.name));
  if (!folder) return folder;
  const fs::path log = folder->string() + ".log";
  if (!program.inputs.empty()) {
    const result<fs::path> input = archive(program, known);
    if (!input) return input;
    if (result<void> r = run({"tar", "-xf", input->string()}, *folder, log); !r) {
      return tl::unexpected(r.error());
    }
  }
  if (!program.prepare.empty()) {
    const std::vector<std::string> words = filled(program.prepare, known);
    if (result<void> r = run(words, *folder, log); !r) {
      return tl::unexpected(r.error());
    }
  }
  std::error_code ignored;
  fs::remove(log, ignored);
  return folder;
}

}  // namespace numatch::cli
