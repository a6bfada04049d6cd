// SPDX-License-Identifier: Apache-2.0
#include "topology/machine_folders.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <set>

namespace numatch {

namespace fs = std::filesystem;

namespace {

/// The shared library that this code is part of, as the extension of the Python package is one;
/// nothing where it is part of the program itself.
std::optional<fs::path> own_library(const fs::path& program) {
  Dl_info found{};
  if (::dladdr(reinterpret_cast<const void*>(&machine_folders), &found) == 0 ||
      found.dli_fname == nullptr) {
    return std::nullopt;
  }
  fs::path file(found.dli_fname);
  std::error_code ignored;
  if (!file.is_absolute() || fs::equivalent(file, program, ignored)) return std::nullopt;
  return file;
}

}  // namespace

std::vector<fs::path> machine_folders() {
  std::vector<fs::path> folders;
  if (const char* given = std::getenv("NUMATCH_MACHINES"); given != nullptr) {
    std::string_view rest = given;
    while (!rest.empty()) {
      const std::size_t end = rest.find(':');
      if (end != 0) folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }
  // The prefix can be chosen at installation, after the build: the program knows where it lies.
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) {
    folders.push_back(program.parent_path().parent_path() / "share/numatch/machines");
  }
  if (const std::optional<fs::path> library = own_library(program); library) {
    folders.push_back(library->parent_path() / "machines");
  }
  folders.emplace_back(NUMATCH_MACHINES_INSTALLED);
  folders.emplace_back(NUMATCH_MACHINES_SOURCE);
  return folders;
}

std::optional<fs::path> find_machine(std::string_view name) {
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  for (const fs::path& folder : machine_folders()) {
    fs::path file = folder / (std::string(name) + ".toml");
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) return file;
  }
  return std::nullopt;
}

std::vector<std::string> machine_names() {
  std::set<std::string> names;
  for (const fs::path& folder : machine_folders()) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace numatch
