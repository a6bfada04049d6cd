// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "live/system_trees.hpp"
#include "support/expect_text.hpp"

namespace numatch::cli {
namespace {

live::system_facts facts_of(const live::tree_files& files) {
  return live::read_system_files(live::written_tree(files).root());
}

live::availability only_newer(const live::system_facts& here) {
  if (here.kernel >= live::kernel_version{6, 12}) return {true, "", ""};
  return {false, "this kernel has no such feature", "Linux 6.12"};
}

live::availability never(const live::system_facts& /*here*/) {
  return {false, "the hardware is missing", ""};
}

live::sensor_entry entry(const char* name, int rank,
                         live::availability (*probe)(const live::system_facts&)) {
  live::sensor_entry made{};
  made.name = name;
  made.summary = "finds things";
  made.sees = "writes";
  made.rank = rank;
  made.probe = probe;
  return made;
}

class Doctor : public testing::Test {
 protected:
  std::vector<examined_sensor> examined(const live::system_facts& facts) {
    return examine(entries_, facts);
  }
  live::sensor_entry second_ = entry("hardware", 2, never);
  live::sensor_entry first_ = entry("fine", 1, only_newer);
  std::vector<const live::sensor_entry*> entries_{&second_, &first_};
};

TEST_F(Doctor, TheBestSensorComesFirst) {
  const live::system_facts facts = facts_of(live::newer_server());
  const std::vector<examined_sensor> sensors = examined(facts);
  ASSERT_EQ(sensors.size(), 2U);
  EXPECT_EQ(sensors[0].name, "fine");
  EXPECT_TRUE(sensors[0].here.works);
  EXPECT_TRUE(contains(doctor_text(facts, sensors), "--sensor auto is fine\n"));
}

TEST_F(Doctor, WhatDoesNotWorkHasItsReasonAndWhatItNeeds) {
  const live::system_facts facts = facts_of(live::debian_server());
  const std::string text = doctor_text(facts, examined(facts));
  EXPECT_TRUE(contains(text, "no sensor works here"));
  EXPECT_TRUE(contains(text, "this kernel has no such feature"));
  EXPECT_TRUE(contains(text, "needs: Linux 6.12"));
  EXPECT_TRUE(contains(text, "user 1000, without CAP_SYS_PTRACE, without CAP_PERFMON"));
  EXPECT_TRUE(contains(text, "perf_event_paranoid 3, no Yama"));
}

TEST_F(Doctor, NodesWithoutProcessorsAreListed) {
  const live::system_facts facts = facts_of(live::eight_nodes());
  const std::string text = doctor_text(facts, examined(facts));
  EXPECT_TRUE(contains(text, "Linux 7.2.12-amd64, 8 NUMA nodes\n"));
  EXPECT_TRUE(contains(text, "3          8 MiB  6-7\n"));
  EXPECT_TRUE(contains(text, "7          8 MiB  none\n"));
  EXPECT_TRUE(contains(text, "nodes without processors: 4-7"));
}

TEST_F(Doctor, AServersTextIsThis) {
  const live::system_facts facts = facts_of(live::newer_server());
  EXPECT_EQ(doctor_text(facts, examined(facts)), R"(Linux 6.12.48+deb13-amd64, 2 NUMA nodes
root, with CAP_SYS_PTRACE, with CAP_PERFMON, with CAP_SYS_NICE; kernel.perf_event_paranoid 3, no
Yama
running programs can be observed; --sensor auto is fine

node      memory  processors
0         16 MiB  0-3
1         32 MiB  4-7

sensors, the best first
  fine      yes  finds things
                 sees writes
  hardware  no   finds things
                 sees writes
                 the hardware is missing

what may interfere
  NUMA Balancing: on (1)
      the kernel moves pages and threads by itself, against other placements
      leave it on for the sensor numa-hint, else `sysctl kernel.numa_balancing=0`, which is for the
      whole machine
  numad: runs
      it moves whole programs, threads and pages, between nodes
      systemctl stop numad, or numad -x PID for one program

no concern
  cache-aware scheduling: not built in; sched_ext: disabled; processors and nodes: all; control
  group: memory: no limit; control group: processor time: no limit; nodes without processors: none;
  transparent huge pages: madvise; kernel modules: may be loaded by root
)");
}

TEST_F(Doctor, LinesFitATerminal) {
  const live::system_facts facts = facts_of(live::eight_nodes());
  std::istringstream lines(doctor_text(facts, examined(facts)));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110U) << line;
}

TEST_F(Doctor, TheJsonOfAContainerIsAsDocumented) {
  const live::system_facts facts = facts_of(live::container());
  const nlohmann::json made = nlohmann::json::parse(doctor_json(facts, examined(facts)));
  EXPECT_EQ(made["kernel"]["perf_event_paranoid"], 4);
  EXPECT_EQ(made["kernel"]["yama_ptrace_scope"], 1);
  EXPECT_EQ(made["you"]["processors"], (std::vector<unsigned>{0, 2, 3}));
  EXPECT_EQ(made["you"]["memory_bytes"], 268435456);
  EXPECT_EQ(made["you"]["processor_time"], 1.5);
  EXPECT_EQ(made["nodes"].size(), 2U);
  EXPECT_TRUE(made["best_sensor"].is_null());
  EXPECT_EQ(made["sensors"][0]["remedy"], "Linux 6.12");
  EXPECT_EQ(made["sensors"][0]["works"], false);
  EXPECT_EQ(made["concerns"].size(), 10U);
}

TEST_F(Doctor, TheJsonNamesTheBestSensor) {
  const live::system_facts facts = facts_of(live::newer_server());
  const nlohmann::json made = nlohmann::json::parse(doctor_json(facts, examined(facts)));
  EXPECT_EQ(made["best_sensor"], "fine");
  EXPECT_EQ(made["you"]["may_trace_all"], true);
  EXPECT_EQ(made["kernel"]["memory_sampling"], "cpu");
  EXPECT_TRUE(made["kernel"]["secure_boot"].is_null());
}

}  // namespace
}  // namespace numatch::cli
