// SPDX-License-Identifier: Apache-2.0
// ring_program: threads that share pages in a known way, for tests of what finds that out from
// outside.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <system_error>

#include "ring_program/cpus.hpp"
#include "ring_program/session.hpp"

namespace ring {

namespace {

/// All pages lie on the node of the first CPU that this process may use.
void touch_all(const options& chosen, const memory& pages) {
  const bound_to_cpu first(allowed_cpus().front());
  for (std::size_t page = 0; page < layout_of(chosen).pages(); ++page) {
    volatile std::uint64_t* const word = pages.page(page);
    *word = 0;
  }
}

/// Number of this process, 0 for the first; `others` gets the rest there.
unsigned start_processes(unsigned processes, std::vector<pid_t>& others) {
  const pid_t first = getpid();
  for (unsigned process = 1; process < processes; ++process) {
    const pid_t child = fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot fork");
    if (child == 0) {
      others.clear();
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != first) _exit(2);
      return process;
    }
    others.push_back(child);
  }
  return 0;
}

bool all_ended_well(const std::vector<pid_t>& children) {
  bool well = true;
  for (const pid_t child : children) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    well = WIFEXITED(status) && WEXITSTATUS(status) == 0 && well;
  }
  return well;
}

int run(const options& chosen) {
  block_signals();
  const memory pages(chosen, layout_of(chosen).pages());
  start_line start(chosen.threads + chosen.processes);
  if (chosen.touch == first_touch::main_thread) touch_all(chosen, pages);
  std::vector<pid_t> others;
  const unsigned process = start_processes(chosen.processes, others);
  if (chosen.lock) pages.lock();  // forked processes do not inherit it
  const bool right = session(chosen, pages, start, process, others).run();
  return all_ended_well(others) && right ? 0 : 1;
}

}  // namespace

}  // namespace ring

int main(int count, char** words) {
  try {
    const std::optional<ring::options> chosen = ring::parse({words + 1, words + count});
    if (!chosen) {
      std::cout << ring::usage();
      return 0;
    }
    return ring::run(*chosen);
  } catch (const std::exception& wrong) {
    std::cerr << "ring_program: " << wrong.what() << '\n';
    return 2;
  }
}
