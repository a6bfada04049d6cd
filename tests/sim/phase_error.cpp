// SPDX-License-Identifier: Apache-2.0
// How far the simulated machine is from its own exact order when its phases are longer: two made
// programs and every trace on a machine with phases of 1, 100, … cycles, as rows of a Markdown
// table. Simulated; threads compact, pages by first touch, no mechanism.
//
//     phase_error MACHINE [TRACE...]
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "sim/made_program.hpp"
#include "sim/read_config.hpp"
#include "sim/simulate.hpp"
#include "topology/topology.hpp"
#include "trace/reader.hpp"

namespace numatch::sim {
namespace {

constexpr std::array<std::uint64_t, 6> phases{1, 100, 1000, 5000, 20'000, 100'000};

struct figure {
  std::string name;
  std::uint64_t value = 0;
};

std::vector<figure> figures_of(const run_result& run) {
  std::vector<figure> all{{"cycles", run.cycles}};
  for (const cache_counts& cache : run.caches) {
    all.push_back({fmt::format("L{} misses", cache.level), cache.misses});
  }
  all.push_back({"invalidations", run.invalidations});
  all.push_back({"cache to cache", run.cache_to_cache});
  all.push_back({"remote memory", run.remote_memory});
  all.push_back({"traffic", run.total_traffic()});
  return all;
}

/// "+1.2 %"; of nothing the difference itself.
std::string difference(std::uint64_t exact, std::uint64_t other) {
  const double more = static_cast<double>(other) - static_cast<double>(exact);
  if (exact == 0) return fmt::format("{:+.0f}", more);
  return fmt::format("{:+.1f} %", 100 * more / static_cast<double>(exact));
}

void print_rows(const std::string& name, std::span<const run_result> runs) {
  const std::vector<figure> exact = figures_of(runs.front());
  std::string values;
  for (const figure& one : exact) values += fmt::format(" {} |", one.value);
  fmt::print("| {} | 1 |{}\n", name, values);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::vector<figure> other = figures_of(runs[i]);
    std::string row;
    for (std::size_t f = 0; f < exact.size(); ++f) {
      row += fmt::format(" {} |", difference(exact[f].value, other[f].value));
    }
    fmt::print("| | {} |{}\n", phases.at(i), row);
  }
}

void print_head(const run_result& run) {
  std::string names = "| program | phase |";
  std::string line = "|---|---:|";
  for (const figure& one : figures_of(run)) {
    names += fmt::format(" {} |", one.name);
    line += "---:|";
  }
  fmt::print("{}\n{}\n", names, line);
}

constexpr unsigned threads = 8;

/// All threads read and write the same 64 lines at random, every third access a write.
made_program hostile() {
  std::mt19937_64 draw(1);
  made_program made(threads);
  for (unsigned thread = 0; thread < threads; ++thread) {
    std::vector<trace::access> accesses(100'000);
    for (trace::access& one : accesses) {
      const std::uint64_t address = draw() % 4096;
      one = draw() % 3 == 0 ? store(address, 1) : load(address, 1);
    }
    made.run(thread, std::move(accesses), 300'000);
  }
  return made;
}

/// One lock; who has it writes 16 shared lines, and works on 64 lines of its own afterwards.
made_program locked() {
  made_program made(threads);
  for (unsigned round = 0; round < 1000; ++round) {
    for (unsigned thread = 0; thread < threads; ++thread) {
      std::vector<trace::access> shared;
      std::vector<trace::access> own;
      for (std::uint64_t i = 0; i < 16; ++i) shared.push_back(store(64 * i));
      for (std::uint64_t i = 0; i < 64; ++i) own.push_back(load(65'536 * (thread + 1) + 64 * i));
      made.acquire(thread, 1).run(thread, std::move(shared)).release(thread, 1);
      made.run(thread, std::move(own), 256);
    }
  }
  return made;
}

result<std::vector<run_result>> all_phases(const topology& machine, const machine_config& config,
                                           const program& code) {
  std::vector<run_options> runs;
  for (const std::uint64_t phase : phases) {
    run_options one;
    one.threads = thread_placing::compact;
    one.phase_cycles = phase;
    runs.push_back(one);
  }
  const std::atomic<bool> stop = false;
  return simulate(machine, config, code, runs, 1, [](std::uint64_t) {}, stop);
}

result<void> compare(const char* spec, std::span<char*> traces) {
  const result<topology> machine = topology::load(spec);
  if (!machine) return tl::unexpected(machine.error());
  const result<machine_config> config = read_config(*machine);
  if (!config) return tl::unexpected(config.error());
  bool first = true;
  const auto add = [&](const std::string& name, const program& code) -> result<void> {
    const result<std::vector<run_result>> runs = all_phases(*machine, *config, code);
    if (!runs) return tl::unexpected(runs.error());
    if (first) print_head(runs->front());
    first = false;
    print_rows(name, *runs);
    return {};
  };
  if (result<void> done = add("hostile (made)", hostile()); !done) return done;
  if (result<void> done = add("locked (made)", locked()); !done) return done;
  for (const char* path : traces) {
    const result<trace::reader> trace = trace::reader::open(path);
    if (!trace) return tl::unexpected(trace.error());
    const result<std::unique_ptr<program>> traced = trace_program(*trace);
    if (!traced) return tl::unexpected(traced.error());
    const std::string name = std::filesystem::path(path).stem().string();
    if (result<void> done = add(name, **traced); !done) return done;
  }
  return {};
}

}  // namespace
}  // namespace numatch::sim

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: phase_error MACHINE [TRACE...]\n");
    return 2;
  }
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  if (const numatch::result<void> done = numatch::sim::compare(words[1], words.subspan(2)); !done) {
    fmt::print(stderr, "phase_error: {}\n", done.error().message());
    return 2;
  }
  return 0;
}
