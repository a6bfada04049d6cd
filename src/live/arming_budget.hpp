// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace numatch::live {

/// What sensing costs the program, in nanoseconds of its time. The defaults are upper ends of what
/// was measured on Linux 6.18 with pages of 4 KiB (docs/live.md): arming 1 and 16 pages while
/// another thread runs takes 2.9 and 7.5 µs (the processors' translations have to be dropped), a
/// fault that is resolved and sampled 1.46 µs, of which the sample is 0.8, marking a resident page
/// by clear_refs 0.12 µs.
struct sensing_costs {
  double per_arming = 2600;
  double per_armed_page = 300;
  double per_whole_page = 120;
  double per_fault = 1460;
  double per_sample = 800;  ///< of that, what belongs to the sample
};

/// The share of the program's time that sensing may cost. Time earns credit, cost takes it; one
/// that is spent into debt must wait. Credit that nobody used is kept for a quarter of a second
/// only, so that a long rest is not followed by a burst.
class arming_budget {
 public:
  explicit arming_budget(double share) : share_(share) {}

  /// `program_time`: nanoseconds since the beginning; never falls.
  void advance(std::uint64_t program_time) {
    if (program_time <= time_) return;
    const double earned = share_ * static_cast<double>(program_time - time_);
    time_ = program_time;
    credit_ = std::min(credit_ + earned, share_ * longest_saving);
  }
  bool may_spend() const { return credit_ >= 0; }
  /// It would take a quarter of a second to pay what was spent.
  bool is_deep_in_debt() const { return credit_ < -share_ * longest_saving; }
  void spend(double nanoseconds) {
    credit_ -= nanoseconds;
    spent_ += nanoseconds;
  }

  double spent() const { return spent_; }               ///< nanoseconds
  std::uint64_t program_time() const { return time_; }  ///< nanoseconds

 private:
  static constexpr double longest_saving = 250e6;
  double share_;
  std::uint64_t time_ = 0;
  double credit_ = 0;
  double spent_ = 0;
};

}  // namespace numatch::live
