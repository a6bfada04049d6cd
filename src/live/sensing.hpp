// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "live/arming_budget.hpp"
#include "live/page_sampler.hpp"
#include "live/sensor.hpp"
#include "live/watched_ranges.hpp"

namespace numatch::live {

struct sensing_options {
  double budget = 0.02;  ///< share of the program's time
  sensing_costs costs{};
  page_sampler::settings pages{};
  std::uint64_t round = 10'000'000;         ///< nanoseconds between two looks at the program
  std::uint64_t rescan = 1'000'000'000;     ///< nanoseconds between two looks at its mappings
  std::uint64_t hasty_rescan = 20'000'000;  ///< the same, after a use of memory not known
};

/// What came of it. Numbers of pages have sensed_page_bytes.
struct sensing_totals {
  std::uint64_t uses = 0;       ///< handed on
  std::uint64_t lost = 0;       ///< uses that the kernel had no room for
  std::uint64_t unwatched = 0;  ///< uses of memory that is not watched, left out
  std::uint64_t armed = 0;      ///< pages, each time that they were armed
  std::uint64_t rested = 0;     ///< nanoseconds in which nothing was seen, to keep the budget
  std::uint64_t refused = 0;    ///< pages that the sensor could not arm
  std::uint64_t watched_pages = 0;
  std::uint64_t never_sensed = 0;  ///< of watched_pages: neither armed nor seen to be used
  source_counts by_source{};       ///< accesses that the uses stand for, where the sensor says it
  double cost = 0;                 ///< nanoseconds of the program's time, estimated
  std::uint64_t program_time = 0;  ///< nanoseconds
};

/// What sensing has to know about a program besides what its sensor tells; tests invent one.
class sensed_program {
 public:
  virtual ~sensed_program() = default;
  /// Empty when it has ended.
  virtual result<std::vector<mapped_range>> mappings() = 0;
  /// Nanoseconds of processor time of all its threads.
  virtual std::uint64_t processor_time() = 0;
  /// Pages that it has in memory; nullopt: not known.
  virtual std::optional<std::uint64_t> resident_pages() { return std::nullopt; }
};

/// One step after the other: looks for new memory, arms what the budget allows, collects what was
/// used and hands it on. It has no thread and no clock of its own. Not thread safe.
///
/// The budget is a share of the processor time, and of the time that passes if that is less: no
/// thread pays more than its share, even if all faults are its own. A program that faults a lot
/// without us pays for our seeing of these faults: then the sensor rests until that is within the
/// budget.
class sensing : private use_sink {
 public:
  /// `writes_only`: the sensor shows writes alone; a use of which it does not say what it was is
  /// one.
  sensing(sensed_program& program, sensor& senses, arming how, bool writes_only,
          const sensing_options& options, use_sink& client);

  /// `now`: nanoseconds of CLOCK_MONOTONIC, never falling.
  result<void> step(std::uint64_t now);
  /// The kernel's policies follow where pages are: they were moved, and the sensor has to look at
  /// them again at the next step().
  void look_again() { pages_moved_ = how_ == arming::by_kernel; }
  /// Nanoseconds after which the next step makes sense. At rest nothing is collected, and a wake-up
  /// of ours costs the program its processor's attention.
  std::uint64_t round() const { return rests_ ? 5 * options_.round : options_.round; }
  sensing_totals totals() const;
  const watched_ranges& memory() const { return ranges_; }

 private:
  void on_use(const sensed_use& use) override;
  void on_task_start(pid_t task, std::uint64_t time) override;
  void on_task_end(pid_t task, std::uint64_t time) override;
  void on_lost(std::uint64_t uses) override;

  void advance_budget();
  result<void> consider_rest();
  void pay_for_use(bool was_armed);
  result<void> rescan();
  bool is_sparse();
  result<void> arm();
  result<void> arm_by_page();
  result<void> arm_whole();

  sensed_program& program_;
  sensor& sensor_;
  arming how_;
  sensing_options options_;
  use_sink& client_;
  bool writes_only_;
  watched_ranges ranges_;
  page_sampler sampler_;
  arming_budget budget_;
  arming_budget unplanned_;    ///< of uses that were not paid for in advance, half the share
  std::uint64_t planned_ = 0;  ///< uses still to come, of a whole process that was armed
  bool rests_ = false;
  std::uint64_t rests_since_ = 0;
  sensing_totals totals_;
  std::optional<std::uint64_t> began_;
  std::uint64_t processor_time_at_begin_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t next_round_ = 0;
  std::uint64_t scanned_ = 0;
  bool pages_moved_ = false;
  bool prepared_ = false;         ///< sensors whose kernel chooses know the present memory
  std::optional<error> trouble_;  ///< inside a call of the sensor's
};

}  // namespace numatch::live
