// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>

namespace numatch {

/// A process of its own that a test observes. It works step by step: say() hands a number to the
/// test, which waits for it with hear(); wait() returns when the test calls go_on().
class observed_child {
 public:
  class script {
   public:
    script(int in, int out) : in_(in), out_(out) {}
    void say(std::uint64_t number) const {
      if (::write(out_, &number, sizeof number) != sizeof number) ::_exit(1);
    }
    void say(const volatile void* address) const { say(reinterpret_cast<std::uint64_t>(address)); }
    void wait() const {
      char order = 0;
      if (::read(in_, &order, 1) != 1) ::_exit(1);
    }

   private:
    int in_;
    int out_;
  };

  explicit observed_child(const std::function<void(const script&)>& work) {
    if (::pipe(orders_) != 0 || ::pipe(answers_) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ < 0) std::abort();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(orders_[1]);
      ::close(answers_[0]);
      work(script(orders_[0], answers_[1]));
      ::_exit(0);
    }
    ::close(orders_[0]);
    ::close(answers_[1]);
  }
  observed_child(const observed_child&) = delete;
  observed_child& operator=(const observed_child&) = delete;
  ~observed_child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(orders_[1]);
    ::close(answers_[0]);
  }

  pid_t pid() const { return pid_; }
  /// The child's next number; 0 when it has ended.
  std::uint64_t hear() const {
    std::uint64_t number = 0;
    return ::read(answers_[0], &number, sizeof number) == sizeof number ? number : 0;
  }
  void go_on() const {
    if (::write(orders_[1], "g", 1) != 1) std::abort();
  }
  /// Waits for its end; its exit code.
  int ended() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  int orders_[2] = {-1, -1};
  int answers_[2] = {-1, -1};
  pid_t pid_ = -1;
};

/// Private memory of small pages, untouched.
inline char* fresh_pages(std::size_t pages) {
  const std::size_t bytes = pages * 4096;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(memory);
}

}  // namespace numatch
