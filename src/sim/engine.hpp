// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mechanism/mechanism.hpp"
#include "sim/cache_shard.hpp"
#include "sim/cache_work.hpp"
#include "sim/front.hpp"
#include "sim/simulate.hpp"
#include "sim/simulated_world.hpp"
#include "sim/weave.hpp"

namespace numatch::sim {

/// One run of a program on the simulated machine, phase after phase (docs/simulation-model.md).
class engine {
 public:
  /// `workers`: host threads for this run.
  engine(const topology& machine, const machine_config& config, const program& traced,
         const run_options& options, unsigned workers);
  ~engine();

  /// `simulated` is told how many accesses each phase had.
  result<run_result> run(const std::function<void(std::uint64_t)>& simulated,
                         const std::atomic<bool>& stop);

  /// What the mechanism has counted at the end of what counts; empty without one.
  sharing_matrix sharing() const {
    return !counting_ || mechanism_ == nullptr ? sharing_ : mechanism_->sharing();
  }

 private:
  struct host;  ///< the host's threads

  /// Where a mechanism works: in hardware that nobody waits for, or as software that takes a PU's
  /// time, called by something that happened or by a timer.
  enum class software : std::uint8_t { none = 1, handler = 2, timer = 3 };
  static constexpr std::size_t lane_kinds = 4;  ///< the program's and those three

  // engine.cpp: the phases.
  result<void> begin();
  bool choose_phase();
  void run_fronts();
  void choose_lanes();
  void run_caches_and_weave();
  void end_phase();
  void send_wake_ups();
  void begin_background_lanes(std::uint64_t clock);
  std::uint32_t software_pu();
  void call_software(software how, std::uint32_t pu, std::uint64_t cycle,
                     const std::function<void()>& call);

  // engine_account.cpp: who pays for what, and the result.
  void account();
  void account_background(const lane& on, const lane_cost& cost, std::size_t number);
  void spend_timer_cycles(std::uint32_t pu, std::uint64_t cycles);
  void charge(std::uint32_t pu, std::uint64_t cycles);
  void add_timeline(bool last);
  void finish_result();

  // engine_threads.cpp: the scheduler.
  void start_threads();
  void start_thread(std::uint32_t number);
  void place(std::uint32_t number);
  void end_thread(std::uint32_t number);
  void wake_blocked();
  void schedule();
  void schedule_pu(std::uint32_t pu);
  std::uint64_t move_thread(std::uint32_t number, std::uint32_t pu);

  // engine_order.cpp: what fronts left behind, in one order.
  void bring_in_order();
  void handle_fault(const fault& f);
  bool pay_fault(const fault& f, std::uint32_t& stall);
  void handle_notice(const tlb_notice& n);
  void handle_event(const system_event& e);
  void region_changes(bool opens, std::uint64_t when);
  void take_samples();

  // engine_mappings.cpp: the program's address space.
  struct stretch {
    std::uint64_t address;
    std::uint64_t bytes;
  };
  struct page_range {
    std::uint64_t first;
    std::uint64_t end;
  };
  page_range whole_pages(const stretch& range) const;
  page_range touched_pages(const stretch& range) const;
  std::vector<std::uint64_t> mapped_in(const page_range& pages) const;
  void bind_range(const stretch& range, const page_starts::policy& wanted, bool move,
                  const system_event& e);
  void unmap(std::uint64_t address, std::uint64_t bytes);
  void forget_mapping(std::uint64_t page);
  void remap(const stretch& from, const stretch& to);

  // engine_actions.cpp: what the mechanism asked for.
  void carry_out_requests();
  std::string carry_out(const simulated_world::request& wanted);
  std::string carry_out_thread_moves(const simulated_world::request& wanted);
  std::string carry_out_page_move(const simulated_world::request& wanted);
  void carry_out_faults();
  void take_translations(const std::vector<std::uint64_t>& pages);
  void flush_all_translations();
  void move_page(std::uint64_t page, page_entry& entry, unsigned node);
  void replicate(std::uint64_t page, page_entry& entry);
  void forget_page(std::uint64_t page);
  std::uint32_t pu_on_node(unsigned node);

  const machine_config& config_;
  const program& program_;
  run_options options_;
  std::unique_ptr<host> host_;
  trace::release_order order_;

  page_table pages_;
  line_homes homes_;
  std::vector<sim_thread> threads_;
  thread_starts thread_starts_;
  page_starts page_starts_;
  simulated_world world_;
  std::unique_ptr<mechanism> mechanism_;
  sensor_plan sensors_;

  std::vector<front> fronts_;
  std::vector<cache_shard> shards_;
  cache_work cache_work_;
  std::vector<lane> lanes_;  ///< [kind × PUs + PU]: the program, then the kinds of `software`
  weave weave_;
  front_view view_;

  std::uint64_t phase_begin_ = 0;
  std::uint64_t phase_end_ = 0;
  std::vector<std::vector<std::uint32_t>> queue_;  ///< [PU]: threads in turn; the first one runs
  std::vector<std::uint64_t> pu_clock_;
  std::vector<std::uint32_t> last_on_pu_;
  std::vector<std::uint32_t> live_on_pu_;
  std::size_t unplaced_ = 0;
  std::size_t ended_ = 0;
  unsigned regions_open_ = 0;
  std::uint64_t region_begin_ = 0;
  std::uint64_t region_cycles_ = 0;  ///< of regions that have ended
  bool counting_ = true;             ///< false outside the region of interest
  sharing_matrix sharing_;           ///< what the mechanism had counted when that ended

  std::vector<lane*> weave_lanes_;
  std::vector<std::uint8_t> weave_background_;
  std::uint64_t fault_cycles_ = 0;  ///< of this phase, inside the lanes' TLB stalls

  bool wants_misses_ = false;
  bool wants_evictions_ = false;
  bool wants_faults_ = false;
  std::multiset<instant> wake_ups_;
  std::vector<std::uint64_t> hardware_busy_;  ///< [PU]
  std::vector<std::uint64_t> touch_latency_;  ///< [PU]: average, in 1/256 cycles
  std::uint32_t next_software_pu_ = 0;
  std::uint32_t next_pu_on_node_ = 0;
  double fault_share_ = 0;                  ///< of induced faults among all
  double induced_debt_ = 0;                 ///< faults that are still to be induced
  std::vector<std::uint64_t> known_pages_;  ///< of the program, in the order of their first touch
  std::uint64_t random_ = 1;
  std::uint64_t replicated_now_ = 0;

  std::vector<memory_sample_event> samples_;  ///< of the phase

  run_result result_;
  timeline_point piece_;
};

}  // namespace numatch::sim
