// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/fault_stream.hpp"
#include "live/module_session.hpp"
#include "live/sensor.hpp"
#include "live/view_limits.hpp"
#include "mechanism/event.hpp"

namespace numatch::live {

/// The kernel module as a sensor (docs/kernel-module.md): views of the process's memory, in which
/// each first use of a page is seen. When the process calls exec, its new memory is observed from
/// the next collect() on. Child processes are not.
class view_sensor final : public sensor {
 public:
  /// Who decides what is closed, so that its next use is seen.
  enum class closing : std::uint8_t {
    by_arm,       ///< arm(), within its caller's budget
    by_plan_only  ///< induce() alone; arm() does nothing
  };
  /// Nothing is seen before induce(). `seed`: for the choice of what is closed. Errors: the module
  /// cannot be used, or it refuses this process.
  static result<std::unique_ptr<view_sensor>> open(observed_process& process, closing decided,
                                                   std::uint64_t seed);

  /// thread_views: each thread has a view of its own, empty now; all_pages: all threads have one,
  /// empty now; share: the same, of which so much is closed again that induced faults are this
  /// share; none: no views. Closing chosen pages is an error: the module cannot do that.
  result<void> induce(const fault_plan& plan);

  result<void> watch(std::span<const mapped_range>) override { return {}; }
  /// Closes a tenth of all that is open, whatever is asked for.
  result<armed> arm(std::span<const page_run> pages) override;
  result<void> collect(use_sink& sink) override;
  int wake_fd() const override { return session_ ? session_->fd() : -1; }
  std::vector<std::string> limits() const override { return limits_.reached(); }

 private:
  struct task_moment {
    pid_t task = 0;
    std::uint64_t time = 0;
  };
  /// Births and ends of threads.
  class task_log : public use_sink {
   public:
    void on_use(const sensed_use&) override {}
    void on_task_start(pid_t task, std::uint64_t time) override { born.push_back({task, time}); }
    void on_task_end(pid_t task, std::uint64_t time) override { ended.push_back({task, time}); }
    void on_lost(std::uint64_t) override {}
    std::vector<task_moment> born;
    std::vector<task_moment> ended;
  };

  view_sensor(observed_process& process, fault_stream tasks, closing decided, std::uint64_t seed)
      : process_(process), tasks_(std::move(tasks)), closing_(decided), seed_(seed) {}
  result<void> start();
  numatch_start wanted(const numatch_info& limits) const;
  result<void> take_uses(std::vector<sensed_use>& uses, use_sink& sink);
  result<void> follow_exec();

  observed_process& process_;
  fault_stream tasks_;
  closing closing_;
  std::uint64_t seed_;
  unsigned mode_ = 0;       ///< enum numatch_mode; 0: no views
  unsigned zap_share_ = 0;  ///< per cent
  std::optional<module_session> session_;
  numatch_start asked_{};           ///< of this session
  numatch_stats noted_{};           ///< of this session
  std::vector<task_moment> ended_;  ///< whose last uses may still have been in the ring
  view_limits limits_;
};

}  // namespace numatch::live
