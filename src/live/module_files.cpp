// SPDX-License-Identifier: Apache-2.0
#include "live/module_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace numatch::live {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

result<std::string> module_sources() {
  const std::string given = variable("NUMATCH_MODULE");
  std::vector<std::string> folders{given};
  if (given.empty()) folders = {NUMATCH_MODULE_INSTALLED, NUMATCH_MODULE_SOURCE};
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (std::filesystem::exists(folder + "/Kbuild", ignored)) return folder;
  }
  return fail(folders.front(), "the sources of the kernel module are not there",
              "NUMATCH_MODULE names their folder");
}

result<std::string> module_folder(const std::string& release) {
  std::string cache = variable("XDG_CACHE_HOME");
  const std::string home = variable("HOME");
  if (cache.empty() && home.empty()) {
    return fail("module", "there is no home folder to keep it in", "name a folder with --output");
  }
  if (cache.empty()) cache = home + "/.cache";
  return cache + "/numatch/module/" + release;
}

std::optional<std::string> installed_module(const system_tree& tree, const std::string& release) {
  const std::string modules = "/lib/modules/" + release;
  // A line is "updates/dkms/numatch.ko.xz: what it needs".
  const std::string index = tree.text(modules + "/modules.dep").value_or("");
  const std::size_t name = index.find("/numatch.ko");
  if (name == std::string::npos) return std::nullopt;
  const std::size_t line = index.rfind('\n', name);
  const std::size_t begin = line == std::string::npos ? 0 : line + 1;
  return modules + "/" + index.substr(begin, index.find(':', name) - begin);
}

std::optional<std::string> release_of_module_bytes(const std::string& bytes) {
  constexpr std::string_view key("\0vermagic=", 10);
  const std::size_t found = bytes.find(key);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t begin = found + key.size();
  const std::size_t end = bytes.find_first_of(std::string_view(" \0", 2), begin);
  return end == std::string::npos ? std::nullopt : std::optional(bytes.substr(begin, end - begin));
}

result<std::string> release_of_module(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(file, "there is no such module", "numatch module build makes it");
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::optional<std::string> release = release_of_module_bytes(bytes);
  if (!release) return fail(file, "is no kernel module");
  return *release;
}

}  // namespace numatch::live
