// SPDX-License-Identifier: Apache-2.0
#include "reproduce/find_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>

#include "reproduce/store.hpp"

namespace numatch::reproduce {

namespace fs = std::filesystem;

places places_of(const suite_program& program, const suite_class& size) {
  places known(program.words.begin(), program.words.end());
  known["program"] = program.name;
  known["class"] = size.name;
  known["threads"] = std::to_string(program.threads);
  if (const auto found = program.size.find(size.name); found != program.size.end()) {
    known["size"] = found->second;
  }
  return known;
}

std::string filled(std::string_view text, const places& known) {
  std::string made;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    made += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    const places::const_iterator word =
        close == std::string_view::npos ? known.end() : known.find(text.substr(1, close - 1));
    made += word == known.end() ? text.substr(0, 1) : std::string_view(word->second);
    text.remove_prefix(word == known.end() ? 1 : close + 1);
  }
  return made;
}

std::vector<std::string> filled(const std::vector<std::string>& texts, const places& known) {
  std::vector<std::string> made;
  made.reserve(texts.size());
  for (const std::string& text : texts) made.push_back(filled(text, known));
  return made;
}

std::vector<fs::path> matches(const fs::path& folder, const std::string& pattern) {
  // The folder's own name is no pattern.
  std::string whole;
  for (const char letter : (folder / "").string()) {
    if (std::string_view("*?[\\").find(letter) != std::string_view::npos) whole += '\\';
    whole += letter;
  }
  glob_t found{};
  std::vector<fs::path> paths;
  if (::glob((whole + pattern).c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

result<const suite_layout*> layout_of(const suite& of, const suite_program& program,
                                      const places& known, const fs::path& sources) {
  if (sources.empty()) {
    return fail("", "its sources are not known", "--sources DIR names " + of.sources);
  }
  std::error_code problem;
  if (!fs::is_directory(sources, problem)) {
    return fail(sources.string(), "is no directory", "--sources DIR names " + of.sources);
  }
  for (const suite_layout& layout : of.layouts) {
    const bool fits = std::ranges::all_of(layout.has, [&](const std::string& path) {
      return !matches(sources, filled(path, known)).empty();
    });
    if (fits) return &layout;
  }
  std::vector<std::string> wanted;
  for (const suite_layout& layout : of.layouts) {
    wanted.push_back(fmt::format("{}", fmt::join(filled(layout.has, known), " and ")));
  }
  return fail(sources.string(), fmt::format("has no {}", program.name),
              fmt::format("looked for {}", fmt::join(wanted, ", or ")));
}

std::vector<fs::path> copied_by(const suite_layout& layout, const places& known,
                                const fs::path& sources) {
  if (layout.copy.empty()) return {sources};
  std::vector<fs::path> paths;
  for (const std::string& pattern : layout.copy) {
    const std::vector<fs::path> found = matches(sources, filled(pattern, known));
    paths.insert(paths.end(), found.begin(), found.end());
  }
  return paths;
}

result<std::string> contents_of(const fs::path& folder, const std::vector<fs::path>& paths) {
  std::vector<std::string> files;
  std::error_code problem;
  const auto add = [&](const fs::path& path) -> result<void> {
    const std::string name = path.lexically_relative(folder).string();
    if (fs::is_symlink(path, problem)) {
      files.push_back(name + " -> " + fs::read_symlink(path, problem).string());
    } else if (fs::is_regular_file(path, problem)) {
      const result<std::string> content = content_of(path);
      if (!content) return tl::unexpected(content.error());
      files.push_back(name + " " + *content);
    }
    return {};
  };
  for (const fs::path& path : paths) {
    if (result<void> r = add(path); !r) return tl::unexpected(r.error());
    if (!fs::is_directory(path, problem)) continue;
    for (fs::recursive_directory_iterator at(path, problem), end; at != end;
         at.increment(problem)) {
      if (result<void> r = add(at->path()); !r) return tl::unexpected(r.error());
      if (problem) break;
    }
    if (problem) return fail(path.string(), problem.message());
  }
  std::ranges::sort(files);
  return fmt::format("{:016x} of {} files", hash_of(fmt::format("{}", fmt::join(files, "\n"))),
                     files.size());
}

}  // namespace numatch::reproduce
