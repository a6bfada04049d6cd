// SPDX-License-Identifier: Apache-2.0
#include "live/launch_guard.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "live/leave_owner.hpp"

namespace numatch::live {

namespace {

/// What the guard does with its life; the exit code says whether the program went on.
int guard_program(int orders, int program) {
  std::array<int, 2> kept{orders, program};
  leave_owner("numatch-launch", kept);
  const bool told = wait_for_byte_or_end(kept[0]);
  const long sent = ::syscall(SYS_pidfd_send_signal, kept[1], told ? SIGCONT : SIGKILL, nullptr, 0);
  return told && sent == 0 ? 0 : 1;
}

}  // namespace

result<launch_guard> launch_guard::start(pid_t program) {
  const owned_fd held(static_cast<int>(::syscall(SYS_pidfd_open, program, 0)));
  if (!held) return fail("pidfd_open", std::strerror(errno));
  // Not a pipe: writing to one whose reader is gone would end us.
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail("socketpair", std::strerror(errno));
  }
  const owned_fd childs(ends[0]);
  owned_fd ours(ends[1]);
  const pid_t guard = ::fork();
  if (guard < 0) return fail("fork", std::strerror(errno));
  if (guard == 0) ::_exit(guard_program(childs.get(), held.get()));
  return launch_guard(std::move(ours), guard, program);
}

launch_guard::launch_guard(launch_guard&& other) noexcept
    : orders_(std::move(other.orders_)),
      guard_(std::exchange(other.guard_, 0)),
      program_(other.program_) {}

launch_guard& launch_guard::operator=(launch_guard&& other) noexcept {
  std::swap(orders_, other.orders_);
  std::swap(guard_, other.guard_);
  std::swap(program_, other.program_);
  return *this;
}

launch_guard::~launch_guard() {
  if (guard_ == 0) return;
  orders_ = owned_fd();
  wait();
}

int launch_guard::wait() {
  int status = 0;
  pid_t got = 0;
  do {
    got = ::waitpid(guard_, &status, 0);
  } while (got < 0 && errno == EINTR);
  guard_ = 0;
  return got < 0 ? -1 : status;
}

void launch_guard::let_go() {
  if (guard_ == 0) return;
  const char go = 'g';
  const bool told = ::send(orders_.get(), &go, 1, MSG_NOSIGNAL) == 1;
  // Somebody ended the guard: then nobody else continues the program.
  if (wait() != 0 || !told) ::kill(program_, SIGCONT);
}

}  // namespace numatch::live
