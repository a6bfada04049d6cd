// SPDX-License-Identifier: Apache-2.0
#include "live/launched_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "live/owned_fd.hpp"

namespace numatch::live {

namespace {

[[noreturn]] void become_program(char* const* words, int answer, pid_t starter) {
  // If the starter has ended, its heir would trace the program and never let it go.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != starter) ::_exit(126);
  // The kernel stops a traced program when it has been loaded.
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  // From here on it is the starter's, and without it an ordinary program.
  ::prctl(PR_SET_PDEATHSIG, 0);
  ::execvp(words[0], words);
  const int code = errno;
  if (::write(answer, &code, sizeof code) < 0) ::_exit(126);
  ::_exit(127);
}

int wait_for(pid_t pid, int options) {
  int status = 0;
  while (::waitpid(pid, &status, options) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

result<launched_program> launched_program::start(const std::vector<std::string>& command) {
  std::vector<std::string> text = command;
  std::vector<char*> words;
  for (std::string& word : text) words.push_back(word.data());
  words.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("pipe", std::strerror(errno));
  const owned_fd read_end(ends[0]);
  owned_fd write_end(ends[1]);
  const pid_t starter = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return fail("fork", std::strerror(errno));
  if (pid == 0) become_program(words.data(), write_end.get(), starter);
  write_end = owned_fd();

  int code = 0;
  // Closed without a word by exec.
  if (::read(read_end.get(), &code, sizeof code) == sizeof code) {
    wait_for(pid, 0);
    return fail(command.front(), fmt::format("cannot be started: {}", std::strerror(code)));
  }
  launched_program program(pid);
  if (!WIFSTOPPED(wait_for(pid, 0))) {
    program.pid_ = -1;
    return fail(command.front(), "ended before it began");
  }
  // Until the guard is there the program ends with us, and then by the guard.
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_EXITKILL);
  result<launch_guard> guard = launch_guard::start(pid);
  if (!guard) return tl::unexpected(guard.error());
  program.guard_ = std::move(*guard);
  // It stays where it is, but free for whoever wants to trace it. The C library wants the signal as
  // a pointer; the kernel takes the number.
  ::syscall(SYS_ptrace, PTRACE_DETACH, pid, 0L, static_cast<long>(SIGSTOP));
  wait_for(pid, WUNTRACED);
  return program;
}

launched_program::launched_program(launched_program&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      let_go_(other.let_go_),
      guard_(std::move(other.guard_)) {}

launched_program& launched_program::operator=(launched_program&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(let_go_, other.let_go_);
  std::swap(guard_, other.guard_);
  return *this;
}

launched_program::~launched_program() {
  if (pid_ < 0 || let_go_) return;
  ::kill(pid_, SIGKILL);
  wait_for(pid_, 0);
}

void launched_program::let_go() {
  let_go_ = true;
  guard_.let_go();
}

int launched_program::wait() {
  const int status = wait_for(pid_, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace numatch::live
