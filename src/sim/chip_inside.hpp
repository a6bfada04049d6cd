// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/calendar.hpp"
#include "sim/interconnect.hpp"
#include "sim/machine_config.hpp"

namespace numatch::sim {

/// The inside of one chip: the links between its stops, and the banks of its last-level cache. Each
/// way takes messages when they come and says when they have arrived; its quiet_… says how long it
/// takes when nobody else is there.
class chip_inside {
 public:
  chip_inside(const machine_config& machine, const chip_config& chip)
      : links_(chip.ways),
        stops_(chip.stop_of_bank),
        gate_(chip.gate),
        latency_(machine.caches.back().latency),
        busy_(chip.ways.queueing ? machine.inside.bank_busy : 0),
        banks_(stops_.size()) {}

  /// A core asks a bank, which looks the line up.
  std::uint64_t look_up(unsigned core, unsigned bank, std::uint64_t when) {
    return found(bank, links_.send_control(core, stops_[bank], when, traffic::request));
  }
  std::uint64_t quiet_look_up(unsigned core, unsigned bank) const {
    return links_.control_latency(core, stops_[bank]) + latency_;
  }

  /// A bank answers a core, with the line or without.
  std::uint64_t answer(unsigned bank, unsigned core, bool line, std::uint64_t when) {
    return line ? links_.send_data(stops_[bank], core, when, traffic::data)
                : links_.send_control(stops_[bank], core, when, traffic::request);
  }
  std::uint64_t quiet_answer(unsigned bank, unsigned core, bool line) const {
    return line ? links_.data_latency(stops_[bank], core)
                : links_.control_latency(stops_[bank], core);
  }

  /// From a bank to the gate.
  std::uint64_t leave(unsigned bank, bool line, std::uint64_t when, traffic why) {
    return line ? links_.send_data(stops_[bank], gate_, when, why)
                : links_.send_control(stops_[bank], gate_, when, why);
  }
  std::uint64_t quiet_leave(unsigned bank, bool line) const {
    return line ? links_.data_latency(stops_[bank], gate_)
                : links_.control_latency(stops_[bank], gate_);
  }

  /// From the gate to a bank.
  std::uint64_t enter(unsigned bank, bool line, std::uint64_t when, traffic why) {
    return line ? links_.send_data(gate_, stops_[bank], when, why)
                : links_.send_control(gate_, stops_[bank], when, why);
  }
  std::uint64_t quiet_enter(unsigned bank, bool line) const {
    return line ? links_.data_latency(gate_, stops_[bank])
                : links_.control_latency(gate_, stops_[bank]);
  }

  /// Another chip asks for a line: from the gate to the bank, a lookup, and back with the line.
  std::uint64_t fetch(unsigned bank, std::uint64_t when) {
    const std::uint64_t asked = enter(bank, false, when, traffic::forward);
    return leave(bank, true, found(bank, asked), traffic::data);
  }
  std::uint64_t quiet_fetch(unsigned bank) const {
    return quiet_enter(bank, false) + latency_ + quiet_leave(bank, true);
  }

  /// The chip loses a line: from the gate to the bank, and the acknowledgement back. Nothing is
  /// looked up for it in the bank's data.
  std::uint64_t lose(unsigned bank, std::uint64_t when) {
    return leave(bank, false, enter(bank, false, when, traffic::invalidation),
                 traffic::invalidation);
  }
  std::uint64_t quiet_lose(unsigned bank) const {
    return quiet_enter(bank, false) + quiet_leave(bank, false);
  }

  /// Bytes × hops so far.
  std::uint64_t traffic_bytes() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : links_.traffic_bytes()) sum += bytes;
    return sum;
  }

 private:
  std::uint64_t found(unsigned bank, std::uint64_t when) {
    return banks_[bank].reserve(when, busy_) + latency_;
  }

  interconnect links_;
  std::vector<unsigned> stops_;  ///< [bank]
  unsigned gate_;
  std::uint32_t latency_;  ///< of a lookup
  std::uint32_t busy_;     ///< that it occupies the bank
  std::vector<calendar> banks_;
};

}  // namespace numatch::sim
