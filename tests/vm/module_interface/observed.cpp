// SPDX-License-Identifier: Apache-2.0
#include "module_interface/observed.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace {

[[noreturn]] void run(char* memory, int ready) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (bool first = true;; first = false) {
    for (std::size_t page = 0; page < observed::pages; ++page) {
      *static_cast<volatile char*>(memory + page * 4096) = 1;
    }
    if (first && ::write(ready, "r", 1) != 1) ::_exit(1);
    ::usleep(1000);
  }
}

}  // namespace

observed::observed(const std::function<void()>& before) {
  memory_ = static_cast<char*>(
      ::mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) {
    before();
    run(memory_, ends[1]);
  }
  char ready = 0;
  while (::read(ends[0], &ready, 1) < 0) {
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

observed::~observed() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::munmap(memory_, pages * 4096);
}
