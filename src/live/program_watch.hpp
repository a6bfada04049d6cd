// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "live/observed_process.hpp"
#include "live/program_picture.hpp"
#include "live/recent_uses.hpp"
#include "live/running_program.hpp"
#include "live/sensing.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

/// Watches a running process and makes pictures of it. It has no thread and no clock of its own.
/// Not thread safe.
class program_watch {
 public:
  /// Where "auto" finds no sensor that works, nobody senses and the pictures say why; a sensor
  /// that was asked for by its name and does not work is an error.
  static result<std::unique_ptr<program_watch>> start(observed_process process,
                                                      const std::string& sensor,
                                                      const sensing_options& options);
  program_watch(const program_watch&) = delete;
  program_watch& operator=(const program_watch&) = delete;

  /// Senses; to be called every sensing_options::round, or earlier when wake_fd() is readable.
  void step();
  /// An error when the process has ended.
  result<program_picture> picture();

  bool alive() const { return process_.alive(); }
  pid_t pid() const { return process_.pid(); }
  int ended_fd() const { return process_.pidfd(); }  ///< readable when the process has ended
  int wake_fd() const { return sensed_.senses ? sensed_.senses->wake_fd() : -1; }

 private:
  program_watch(observed_process process, system_facts machine);
  void add_uses(program_picture& made);
  void add_places(program_picture& made);

  observed_process process_;
  system_facts machine_;
  running_program program_;
  recent_uses uses_;
  opened_sensor sensed_;
  std::optional<sensing> sensing_;
  std::string trouble_;                  ///< why nobody senses (any more)
  std::uint64_t pictured_ = 0;           ///< time of the last picture, of CLOCK_MONOTONIC
  std::map<pid_t, double> cpu_seconds_;  ///< then
  unsigned pictures_ = 0;
};

}  // namespace numatch::live
