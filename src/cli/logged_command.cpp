// SPDX-License-Identifier: Apache-2.0
#include "cli/logged_command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

namespace numatch::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> child_environment() {
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const char* const path = std::getenv("PATH");
  // In a build tree the wrappers lie in bin/ beside numatch, installed they lie beside it.
  std::vector<std::string> all{"PATH=" + (here / "bin").string() + ":" + here.string() + ":" +
                               (path == nullptr ? "/usr/bin:/bin" : path)};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (text.starts_with("PATH=") || text.starts_with("MAKE") || text.starts_with("MFLAGS=")) {
      continue;
    }
    all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

result<int> logged_command(const std::vector<std::string>& words, const fs::path& folder,
                           const fs::path& output, const fs::path& errors) {
  std::vector<std::string> arguments = words;
  std::vector<std::string> variables = child_environment();
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  constexpr int made_new = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), made_new, 0644);
  if (errors.empty()) {
    ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors.c_str(), made_new, 0644);
  }
  ::posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  // numatch may hold signals back; the command must hear them, a ^C above all.
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&how, &none);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int code = ::posix_spawnp(&child, arguments.front().c_str(), &files, &how,
                                  pointers(arguments).data(), pointers(variables).data());
  ::posix_spawnattr_destroy(&how);
  ::posix_spawn_file_actions_destroy(&files);
  if (code != 0) return fail(words.front(), std::strerror(code));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(words.front(), std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string complaint_in(const std::string& log) {
  std::istringstream lines(log);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("rror:") != std::string::npos || line.find("ERROR") != std::string::npos) {
      return line;
    }
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace numatch::cli
