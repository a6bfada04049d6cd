// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/simulation.hpp"

namespace numatch::test {

/// A run of hand-made numbers: interleaved pages, 75 % remote.
inline sim::run_result baseline_run() {
  sim::run_result run;
  run.mechanism = "os+interleave";
  run.threads_start = "as Linux places them";
  run.pages_start = "interleaved";
  run.hertz = 2e9;
  run.cycles = 20'000'000;
  run.instructions = 40'000'000;
  run.accesses = 12'000'000;
  run.running_cycles = 140'000'000;
  run.stall_tlb = 10'000'000;
  run.stall_caches = 20'000'000;
  run.stall_memory = 50'000'000;
  run.stall_queues = 12'000'000;
  run.stall_system = 8'000'000;
  run.caches = {{1, 12'000'000, 900'000}, {2, 900'000, 300'000}};
  run.tlb_accesses = 12'000'000;
  run.tlb_misses = 60'000;
  run.page_walks = 60'000;
  run.local_memory = 70'000;
  run.remote_memory = 210'000;
  run.cache_to_cache = 20'000;
  run.upgrades = 5'000;
  run.invalidations = 7'000;
  run.write_backs = 90'000;
  run.row_hits = 150'000;
  run.row_closed = 30'000;
  run.row_conflicts = 100'000;
  run.traffic_bytes = {2'000'000, 200'000, 150'000, 20'000'000, 5'000'000, 0, 0};
  run.pages = 2'048;
  run.page_faults = 2'048;
  run.dynamic_energy = {0.010, 0.004, 0.002, 0.003};
  run.static_energy = {0.020, 0.006, 0.001, 0.008};
  return run;
}

/// The same after a mechanism moved most pages.
inline sim::run_result mapped_run() {
  sim::run_result run = baseline_run();
  run.mechanism = "lapt";
  run.parameters = {{"act-on", "both"}, {"cv-length", "4"}};
  run.cycles = 17'540'000;
  run.running_cycles = 122'000'000;
  run.stall_memory = 32'000'000;
  run.local_memory = 250'000;
  run.remote_memory = 30'000;
  run.traffic_bytes = {400'000, 150'000, 100'000, 4'000'000, 900'000, 3'000'000, 50'000};
  run.pages_asked = 720;
  run.pages_moved = 700;
  run.pages_failed = 20;
  run.page_move_cycles = 1'400'000;
  run.threads_moved = 6;
  run.thread_move_cycles = 60'000;
  run.hardware_events = 54'000;
  run.events_dropped = 6'000;
  run.hardware_cycles = 540'000;
  run.table_accesses = 216'000;
  run.software_cycles = 488'000;
  run.first_thread_mapping = 600'000;
  run.first_page_move = 610'000;
  run.timeline = {{0, 10'000'000, 20'000'000, 150'000, 120'000, 9'000'000, 500, 6},
                  {10'000'000, 17'540'000, 20'000'000, 0, 0, 100, 200, 0}};
  run.decisions = {{600'000, 6, 720}};
  return run;
}

inline report::simulation with_runs(std::vector<sim::run_result> runs) {
  report::simulation done;
  done.program = "workloads/ring --threads 8";
  done.threads = 8;
  done.machine = "simics-4x2";
  done.seed = 7;
  done.phase_cycles = 20'000;
  done.runs = std::move(runs);
  return done;
}

inline report::simulation two_runs() {
  return with_runs({baseline_run(), mapped_run()});
}

inline report::simulation many_runs(std::size_t count) {
  std::vector<sim::run_result> runs{baseline_run()};
  while (runs.size() < count) {
    runs.push_back(mapped_run());
    runs.back().mechanism = "a_mechanism_with_a_long_name_" + std::to_string(runs.size());
  }
  return with_runs(std::move(runs));
}

}  // namespace numatch::test
