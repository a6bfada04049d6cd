// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "control/controller.hpp"
#include "control/decision.hpp"
#include "live/observed_process.hpp"
#include "live/page_mover.hpp"
#include "live/sensing.hpp"

namespace numatch::control {

/// The mechanism that is no other's: controller.
inline constexpr std::string_view own_mechanism = "numatch";

struct run_options {
  std::string mechanism{own_mechanism};
  std::map<std::string, std::string> parameters;  ///< of another mechanism
  std::string sensor = "auto";
  std::optional<double> seconds;                ///< nullopt: until the program ends or `stop`
  std::optional<std::uint64_t> cached_bytes{};  ///< nullopt: the machine's private_cache_bytes()
  live::sensing_options sensing{};
  control_options control{};
  std::optional<double> page_bytes_per_second{};  ///< nullopt: page_mover_options's
};

/// What came of it, at its end or so far.
struct run_status {
  std::string sensor;               ///< empty: nothing was sensed
  std::string note;                 ///< why it is not the best one that this machine has
  std::vector<std::string> limits;  ///< of the sensor, that were reached
  double seconds = 0;
  std::size_t nodes = 1;
  control_totals control;
  live::sensing_totals sensing;
  live::page_mover_totals pages;
};

/// Who wants to know: called in between.
struct run_listener {
  std::function<void()> ready;  ///< once, when sensing has begun
  decision_log decided;
  std::function<void(const run_status&)> status{};  ///< after each decision, and at the end
};

/// An error when there is no such mechanism, it cannot run here or its parameters are wrong: to be
/// asked before a program is started.
result<void> check_run(const run_options& options);

/// Watches a running process and places its threads and pages until it ends, the time is over or
/// `stop` is set; then threads are free again. On a machine with one node nothing is sensed and
/// nothing done. An error when the sensor does not work here or the process may not be observed.
result<run_status> run_control(live::observed_process& process, const run_options& options,
                               const std::atomic<bool>& stop, const run_listener& listener);
/// The same for several processes that share memory, as if they were one program (joined_program):
/// until the last of them ends.
result<run_status> run_control_jointly(std::span<live::observed_process* const> processes,
                                       const run_options& options, const std::atomic<bool>& stop,
                                       const run_listener& listener);

}  // namespace numatch::control
