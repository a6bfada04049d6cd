// SPDX-License-Identifier: Apache-2.0
#include "frontend/library_folder.hpp"

#include <cstdlib>
#include <vector>

namespace numatch::frontend {

namespace fs = std::filesystem;

result<fs::path> find_capture_library(std::string_view file_name) {
  std::vector<fs::path> folders;
  std::error_code problem;
  if (const char* const chosen = std::getenv("NUMATCH_LIBDIR")) {
    folders.emplace_back(chosen);
  } else {
    const fs::path home = fs::read_symlink("/proc/self/exe", problem).parent_path();
    folders = {home / "lib/numatch", home.parent_path() / "lib/numatch",
               home.parent_path() / "lib/x86_64-linux-gnu/numatch",
               home.parent_path() / "lib64/numatch",
               home.parent_path() / "lib/numatch"};  // tests lie one folder deeper
  }
  for (const fs::path& folder : folders) {
    const fs::path candidate = folder / file_name;
    if (fs::is_regular_file(candidate, problem)) return fs::absolute(candidate);
  }
  return fail(std::string(file_name), fmt::format("is not in {}", folders.front().string()),
              "install numatch completely, or set NUMATCH_LIBDIR to the folder that holds it");
}

}  // namespace numatch::frontend
