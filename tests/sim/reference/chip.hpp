// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "sim/machine_config.hpp"
#include "sim/reference/calendar.hpp"
#include "sim/reference/moment.hpp"
#include "sim/reference/network.hpp"

namespace numatch::sim::ref {

/// The inside of one chip that has stops: links, and banks that look lines up.
class chip {
 public:
  chip(const machine_config& machine, unsigned number)
      : machine_(machine), config_(machine.inside.chips[number]), links_(config_.ways) {}

  unsigned core(unsigned pu) const { return machine_.inside.stop_of_pu[pu]; }
  unsigned bank_of(std::uint64_t line) const {
    return config_.stop_of_bank[line % machine_.caches.back().banks];
  }
  unsigned gate() const { return config_.gate; }

  /// A message from stop to stop, with a line or without; returns when it has arrived.
  moment send(traffic why, unsigned from, unsigned to, bool with_line, moment at) {
    return with_line ? links_.data(why, from, to, at) : links_.control(why, from, to, at);
  }

  /// At its bank; returns when the line is found, or found to be missing.
  moment look_up(std::uint64_t line, moment at) {
    const unsigned bank = bank_of(line);
    moment now = at;
    if (config_.ways.queueing) {
      now.cycle = busy_[bank].reserve(now.cycle, machine_.inside.bank_busy);
    }
    return now.plus(machine_.caches.back().latency);
  }

  const network& links() const { return links_; }
  /// Busy banks, by their stops.
  const std::map<unsigned, calendar>& banks() const { return busy_; }

 private:
  const machine_config& machine_;
  const chip_config& config_;
  network links_;
  std::map<unsigned, calendar> busy_;
};

}  // namespace numatch::sim::ref
