// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <new>
#include <utility>

namespace numatch::live {

/// What a test and its child process tell each other: memory that both see.
template <class T>
class shared_with_child {
 public:
  shared_with_child()
      : value_(new(::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                          -1, 0)) T()) {}
  shared_with_child(const shared_with_child&) = delete;
  shared_with_child& operator=(const shared_with_child&) = delete;
  ~shared_with_child() { ::munmap(value_, sizeof(T)); }
  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }

 private:
  T* value_;
};

/// In a child process of `parent`: it ends with its parent, also when the parent has ended already.
inline void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
}

/// A child process that runs `body` and ends with what it returns; it never outlives the test.
class child_process {
 public:
  template <class Body>
  explicit child_process(Body body) {
    const pid_t owner = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return;
    end_with(owner);
    ::_exit(body());
  }
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  pid_t pid() const { return pid_; }
  void kill(int signal) const { ::kill(pid_, signal); }
  /// The exit code, or 128 + the signal that ended it; -1 when somebody else took it.
  int wait() {
    const pid_t pid = std::exchange(pid_, 0);
    int status = 0;
    if (::waitpid(pid, &status, 0) != pid) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

/// Gives way until `reached()`; a test that waits for what never comes ends by the test's time
/// limit.
template <class Condition>
void wait_until(Condition reached) {
  while (!reached()) ::usleep(200);
}

}  // namespace numatch::live
