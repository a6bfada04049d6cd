// SPDX-License-Identifier: Apache-2.0
// For how long numatch stops a thread of a program when it attaches: the userfaultfd of the sensors
// wp and rwp is made and taken over, again and again, in a program whose threads compute. Prints
// the distribution of the stops, measured, and the machine's load: a stopped thread and who stopped
// it wait for processors as all others do.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/userfaultfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "live/syscall_injector.hpp"

namespace {

[[noreturn]] void compute(unsigned threads) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto forever = [] {
    for (volatile std::uint64_t rounds = 0;;) rounds = rounds + 1;
  };
  std::vector<std::thread> all;
  for (unsigned t = 1; t < threads; ++t) all.emplace_back(forever);
  forever();
  std::abort();
}

double microseconds_at(const std::vector<std::uint64_t>& sorted, double share) {
  const std::size_t last = sorted.size() - 1;
  return static_cast<double>(sorted[static_cast<std::size_t>(share * static_cast<double>(last))]) /
         1e3;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned threads = 2;
  unsigned times = 300;
  CLI::App app("For how long numatch stops a thread when it attaches");
  app.add_option("--threads", threads, "Of the program")
      ->check(CLI::Range(1U, 4096U))
      ->capture_default_str();
  app.add_option("--times", times, "Attaches")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const pid_t program = ::fork();
  if (program < 0) return 1;
  if (program == 0) compute(threads);
  ::usleep(100'000);
  const numatch::result<numatch::live::observed_process> process =
      numatch::live::observed_process::open(program);
  numatch::live::remote_call create;
  create.number = SYS_userfaultfd;
  create.arguments[0] = O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY;
  std::vector<std::uint64_t> stops;
  for (unsigned i = 0; process && i < times; ++i) {
    const numatch::result<numatch::live::taken_fd> taken =
        numatch::live::syscall_injector(*process).take(create);
    if (!taken) {
      fmt::print(stderr, "attach: {}\n", taken.error().message());
      break;
    }
    stops.push_back(taken->stop);
  }
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  if (stops.empty()) return 1;
  std::sort(stops.begin(), stops.end());
  double load = 0;
  ::getloadavg(&load, 1);
  fmt::print(
      "stops of one thread: median {:.0f} µs, p90 {:.0f} µs, p99 {:.0f} µs, longest {:.0f} µs "
      "({} attaches, measured; load {:.1f})\n",
      microseconds_at(stops, 0.5), microseconds_at(stops, 0.9), microseconds_at(stops, 0.99),
      microseconds_at(stops, 1), stops.size(), load);
  return 0;
}
