// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "control/decider.hpp"
#include "control/managed_program.hpp"
#include "mechanism/mechanism.hpp"

namespace numatch::control {

/// An error names what a mechanism needs that a running program cannot give. `views`: the kernel
/// module can be used.
result<void> check_runs_live(const mechanism_entry& wanted, bool views);

/// Whether what it asks for with induce_faults() is what the kernel module does (SPCD, MVAS).
bool induces_by_views(const mechanism_entry& wanted);

/// Makes the program fault as a mechanism wants; an error ends the managing.
using fault_inducer = std::function<result<void>(const fault_plan&)>;

/// Linux as a mechanism's world: every use that the sensor sees is a page fault that was induced.
/// Without a fault_inducer, which pages are made to fault, and how many, is the sensor's matter and
/// its budget's. A thread that is sent to a PU is bound to the node of that PU.
class mechanism_decider : public decider, private world {
 public:
  /// The program must outlive it; the mechanism has passed check_runs_live().
  mechanism_decider(managed_program& program, const mechanism_entry& entry,
                    std::unique_ptr<mechanism> decides, std::uint64_t seed, bool dry_run,
                    decision_log log, fault_inducer induces = {});

  void on_use(const live::sensed_use& use) override;
  void on_task_start(pid_t task, std::uint64_t time) override;
  void on_task_end(pid_t task, std::uint64_t time) override;
  void on_lost(std::uint64_t) override {}
  result<void> step(std::uint64_t now) override;
  control_totals totals() const override { return totals_; }

 private:
  struct asked_page {
    ticket request;
    planned_page page;
  };

  instant now() const override { return now_; }
  const topology* machine() const override { return &program_.machine(); }
  std::optional<pu_id> pu_of(thread_id thread) const override;
  std::optional<node_id> node_of(page_number page) const override;
  std::uint64_t page_bytes() const override { return live::sensed_page_bytes; }
  std::optional<thread_progress> progress_of(thread_id) const override { return std::nullopt; }
  std::uint64_t seed() const override { return seed_; }
  ticket move_threads(std::span<const pu_id> pu_of_thread) override;
  ticket move_page(page_number page, node_id node) override;
  ticket replicate_page(page_number page) override;
  void place_new_pages(page_placing) override {}
  void place_new_threads(thread_placing) override {}
  ticket induce_faults(const fault_plan& plan) override;
  void wake_up_at(instant when) override { wake_ups_.push(when); }
  void touch(const table_touch&) override {}
  void spend(software_work, std::uint64_t) override {}

  ticket next_ticket() { return ticket{++last_ticket_}; }
  thread_id thread_of(pid_t task);
  thread_id born(pid_t task, std::optional<pu_id> pu);
  void reach(std::uint64_t time);
  void look_at_threads();
  void answer_pages();
  void send_pages();
  void tell(decision what);

  managed_program& program_;
  std::string name_;
  std::unique_ptr<mechanism> mechanism_;
  std::uint64_t seed_;
  bool dry_run_;
  decision_log log_;
  fault_inducer induces_;
  std::optional<error> trouble_;  ///< of inducing faults
  std::optional<std::uint64_t> began_;
  instant now_;
  std::uint64_t looked_ = 0;
  std::unordered_map<pid_t, thread_id> thread_of_;
  std::vector<pid_t> task_of_;  ///< 0: it has ended
  std::vector<std::optional<pu_id>> pus_;
  std::priority_queue<instant, std::vector<instant>, std::greater<>> wake_ups_;
  std::vector<asked_page> asked_;  ///< to be sent
  std::vector<asked_page> sent_;
  std::vector<outcome_event> outcomes_;
  std::uint64_t last_ticket_ = 0;
  control_totals totals_;
};

}  // namespace numatch::control
