// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mechanism/event.hpp"
#include "sim/machine_config.hpp"
#include "sim/page_table.hpp"
#include "sim/reference.hpp"
#include "sim/sim_thread.hpp"
#include "sim/tlb_unit.hpp"
#include "trace/release_order.hpp"

namespace numatch::sim {

/// A walk that did not find what it needed; brought in order between the stages of a phase.
struct fault {
  enum class kind : std::uint8_t {
    unmapped,  ///< nobody has used the page
    taken,     ///< its translation was taken away
    view,      ///< not in the thread's own view
    collapse,  ///< a write to a page with replicas
  };
  std::uint64_t when = 0;  ///< estimated cycle
  std::uint32_t thread = 0;
  std::uint32_t pu = 0;
  std::uint32_t index = 0;  ///< reference in the PU's lane that pays for it
  kind why = kind::unmapped;
  bool write = false;
  std::uint64_t address = 0;
};

/// Something that a TLB tells the mechanism's hardware.
struct tlb_notice {
  enum class kind : std::uint8_t { miss, evicted, saturated };
  std::uint64_t when = 0;
  std::uint32_t thread = 0;  ///< that missed, or that had entered what left
  std::uint32_t pu = 0;
  kind what = kind::miss;
  std::uint64_t page = 0;
  std::uint64_t accesses = 0;
};

/// An event of the program that the operating system or the mechanism has to hear of.
struct system_event {
  std::uint64_t when = 0;
  std::uint32_t thread = 0;
  trace::event what;  ///< without text
};

/// What all fronts read and nobody changes while they run.
struct front_view {
  const machine_config* config = nullptr;
  const page_table* pages = nullptr;
  const trace::release_order* order = nullptr;
  std::uint64_t until = 0;  ///< the phase's end
  std::uint64_t begin = 0;  ///< shard_reference::when counts from here
  unsigned shards = 1;
  bool wants_tlb_notices = false;
  bool wants_accesses = false;
  bool views = false;     ///< threads have views of their own
  bool replicas = false;  ///< there are some
  bool simulates = true;  ///< false outside the region of interest: time passes, nothing else
  std::uint64_t counter_max = ~std::uint64_t{0};
  bool reset_on_saturation = true;
};

/// The PUs that share TLBs, with all that belongs to them alone. Fronts can run at the same time.
class front {
 public:
  front(const machine_config& config, std::vector<std::uint32_t> pus);

  const std::vector<std::uint32_t>& pus() const { return pus_; }

  /// Runs the thread of each PU (lanes[pu].thread) up to the phase's end or until it has to wait.
  void run(const front_view& view, std::vector<lane>& lanes, std::vector<sim_thread>& threads);

  // What this phase left behind, in each PU's order.
  std::vector<fault> faults;
  std::vector<tlb_notice> notices;
  std::vector<system_event> events;
  /// Accesses of this phase for a mechanism that wants to see them all.
  struct seen_accesses {
    std::uint64_t when;
    std::uint32_t thread;
    std::vector<access_event> accesses;
  };
  std::vector<seen_accesses> seen;

  /// The page leaves the TLBs; true when one had it.
  bool forget_page(std::uint64_t page);
  void flush_tlbs();

  std::uint64_t tlb_accesses = 0;
  std::uint64_t tlb_misses = 0;
  std::uint64_t page_walks = 0;

 private:
  static constexpr std::size_t filter_lines = 128;
  /// How long a line that was looked up is taken for a hit without looking again: what others do to
  /// it, or what the thread's own lines of its set do, is seen this much later at most
  /// (docs/simulation-accuracy.md).
  static constexpr std::uint64_t filter_cycles = 500;
  struct filter_entry {
    std::uint64_t tag = ~std::uint64_t{0};  ///< era | line × 2 | writable
    tlb_slot* slot = nullptr;
  };
  struct filter {
    std::array<filter_entry, filter_lines> entries;
    std::uint64_t era = 0;  ///< in the bits above line × 2
    void forget();
  };

  /// One PU's way through the phase.
  struct runner {
    const front_view& view;
    lane& on;
    sim_thread& thread;
    std::uint32_t thread_number;
    std::uint32_t pu;
    std::size_t place;  ///< of the PU in pus_
    bool ended = false;
    std::uint64_t waited = 0;
    std::uint64_t filtered = 0;  ///< accesses until the filter forgets everything

    std::uint64_t estimate() const {
      return on.start + on.offset + waited + (on.accesses * thread.stall_share >> 8);
    }
  };
  void step(runner& r, std::uint64_t until);
  void pass_event(runner& r, const trace::event& happened);
  static std::uint64_t accesses_in(std::uint64_t cycles, const sim_thread& t, unsigned stall);
  void run_accesses(runner& r, std::uint64_t until);
  [[gnu::always_inline]] void refer(runner& r, std::uint64_t address, bool write,
                                    std::uint64_t when);
  tlb_slot* translate(runner& r, std::uint64_t address, bool write, std::uint64_t when,
                      std::uint32_t& stall);
  void collapse(runner& r, std::uint64_t address, std::uint64_t when);
  void walk(runner& r, std::uint64_t address, bool write, std::uint64_t when, std::uint32_t& stall);
  void leave(runner& r, tlb_unit* below, const tlb_slot& slot, std::uint64_t when);
  void saturated(runner& r, tlb_slot& slot, std::uint64_t when);

  std::vector<std::uint32_t> pus_;
  std::vector<std::vector<tlb_unit>> tlbs_;         ///< [level][number within the front]
  std::vector<std::vector<std::uint32_t>> tlb_of_;  ///< [level][place]
  std::vector<filter> filters_;                     ///< [place]
  std::uint64_t lookups_ = 0;
  unsigned line_bits_;
  unsigned page_bits_;
};

/// Groups the PUs that share a TLB of any level.
std::vector<front> make_fronts(const machine_config& config);

}  // namespace numatch::sim
