// SPDX-License-Identifier: Apache-2.0
// Drives the kernel module's device with random calls from several processes and threads, while
// what it observes lives, changes and is killed. The kernel's log is the judge.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <new>
#include <string>

#include "module_fuzz/common.hpp"
#include "module_fuzz/driver.hpp"
#include "module_fuzz/random.hpp"
#include "module_fuzz/victim.hpp"

namespace fuzz {

namespace {

constexpr unsigned most_drivers = 3;

/// Keeps so many drivers and victims alive, and kills one now and then.
class supervisor {
 public:
  supervisor(common& all, std::uint64_t seed) : all_(all), source_(seed) {}

  void run(std::chrono::seconds how_long) {
    const auto end = std::chrono::steady_clock::now() + how_long;
    while (std::chrono::steady_clock::now() < end) {
      replace_the_dead();
      if (source_.once_in(40)) kill_one();
      ::usleep(20'000);
    }
    for (const auto& [process, place] : children_) ::kill(process, SIGKILL);
    while (::wait(nullptr) > 0) {
    }
  }

 private:
  void make(unsigned place) {
    const std::uint64_t seed = source_.next();
    const pid_t child = ::fork();
    if (child == 0) {
      if (place < most_drivers) be_driver(all_, seed);
      be_victim(seed);
    }
    if (child < 0) return;
    children_[child] = place;
    if (place >= most_drivers) all_.victims[place - most_drivers] = child;
  }

  void replace_the_dead() {
    if (children_.empty()) {
      for (unsigned place = 0; place < most_drivers + most_victims; ++place) make(place);
    }
    for (pid_t dead = 0; (dead = ::waitpid(-1, nullptr, WNOHANG)) > 0;) {
      const auto found = children_.find(dead);
      if (found == children_.end()) continue;
      const unsigned place = found->second;
      children_.erase(found);
      make(place);
    }
    // One that a driver has stopped goes on at some time.
    for (const auto& [process, place] : children_) ::kill(process, SIGCONT);
  }

  void kill_one() {
    auto at = children_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(source_.below(children_.size())));
    ::kill(at->first, SIGKILL);
  }

  common& all_;
  random source_;
  std::map<pid_t, unsigned> children_;
};

/// Whether every call has worked at least once: else much was never reached.
bool tell(const common& all) {
  bool reached = true;
  std::string line;
  for (std::size_t i = 0; i < kinds; ++i) {
    line += fmt::format("{} {}/{}, ", names[i], all.worked[i].load(), all.tried[i].load());
    reached = reached && all.worked[i] > 0;
  }
  fmt::print("{}{} actions\n", line, all.actions.load());
  return reached;
}

int run(std::chrono::seconds how_long, std::uint64_t seed) {
  void* const mapped =
      ::mmap(nullptr, sizeof(common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return 2;
  common& all = *new (mapped) common;
  supervisor(all, seed).run(how_long);
  return tell(all) ? 0 : 1;
}

}  // namespace

}  // namespace fuzz

int main(int argc, char** argv) {
  unsigned seconds = 10;
  std::uint64_t seed = 1;
  std::uint64_t victim = 0;
  CLI::App app{"Drives the kernel module's device with random calls."};
  app.add_option("--seconds", seconds, "how long");
  app.add_option("--seed", seed);
  CLI::Option* const as_victim = app.add_option("--victim", victim, "be a process to observe");
  CLI11_PARSE(app, argc, argv);
  if (*as_victim) fuzz::be_victim(victim);
  return fuzz::run(std::chrono::seconds(seconds), seed);
}
