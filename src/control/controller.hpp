// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "control/decider.hpp"
#include "control/managed_program.hpp"
#include "control/placement_plan.hpp"
#include "control/placement_proof.hpp"
#include "control/seen_uses.hpp"
#include "mapping/mapper.hpp"
#include "mechanism/lapt_tables.hpp"

namespace numatch::control {

struct control_options {
  plan_rules rules;
  proof_rules proof;
  /// As LAPT's (section III-B): longer by a step after a decision that changed nothing, half as
  /// long after one that did.
  lapt::interval_rule interval{1'000'000'000, 500'000'000, 500'000'000, 5'000'000'000};
  double idle_share = 0.1;      ///< of the busiest thread's time: who takes less is not mapped
  double ageing = 0.95;         ///< of the uses, at each decision
  double least_fresh = 200;     ///< uses seen after a move, before it is judged
  unsigned patience = 20;       ///< intervals to wait for them
  double fresh_for_proof = 50;  ///< uses after which a stretch of time may end early
  bool dry_run = false;
};

/// numatch's own way: plans a placement from what was seen (plan_placement()), lets it prove itself
/// on what is seen then (placement_proof), carries it out, looks whether the share of remote uses
/// really falls, and takes back what does not help; after that it rests for twice as long each
/// time.
class controller : public decider {
 public:
  /// The program must outlive it.
  controller(managed_program& program, const control_options& options, decision_log log);

  void on_use(const live::sensed_use& use) override;
  void on_task_start(pid_t task, std::uint64_t time) override;
  void on_task_end(pid_t task, std::uint64_t time) override;
  void on_lost(std::uint64_t) override {}
  result<void> step(std::uint64_t now) override;
  control_totals totals() const override { return totals_; }

 private:
  struct fresh_use {
    page_number page;
    std::uint32_t thread = 0;
    double weight = 1;
  };
  /// Uses since the last decision: how many, and how many of them were remote.
  struct remote_share {
    double uses = 0;
    double share = 0;
  };
  /// What was done and is to be judged.
  struct open_action {
    remote_share before;
    double planned_fall = 0;
    std::map<pid_t, std::optional<node_id>> threads_were;  ///< nullopt: not bound by us
    std::vector<planned_page> pages;                       ///< that really moved
    std::size_t threads = 0;
    unsigned waited = 0;
  };

  std::uint32_t number_of(pid_t task);
  result<void> decide(std::uint64_t now);
  std::vector<thread_state> look_at_threads(std::uint64_t now);
  result<remote_share> look_at_fresh(const std::vector<thread_state>& threads);
  result<placement_plan> plan(const std::vector<thread_state>& threads);
  placement_plan proven_plan(const plan_input& input, const plan_candidates& wanted);
  bool act(const placement_plan& plan, const remote_share& before);
  bool judge(const remote_share& after, std::uint64_t now);
  void take_back();
  void tell(decision what, std::uint64_t now);

  managed_program& program_;
  control_options options_;
  decision_log log_;
  distance_table distances_;
  seen_uses uses_;
  std::vector<fresh_use> fresh_;
  std::unordered_map<pid_t, std::uint32_t> number_of_;
  std::vector<pid_t> task_of_;  ///< by number; 0: it has ended
  std::unordered_map<pid_t, double> cpu_seconds_;
  std::map<pid_t, node_id> bound_to_;
  double processors_ = 1;
  placement_proof proof_;
  std::optional<open_action> open_;
  std::optional<std::uint64_t> began_;
  std::uint64_t next_ = 0;
  std::uint64_t looked_ = 0;
  std::uint64_t interval_;
  std::uint64_t decided_ = 0;
  unsigned rest_ = 0;  ///< decisions for which nothing is done
  unsigned next_rest_ = 2;
  control_totals totals_;
};

}  // namespace numatch::control
