// SPDX-License-Identifier: Apache-2.0
#include "service/controller_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace numatch::service {

namespace {

/// A line that goes on for longer is cut: no child may fill our memory.
constexpr std::size_t longest_line = 64 * 1024;

[[noreturn]] void become(char* const* words, int output, int failure, pid_t starter) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != starter) ::_exit(126);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv(words[0], words);
  const int code = errno;
  if (::write(failure, &code, sizeof code) < 0) ::_exit(126);
  ::_exit(127);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct pipe_ends {
  live::owned_fd read;
  live::owned_fd write;
};

result<pipe_ends> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("pipe", std::strerror(errno));
  return pipe_ends{live::owned_fd(ends[0]), live::owned_fd(ends[1])};
}

}  // namespace

result<controller_child> controller_child::start(const std::vector<std::string>& command) {
  std::vector<std::string> text = command;
  std::vector<char*> words;
  for (std::string& word : text) words.push_back(word.data());
  words.push_back(nullptr);
  result<pipe_ends> output = make_pipe();
  if (!output) return tl::unexpected(output.error());
  result<pipe_ends> failure = make_pipe();
  if (!failure) return tl::unexpected(failure.error());
  const pid_t starter = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return fail("fork", std::strerror(errno));
  if (pid == 0) become(words.data(), output->write.get(), failure->write.get(), starter);
  live::owned_fd end(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const int reason = errno;
  output->write = live::owned_fd();
  failure->write = live::owned_fd();
  ::fcntl(output->read.get(), F_SETFL, O_NONBLOCK);
  controller_child child(pid, std::move(end), std::move(output->read));
  int code = 0;
  // Closed without a word by exec.
  if (::read(failure->read.get(), &code, sizeof code) == sizeof code) {
    return fail(command.front(), fmt::format("cannot be started: {}", std::strerror(code)));
  }
  if (!child.end_) return fail("pidfd_open", std::strerror(reason));
  return child;
}

controller_child::controller_child(controller_child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      code_(other.code_),
      end_(std::move(other.end_)),
      output_(std::move(other.output_)),
      output_open_(other.output_open_),
      begun_(std::move(other.begun_)) {}

controller_child& controller_child::operator=(controller_child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(code_, other.code_);
  std::swap(end_, other.end_);
  std::swap(output_, other.output_);
  std::swap(output_open_, other.output_open_);
  std::swap(begun_, other.begun_);
  return *this;
}

controller_child::~controller_child() {
  if (pid_ < 0) return;
  stop(true);
  wait_for(pid_);
}

void controller_child::stop(bool at_once) {
  if (pid_ > 0) ::kill(pid_, at_once ? SIGKILL : SIGTERM);
}

std::vector<std::string> controller_child::take_lines() {
  std::vector<std::string> lines;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t got = ::read(output_.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) output_open_ = false;
    if (got <= 0) break;
    for (ssize_t at = 0; at < got; ++at) {
      const char next = part[static_cast<std::size_t>(at)];
      if (next == '\n') {
        lines.push_back(std::exchange(begun_, {}));
      } else if (begun_.size() < longest_line) {
        begun_ += next;
      }
    }
  }
  if (code_ && !begun_.empty()) lines.push_back(std::exchange(begun_, {}));
  return lines;
}

std::optional<int> controller_child::ended() {
  if (pid_ < 0) return code_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_;
}

}  // namespace numatch::service
