// SPDX-License-Identifier: Apache-2.0
// What the papers saw, on made programs of some million accesses. They are short, so the
// mechanisms' clocks run 100 times faster; docs/simulation-results.md has the figures and the
// margins' source.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "sim/read_config.hpp"
#include "sim/sharing_program.hpp"
#include "sim/simulate.hpp"
#include "topology/set_facts.hpp"

namespace numatch::sim {
namespace {

constexpr double clock_scale = 100;
constexpr std::uint64_t rounds = 12;
constexpr unsigned seeds = 2;

struct wanted_run {
  std::string mechanism;  ///< empty: none
  std::map<std::string, std::string> parameters;
};
using settings = std::map<std::string, std::string>;

/// Pages start interleaved, threads where the operating system would put them.
std::vector<run_result> simulated(sharing how, const std::vector<wanted_run>& wanted,
                                  std::uint64_t seed = 1, const settings& machine_settings = {}) {
  const result<topology> papers = topology::load("simics-4x2");
  if (!papers) return {};
  const result<topology> machine = set_facts(*papers, machine_settings);
  if (!machine) return {};
  const result<machine_config> config = read_config(*machine);
  if (!config) return {};
  std::vector<run_options> runs;
  for (const wanted_run& w : wanted) {
    run_options options;
    options.pages = page_placing::interleave;
    options.seed = seed;
    options.time_scale = clock_scale;
    options.parameters = w.parameters;
    if (!w.mechanism.empty()) {
      const result<const mechanism_entry*> entry = find_mechanism(w.mechanism);
      if (!entry) return {};
      options.mechanism = *entry;
    }
    runs.push_back(options);
  }
  const std::unique_ptr<program> made = sharing_program(how, rounds, seed);
  const std::atomic<bool> stop{false};
  const result<std::vector<run_result>> done =
      simulate(*machine, *config, *made, runs, 1, {}, stop);
  return done ? *done : std::vector<run_result>{};
}

double time_share(const run_result& run, const run_result& base) {
  return static_cast<double>(run.cycles) / static_cast<double>(base.cycles);
}

double traffic_share(const run_result& run, const run_result& base) {
  return static_cast<double>(run.total_traffic()) / static_cast<double>(base.total_traffic());
}

double share_of_time(std::uint64_t cycles, const run_result& run) {
  return static_cast<double>(cycles) / static_cast<double>(run.running_cycles);
}

const wanted_run nothing{};

TEST(Directions, OnNeighboursTheOracleIsBeforeSammuAndSammuBeforeLaptAndAllBeatInterleaving) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::vector<run_result> runs = simulated(
        sharing::neighbours, {nothing, {"oracle", {}}, {"sammu", {}}, {"lapt", {}}}, seed);
    ASSERT_EQ(runs.size(), 4U);
    const double oracle = time_share(runs[1], runs[0]);
    const double sammu = time_share(runs[2], runs[0]);
    const double lapt = time_share(runs[3], runs[0]);
    constexpr double tolerance = 0.02;
    EXPECT_LT(oracle, sammu + tolerance);
    EXPECT_LT(sammu, lapt + tolerance);
    EXPECT_LT(lapt, 0.97);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      EXPECT_GE(runs[i].decisions.size(), 2U) << runs[i].mechanism;
    }
  }
}

TEST(Directions, TrafficFallsFarMoreThanTime) {
  const std::vector<run_result> runs =
      simulated(sharing::neighbours, {nothing, {"oracle", {}}, {"sammu", {}}});
  ASSERT_EQ(runs.size(), 3U);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    EXPECT_GT(1 - traffic_share(runs[i], runs[0]), 1.3 * (1 - time_share(runs[i], runs[0])))
        << runs[i].mechanism;
  }
}

TEST(Directions, WhereNothingIsSharedPageMappingAloneDoesAll) {
  for (const char* name : {"oracle", "sammu", "lapt"}) {
    const std::vector<run_result> runs = simulated(
        sharing::own,
        {nothing, {name, {}}, {name, {{"act-on", "pages"}}}, {name, {{"act-on", "threads"}}}});
    ASSERT_EQ(runs.size(), 4U);
    const double pages = time_share(runs[2], runs[0]);
    EXPECT_LT(pages, 0.95) << name;
    EXPECT_NEAR(pages, time_share(runs[1], runs[0]), 0.01) << name;
    EXPECT_NEAR(time_share(runs[3], runs[0]), 1, 0.03) << name;
  }
}

TEST(Directions, WhereAllThreadsShareAlikeMappingThreadsGainsNothing) {
  const std::vector<run_result> runs =
      simulated(sharing::everybody, {nothing, {"oracle", {{"act-on", "threads"}}}});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_GT(time_share(runs[1], runs[0]), 0.97);
}

TEST(Directions, AProgramThatStaysInItsCachesGainsNothing) {
  const std::vector<run_result> runs = simulated(
      sharing::cache_resident,
      {nothing, {"oracle", {}}, {"sammu", {}}, {"lapt", {}}, {"spcd", {}}, {"next-touch", {}}});
  ASSERT_EQ(runs.size(), 6U);
  for (const run_result& run : runs) {
    EXPECT_NEAR(time_share(run, runs[0]), 1, 0.01) << run.mechanism;
  }
}

TEST(Directions, LaptsAndSammusOwnWorkIsBelowOnePercentAndSpcdsBelowTwo) {
  for (const sharing how : {sharing::neighbours, sharing::own, sharing::everybody}) {
    const std::vector<run_result> runs =
        simulated(how, {{"lapt", {}}, {"sammu", {}}, {"spcd", {}}});
    ASSERT_EQ(runs.size(), 3U);
    for (const run_result& run : runs) {
      EXPECT_GT(run.hardware_events + run.induced_faults, 0U) << run.mechanism;
      const double most = run.mechanism == "spcd" ? 0.02 : 0.01;
      EXPECT_LT(share_of_time(run.hardware_cycles, run), most) << run.mechanism;
      EXPECT_LT(share_of_time(run.software_cycles, run), most) << run.mechanism;
    }
  }
}

TEST(Directions, ASingleViewLosesTheSharersThatViewsPerThreadFind) {
  const std::map<std::string, std::string> periods{{"activation-period", "400"},
                                                   {"trace-period", "100"}};
  const std::vector<run_result> runs =
      simulated(sharing::neighbours, {nothing, {"mvas", periods}, {"mvas-single", periods}});
  ASSERT_EQ(runs.size(), 3U);
  const run_result& views = runs[1];
  const run_result& single = runs[2];
  EXPECT_GT(views.induced_faults, single.induced_faults);
  EXPECT_GT(views.threads_moved, 0U);
  // Neighbours that are not known as such stay apart, and their lines go from chip to chip.
  EXPECT_LT(static_cast<double>(views.cache_to_cache),
            0.9 * static_cast<double>(single.cache_to_cache));
}

TEST(Directions, FarChipsCostAMappedProgramMuchLess) {
  std::map<std::string, std::vector<run_result>> by_latency;
  for (const char* latency : {"10 cycles", "70 cycles"}) {
    by_latency[latency] = simulated(sharing::neighbours, {nothing, {"oracle", {}}}, 1,
                                    {{"link.inter.latency", latency}});
    ASSERT_EQ(by_latency[latency].size(), 2U);
  }
  const auto growth = [&](std::size_t run) {
    return by_latency["70 cycles"][run].cpi() - by_latency["10 cycles"][run].cpi();
  };
  EXPECT_GT(growth(0), 0.5);
  EXPECT_LT(growth(1), 0.6 * growth(0));
}

}  // namespace
}  // namespace numatch::sim
