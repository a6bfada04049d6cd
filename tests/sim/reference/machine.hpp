// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "sim/machine_config.hpp"
#include "sim/program.hpp"
#include "sim/reference/caches.hpp"
#include "sim/reference/chip.hpp"
#include "sim/reference/directory.hpp"
#include "sim/reference/memory.hpp"
#include "sim/reference/network.hpp"
#include "sim/reference/program_order.hpp"
#include "sim/reference/translation.hpp"
#include "sim/result.hpp"

namespace numatch::sim::ref {

/// What happened inside a chip that has stops.
struct chip_use {
  std::vector<network::link_use> links;
  std::vector<message> messages;
  std::map<unsigned, calendar> banks;  ///< by their stops; when they were busy
};

struct outcome {
  run_result counts;
  std::vector<std::uint64_t> ended_at;                        ///< [thread], cycles
  std::map<std::uint64_t, std::vector<chip_state>> states;    ///< line -> [chip], at the end
  std::map<std::uint64_t, page_table::place> homes_of_lines;  ///< of every line in `states`
  std::vector<message> messages;
  std::vector<network::link_use> links;
  std::vector<chip_use> chips;  ///< where they have stops
};

/// The simulated machine of docs/simulation-model.md, one reference after the other: no phases, no
/// estimates, nothing faster than it has to be. Nothing moves during a run, and no misses overlap.
class machine {
 public:
  machine(const machine_config& config, page_table::placing pages);
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// Runs a program once; thread i runs on pu_of[i], and no other thread does.
  result<outcome> run(const program& code, const std::vector<unsigned>& pu_of);

 private:
  /// What a reference is about to send when it leaves its chip.
  struct journey {
    bool leaves = false;
    bool asks = false;      ///< another chip or memory; else lines leave the chip and nobody waits
    bool looks_up = false;  ///< in the last level of a chip that has stops
    bool fills_core = false;  ///< the PU's own caches have no copy yet
    std::uint64_t line = 0;
    unsigned pu = 0;
    unsigned chip = 0;
    directory::answer answer;
    struct victim {
      std::uint64_t line = 0;
      bool dirty = false;
    };
    std::vector<victim> dropped;
  };
  struct reference {
    std::uint64_t stall = 0;  ///< until it leaves the chip, or until it is done
    journey away;
  };
  struct access_under_way {
    std::vector<reference> lines;
    std::size_t next = 0;
    std::uint64_t cycle = 0;
  };

  /// Everything that issues in one cycle; stalls by thread.
  std::map<unsigned, std::uint64_t> handle(std::uint64_t cycle, const program_order& order,
                                           const std::vector<unsigned>& pu_of);
  /// TLB, page table, caches and directory.
  reference look_up(unsigned pu, std::uint64_t line, bool write);
  std::uint64_t translate(unsigned pu, std::uint64_t page);
  std::uint64_t use_caches(unsigned pu, std::uint64_t line, bool write, journey& away);
  bool may(unsigned level, unsigned pu, std::uint64_t line, bool write);
  void ask_home(unsigned pu, std::uint64_t line, bool write, journey& away);
  /// Lines that had to leave the chip for this reference.
  void note_what_left(unsigned pu, journey& away);
  /// Goes on until the access leaves its chip, or its core where chips have stops (true), or is
  /// done (false).
  static bool leaves(access_under_way& access);
  /// Links, banks and memory; returns the cycle at which the reference goes on.
  std::uint64_t travel(const journey& away, std::uint64_t leaves_at);
  /// To the home and back to the chip, whose gate the request leaves at `sent`.
  moment ask_other_nodes(const journey& away, moment sent);
  moment tell_loser(const journey& away, unsigned loser, unsigned home, moment at_home);
  moment fetch(const journey& away, unsigned home, moment at_home);
  void write_back(const journey::victim& dropped, unsigned chip_number, moment at);

  unsigned node_of_chip(unsigned chip) const;
  page_table::place place_of(std::uint64_t line) const;
  moment use_memory(std::uint64_t line, moment at);

  const machine_config config_;
  tlbs tlbs_;
  page_table pages_;
  caches caches_;
  directory directory_;
  network network_;
  std::vector<chip> chips_;
  std::vector<memory> memories_;
  run_result counts_;
};

}  // namespace numatch::sim::ref
