// SPDX-License-Identifier: Apache-2.0
// simulate PATTERN ROUNDS JOBS RUNS [KEY=VALUE]...: the simulated machine's own speed on
// simics-4x2, caches, coherence, NUMA and TLBs, with these facts of the machine changed. Prints as
// JSON how many accesses it simulated, in how many seconds of CPU and wall-clock time, and the
// process's peak memory. Making the accesses is not counted.
#include "sim/simulate.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <string>

#include "programs/access_patterns.hpp"
#include "sim/read_config.hpp"
#include "topology/set_facts.hpp"

namespace numatch::sim {
namespace {

constexpr std::uint64_t first_address = 0x10000000;
constexpr std::size_t accesses_of_piece = 4096;

/// One round, again and again.
class round_walk : public program_thread {
 public:
  round_walk(std::span<const trace::access> round, std::uint64_t rounds)
      : round_(round), left_(rounds) {}

  result<piece> next() override {
    if (left_ == 0) return piece{};
    const std::size_t count = std::min(accesses_of_piece, round_.size() - at_);
    const piece next{round_.subspan(at_, count), count, nullptr};
    at_ += count;
    if (at_ == round_.size()) {
      at_ = 0;
      --left_;
    }
    return next;
  }

 private:
  std::span<const trace::access> round_;
  std::uint64_t left_;
  std::size_t at_ = 0;
};

class pattern_program : public program {
 public:
  pattern_program(bench::access_pattern pattern, std::uint64_t rounds)
      : of_thread_(bench::pattern_threads), rounds_(rounds) {
    for (unsigned t = 0; t < bench::pattern_threads; ++t) {
      of_thread_[t].reserve(bench::accesses_of_round);
      bench::do_round(pattern, t, [&](std::uint64_t offset, bool write) {
        of_thread_[t].push_back({first_address + offset, 0, 8, write});
      });
    }
  }

  std::size_t threads() const override { return of_thread_.size(); }
  std::uint64_t accesses() const override {
    return rounds_ * bench::accesses_of_round * of_thread_.size();
  }
  result<std::unique_ptr<program_thread>> start(thread_id thread) const override {
    return std::make_unique<round_walk>(of_thread_.at(thread.index()), rounds_);
  }
  bool has_region_of_interest() const override { return false; }
  result<std::vector<release>> releases() const override { return std::vector<release>{}; }

 private:
  std::vector<std::vector<trace::access>> of_thread_;
  std::uint64_t rounds_;
};

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::uint64_t peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return 0;
}

struct request {
  bench::access_pattern pattern{};
  std::uint64_t rounds = 1;
  unsigned jobs = 1;
  std::size_t runs = 1;
  std::map<std::string, std::string> settings;
};

result<std::string> measure(const request& asked) {
  const result<topology> described = topology::load("simics-4x2");
  if (!described) return tl::unexpected(described.error());
  const result<topology> machine = set_facts(*described, asked.settings);
  if (!machine) return tl::unexpected(machine.error());
  const result<machine_config> config = read_config(*machine);
  if (!config) return tl::unexpected(config.error());
  const pattern_program made(asked.pattern, asked.rounds);
  run_options plain;
  plain.threads = thread_placing::compact;
  plain.pages = page_placing::interleave;
  const std::vector<run_options> runs(asked.runs, plain);
  const std::atomic<bool> stop{false};

  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = seconds(CLOCK_MONOTONIC);
  const result<std::vector<run_result>> done =
      simulate(*machine, *config, made, runs, asked.jobs, {}, stop);
  if (!done) return tl::unexpected(done.error());
  const double cpu_taken = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  const double wall_taken = seconds(CLOCK_MONOTONIC) - wall;

  std::uint64_t accesses = 0;
  for (const run_result& run : *done) accesses += run.accesses;
  return fmt::format(
      "{{\"accesses\": {}, \"cpu_seconds\": {:.4f}, \"wall_seconds\": {:.4f}, \"peak_kib\": {}, "
      "\"cycles\": {}}}\n",
      accesses, cpu_taken, wall_taken, peak_kib(), done->front().cycles);
}

}  // namespace
}  // namespace numatch::sim

int main(int argc, char** argv) {
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  const auto pattern = argc >= 5 ? numatch::bench::pattern_named(argv[1]) : std::nullopt;
  if (!pattern || number(2) == 0 || number(3) == 0 || number(4) == 0) {
    fmt::print(stderr, "usage: simulate friendly|stream|hostile ROUNDS JOBS RUNS [KEY=VALUE]...\n");
    return 2;
  }
  std::map<std::string, std::string> settings;
  for (int i = 5; i < argc; ++i) {
    const std::string text = argv[i];
    const std::size_t equals = std::min(text.find('='), text.size());
    settings[text.substr(0, equals)] = text.substr(std::min(equals + 1, text.size()));
  }
  const numatch::result<std::string> said = numatch::sim::measure(
      {*pattern, number(2), static_cast<unsigned>(number(3)), number(4), settings});
  if (!said) {
    fmt::print(stderr, "simulate: {}\n", said.error().message());
    return 2;
  }
  fmt::print("{}", *said);
  return 0;
}
