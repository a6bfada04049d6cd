// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapping/mapper.hpp"
#include "mechanism/world.hpp"
#include "sim/machine_config.hpp"
#include "sim/page_table.hpp"
#include "sim/placing.hpp"
#include "sim/reference.hpp"
#include "sim/sim_thread.hpp"

namespace numatch::sim {

/// Where a mechanism's own tables lie: above all user addresses, one piece per table.
inline constexpr std::uint64_t tables_begin = std::uint64_t{1} << 47;

/// The simulated machine as a mechanism sees it. It writes down what the mechanism asks for; the
/// engine carries it out between phases.
class simulated_world : public world {
 public:
  struct setting {
    const topology* machine = nullptr;
    const machine_config* config = nullptr;
    std::uint64_t seed = 1;
    double time_scale = 1;
  };
  simulated_world(const setting& chosen, page_table& pages, std::vector<sim_thread>& threads,
                  thread_starts& new_threads, page_starts& new_pages);

  // What the engine says before it calls the mechanism.

  /// The mechanism's hardware works at a PU: its touches are of `lane`, which began at
  /// `lane_start`.
  void at(std::uint64_t cycle, lane& touched, unsigned shards);
  /// A wake-up is never early, whatever the conversion to cycles rounds to.
  void not_before(instant when) { earliest_ = when; }
  /// References of the event that is being handled.
  std::uint32_t touches() const { return touches_; }

  // What the mechanism wants.
  struct request {
    ticket number;
    action_kind what = action_kind::move_pages;
    std::uint64_t page = 0;
    std::uint32_t node = 0;
    std::vector<pu_id> pu_of_thread;
    std::uint32_t pu = 0;  ///< where the mechanism was when it asked
  };
  std::vector<request> requests;
  struct asked_faults {
    fault_plan::kind what = fault_plan::kind::none;
    double share = 0;
    std::vector<std::uint64_t> pages;
    ticket number;
  };
  std::optional<asked_faults> faults;
  std::vector<instant> wake_ups;
  std::uint64_t spent = 0;  ///< cycles of software since the engine took them
  std::uint64_t table_accesses = 0;
  std::uint32_t pu = 0;  ///< where the mechanism works now

  std::uint64_t cycles_of(instant when) const;

  instant now() const override;
  const topology* machine() const override { return chosen_.machine; }
  const distance_table* distances() const override { return distances_ ? &*distances_ : nullptr; }
  std::optional<pu_id> pu_of(thread_id thread) const override;
  std::optional<node_id> node_of(page_number page) const override;
  std::uint64_t page_bytes() const override { return chosen_.config->page_bytes; }
  std::optional<thread_progress> progress_of(thread_id thread) const override;
  std::uint64_t seed() const override { return chosen_.seed; }
  ticket move_threads(std::span<const pu_id> pu_of_thread) override;
  ticket move_page(page_number page, node_id node) override;
  ticket replicate_page(page_number page) override;
  void place_new_pages(page_placing how) override { new_pages_.place_by(how); }
  void place_new_threads(thread_placing how) override { new_threads_.place_by(how); }
  ticket induce_faults(const fault_plan& plan) override;
  void wake_up_at(instant when) override { wake_ups.push_back(when); }
  void touch(const table_touch& access) override;
  void spend(software_work kind, std::uint64_t amount) override;

 private:
  ticket next_ticket() { return ticket{++tickets_}; }

  setting chosen_;
  std::optional<distance_table> distances_;
  page_table& pages_;
  std::vector<sim_thread>& threads_;
  thread_starts& new_threads_;
  page_starts& new_pages_;
  std::uint64_t cycle_ = 0;
  instant earliest_;
  lane* touched_ = nullptr;
  unsigned shards_ = 1;
  std::uint32_t touches_ = 0;
  std::uint64_t tickets_ = 0;
};

}  // namespace numatch::sim
