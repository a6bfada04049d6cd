// SPDX-License-Identifier: Apache-2.0
#include "live/module_build.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace numatch::live {

namespace {

/// What an outer build sets and the kernel's must not see.
bool is_of_a_build(std::string_view variable) {
  for (const std::string_view name : {"MAKEFLAGS=", "MAKELEVEL=", "CFLAGS=", "MFLAGS="}) {
    if (variable.starts_with(name)) return true;
  }
  return false;
}

/// The exit status of a command whose output goes to a file; an error when it cannot be started.
result<int> run_logged(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_of_a_build(*variable)) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int code = ::posix_spawnp(&child, arguments.front(), &files, nullptr, arguments.data(),
                                  variables.data());
  ::posix_spawn_file_actions_destroy(&files);
  if (code != 0) return fail(words.front(), std::strerror(code), "apt-get install make gcc");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string first_complaint(const std::string& log) {
  std::size_t begin = 0;
  while (begin < log.size()) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (line.find("error:") != std::string::npos || line.find("***") != std::string::npos ||
        line.find("not found") != std::string::npos) {
      return line;
    }
    begin = end + 1;
  }
  return "";
}

result<std::string> build_module(const module_build& wanted) {
  std::error_code trouble;
  if (!std::filesystem::exists(wanted.headers + "/Makefile", trouble)) {
    return fail(wanted.headers,
                "there are no headers of this kernel, so nothing can be built for it",
                "on Debian: apt-get install linux-headers-$(uname -r)");
  }
  std::filesystem::create_directories(wanted.folder, trouble);
  if (trouble) return fail(wanted.folder, trouble.message());
  const std::string log = wanted.folder + "/log";
  const result<int> made = run_logged(
      {"make", "-s", "-C", wanted.sources, "HEADERS=" + wanted.headers, "OUT=" + wanted.folder},
      log);
  if (!made) return tl::unexpected(made.error());
  if (*made != 0) {
    std::ifstream in(log);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string first = first_complaint(text);
    return fail(log, first.empty() ? "the module cannot be built" : "cannot be built: " + first);
  }
  return wanted.folder + "/numatch.ko";
}

}  // namespace numatch::live
