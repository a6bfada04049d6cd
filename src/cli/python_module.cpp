// SPDX-License-Identifier: Apache-2.0
#include "cli/python_module.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace numatch::cli {

namespace {

// Of the packages, "numatch" alone tells that ours is missing; the module names the others itself.
constexpr const char* start = R"(import importlib, sys
sys.path[:] = [folder for folder in sys.path if folder]
try:
    module = importlib.import_module(sys.argv[1])
except ModuleNotFoundError as missing:
    package = (missing.name or "").partition(".")[0]
    what = "pip install . in numatch's source" if package == "numatch" else f"pip install {package}"
    sys.exit(print(f"numatch: sweep: the Python package '{package}' is missing for {sys.executable}"
                   f"; install it: {what}; NUMATCH_PYTHON names another interpreter",
                   file=sys.stderr) or 2)
sys.exit(module.main(sys.argv[2:])))"
                              "\n";

}  // namespace

error become_python(const std::string& module, const std::string& argument) {
  const char* const named = std::getenv("NUMATCH_PYTHON");
  const std::string python = named != nullptr && *named != 0 ? named : "python3";
  const std::array<const char*, 6> words{python.c_str(),   "-c",   start, module.c_str(),
                                         argument.c_str(), nullptr};
  std::fflush(nullptr);
  ::execvp(python.c_str(), const_cast<char* const*>(words.data()));
  const std::error_code problem(errno, std::generic_category());
  return {problem.message(), python, "install Python 3.11 or newer, or name it in NUMATCH_PYTHON"};
}

}  // namespace numatch::cli
