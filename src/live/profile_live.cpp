// SPDX-License-Identifier: Apache-2.0
#include "live/profile_live.hpp"

#include <fmt/ranges.h>

#include "live/proc_text.hpp"
#include "live/running_program.hpp"
#include "live/use_counts.hpp"

namespace numatch::live {

namespace {

std::string name_of_task(pid_t process, pid_t task) {
  std::string name = read_proc(task_folder(process, task) + "comm").value_or("");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

void describe(profile& learned, const sensor_entry& entry, const sensing_totals& totals,
              const live_profile_options& options) {
  learned.mechanism = "live";
  learned.frontend = fmt::format("live {}", entry.name);
  learned.matrix_unit = "uses";
  learned.time_unit = "microseconds";
  learned.how = evidence::sampled;
  learned.parameters["sensor"] = entry.name;
  learned.parameters["budget"] = fmt::format("{}", options.sensing.budget);
  learned.parameters["seed"] = fmt::format("{}", options.sensing.pages.seed);
  learned.metadata["sensor_sees"] = entry.sees;
  learned.metadata["uses_lost"] = fmt::format("{}", totals.lost);
  learned.metadata["uses_of_unwatched_memory"] = fmt::format("{}", totals.unwatched);
  learned.metadata["pages_armed"] = fmt::format("{}", totals.armed);
  learned.metadata["pages_refused"] = fmt::format("{}", totals.refused);
  learned.metadata["pages_watched"] = fmt::format("{}", totals.watched_pages);
  learned.metadata["pages_never_sensed"] = fmt::format("{}", totals.never_sensed);
  learned.metadata["rested_nanoseconds"] = fmt::format("{}", totals.rested);
  for (std::size_t source = 1; source < data_sources; ++source) {
    if (totals.by_source[source] == 0) continue;
    learned.metadata[fmt::format("accesses_from_{}", to_string(static_cast<data_source>(source)))] =
        fmt::format("{:.0f}", totals.by_source[source]);
  }
  learned.metadata["estimated_cost_nanoseconds"] = fmt::format("{:.0f}", totals.cost);
  learned.metadata["program_nanoseconds"] = fmt::format("{}", totals.program_time);
}

}  // namespace

result<live_profile> profile_process(observed_process& process, const std::string& command,
                                     const live_profile_options& options,
                                     const std::atomic<bool>& stop,
                                     const std::function<void()>& ready) {
  const result<opened_sensor> opened = open_sensor(options.sensor, read_system_facts(), process);
  if (!opened) return tl::unexpected(opened.error());
  const sensor_entry& entry = *opened->entry;
  sensor& senses = *opened->senses;
  running_program program(process);
  const std::uint64_t began = now_nanoseconds();
  use_counts counts(began, options.most_windows,
                    [&](pid_t task) { return name_of_task(process.pid(), task); });
  sensing loop(program, senses, entry.how, !entry.sees_reads, options.sensing, counts);
  ready();

  const double seconds = options.seconds.value_or(1e9);
  const std::uint64_t end = began + static_cast<std::uint64_t>(seconds * 1e9);
  bool going_on = true;
  while (going_on) {
    // What happened until the end is collected after it.
    going_on = process.alive() && !stop && now_nanoseconds() < end;
    if (result<void> r = loop.step(now_nanoseconds()); !r) {
      if (process.alive()) return tl::unexpected(r.error());
      going_on = false;
    }
    if (going_on) sleep_a_round(senses, process, loop.round());
  }

  live_profile done;
  done.totals = loop.totals();
  done.learned.command = command;
  describe(done.learned, entry, done.totals, options);
  done.limits = senses.limits();
  if (!done.limits.empty()) {
    done.learned.metadata["sensor_limits"] = fmt::format("{}", fmt::join(done.limits, "; "));
  }
  if (!opened->note.empty()) done.learned.metadata["better_sensors_that_failed"] = opened->note;
  counts.fill(done.learned, loop.memory().history(), now_nanoseconds());
  return done;
}

}  // namespace numatch::live
