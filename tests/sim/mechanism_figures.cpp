// SPDX-License-Identifier: Apache-2.0
// mechanism_figures PATTERN SEED [PARAMETER=VALUE]...: what mechanisms gain on a made program on
// simics-4x2, with clocks that run 100 times faster: a table of docs/simulation-results.md. A
// parameter is for all mechanisms that have it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "sim/read_config.hpp"
#include "sim/sharing_program.hpp"
#include "sim/simulate.hpp"

namespace numatch::sim {
namespace {

constexpr std::array<std::string_view, 4> patterns{"neighbours", "own", "everybody",
                                                   "cache-resident"};
constexpr std::array<std::string_view, 6> mechanisms{"oracle", "sammu", "lapt",
                                                     "spcd",   "mvas",  "mvas-single"};

double change(double value, double base) {
  return 100 * (value / base - 1);
}

void print(const run_result& run, const run_result& base) {
  const double running = static_cast<double>(run.running_cycles) / 100;
  fmt::print(
      "| {} | {:.1f} | {:+.1f} % | {:+.1f} % | {:.1f} % | {} | {} | {:.2f} % | {:.2f} % |\n",
      run.mechanism.empty() ? "interleaved" : run.mechanism, static_cast<double>(run.cycles) / 1e6,
      change(static_cast<double>(run.cycles), static_cast<double>(base.cycles)),
      change(static_cast<double>(run.total_traffic()), static_cast<double>(base.total_traffic())),
      100 * run.remote_share(), run.pages_moved, run.threads_moved,
      static_cast<double>(run.hardware_cycles) / running,
      static_cast<double>(run.software_cycles) / running);
}

result<void> print_table(sharing how, std::uint64_t seed,
                         const std::map<std::string, std::string>& chosen) {
  const result<topology> machine = topology::load("simics-4x2");
  if (!machine) return tl::unexpected(machine.error());
  const result<machine_config> config = read_config(*machine);
  if (!config) return tl::unexpected(config.error());
  std::vector<run_options> runs(1 + mechanisms.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].pages = page_placing::interleave;
    runs[i].seed = seed;
    runs[i].time_scale = 100;
    if (i == 0) continue;
    const result<const mechanism_entry*> entry = find_mechanism(mechanisms[i - 1]);
    if (!entry) return tl::unexpected(entry.error());
    runs[i].mechanism = *entry;
    if (mechanisms[i - 1].starts_with("mvas")) {
      runs[i].parameters = {{"activation-period", "400"}, {"trace-period", "100"}};
    }
    for (const parameter& p : (*entry)->parameters) {
      const auto found = chosen.find(std::string(p.name));
      if (found != chosen.end()) runs[i].parameters.insert(*found);
    }
  }
  const std::unique_ptr<program> made = sharing_program(how, 12, seed);
  const std::atomic<bool> stop{false};
  const result<std::vector<run_result>> done =
      simulate(*machine, *config, *made, runs, 1, {}, stop);
  if (!done) return tl::unexpected(done.error());
  for (const run_result& run : *done) print(run, done->front());
  return {};
}

}  // namespace
}  // namespace numatch::sim

int main(int argc, char** argv) {
  using numatch::sim::patterns;
  const auto pattern =
      std::find(patterns.begin(), patterns.end(), argc >= 3 ? std::string_view(argv[1]) : "");
  if (pattern == patterns.end()) {
    fmt::print(stderr, "usage: mechanism_figures {} SEED [PARAMETER=VALUE]...\n",
               "neighbours|own|everybody|cache-resident");
    return 2;
  }
  std::map<std::string, std::string> chosen;
  for (int i = 3; i < argc; ++i) {
    const std::string_view text = argv[i];
    const std::size_t equals = std::min(text.find('='), text.size());
    chosen.emplace(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())));
  }
  const numatch::result<void> done =
      numatch::sim::print_table(static_cast<numatch::sim::sharing>(pattern - patterns.begin()),
                                std::strtoull(argv[2], nullptr, 10), chosen);
  if (done) return 0;
  fmt::print(stderr, "mechanism_figures: {}\n", done.error().message());
  return 2;
}
