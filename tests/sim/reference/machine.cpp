// SPDX-License-Identifier: Apache-2.0
#include "sim/reference/machine.hpp"

#include <algorithm>
#include <set>

namespace numatch::sim::ref {

machine::machine(const machine_config& config, page_table::placing pages)
    : config_(config),
      tlbs_(config_),
      pages_(config_.nodes, pages, config_.memory.drawn_frames),
      caches_(config_),
      directory_(config_.chips()),
      network_(config_.network),
      memories_(config_.nodes, memory(config_.memory, config_.line_bytes)) {
  for (const cache_config& level : config.caches) counts_.caches.push_back({level.level, 0, 0});
  for (unsigned number = 0; number < config_.inside.chips.size(); ++number) {
    chips_.emplace_back(config_, number);
  }
}

result<outcome> machine::run(const program& code, const std::vector<unsigned>& pu_of) {
  result<program_order> order = program_order::start(code);
  if (!order) return tl::unexpected(order.error());
  while (const std::optional<std::uint64_t> cycle = order->next_cycle()) {
    if (result<void> went_on = order->stalled(handle(*cycle, *order, pu_of)); !went_on) {
      return tl::unexpected(went_on.error());
    }
  }
  outcome ended;
  ended.ended_at = order->clocks();
  for (const std::uint64_t clock : ended.ended_at) {
    counts_.cycles = std::max(counts_.cycles, clock);
  }
  counts_.instructions = order->instructions();
  counts_.accesses = order->accesses();
  counts_.running_cycles = counts_.instructions + counts_.stall_tlb + counts_.stall_caches +
                           counts_.stall_memory + counts_.stall_queues + counts_.stall_system;
  counts_.pages = pages_.mapped();
  for (const memory& of_node : memories_) {
    counts_.row_hits += of_node.hits();
    counts_.row_closed += of_node.closed();
    counts_.row_conflicts += of_node.conflicts();
  }
  for (const message& sent : network_.messages()) {
    counts_.traffic_bytes[static_cast<std::size_t>(sent.why)] +=
        sent.bytes * config_.network.route[sent.from][sent.to].size();
  }
  for (const chip& one : chips_) {
    for (const message& sent : one.links().messages()) {
      counts_.inside_bytes += sent.bytes * one.links().hops(sent);
    }
    ended.chips.push_back({one.links().links(), one.links().messages(), one.banks()});
  }
  ended.counts = counts_;
  ended.states = directory_.states();
  for (const auto& [line, states] : ended.states) ended.homes_of_lines[line] = place_of(line);
  ended.messages = network_.messages();
  ended.links = network_.links();
  return ended;
}

std::map<unsigned, std::uint64_t> machine::handle(std::uint64_t cycle, const program_order& order,
                                                  const std::vector<unsigned>& pu_of) {
  std::map<unsigned, access_under_way> accesses;
  for (const unsigned thread : order.issuing_at(cycle)) {
    const trace::access& issued = order.access_of(thread);
    const std::uint64_t last_byte = issued.address + std::max(issued.bytes, 1U) - 1;
    access_under_way& under_way = accesses[thread];
    under_way.cycle = cycle;
    for (std::uint64_t line = issued.address / config_.line_bytes;
         line <= last_byte / config_.line_bytes; ++line) {
      under_way.lines.push_back(look_up(pu_of[thread], line, issued.write));
    }
  }
  // By the cycle at which they leave their chips, then by thread.
  std::set<std::pair<std::uint64_t, unsigned>> leaving;
  for (auto& [thread, access] : accesses) {
    if (leaves(access)) leaving.insert({access.cycle, thread});
  }
  while (!leaving.empty()) {
    const unsigned thread = leaving.begin()->second;
    leaving.erase(leaving.begin());
    access_under_way& access = accesses[thread];
    access.cycle = travel(access.lines[access.next++].away, access.cycle);
    if (leaves(access)) leaving.insert({access.cycle, thread});
  }
  std::map<unsigned, std::uint64_t> stalls;
  for (const auto& [thread, access] : accesses) stalls[thread] = access.cycle - cycle;
  return stalls;
}

bool machine::leaves(access_under_way& access) {
  for (; access.next < access.lines.size(); ++access.next) {
    const reference& line = access.lines[access.next];
    access.cycle += line.stall;
    if (line.away.leaves) return true;
  }
  return false;
}

machine::reference machine::look_up(unsigned pu, std::uint64_t line, bool write) {
  reference made;
  counts_.stall_caches += config_.core.access_stall;
  made.stall = config_.core.access_stall;
  made.stall += translate(pu, line / (config_.page_bytes / config_.line_bytes));
  made.stall += use_caches(pu, line, write, made.away);
  return made;
}

std::uint64_t machine::translate(unsigned pu, std::uint64_t page) {
  const tlbs::answer answer = tlbs_.look_up(pu, page);
  ++counts_.tlb_accesses;
  counts_.tlb_misses += answer.missed_first ? 1 : 0;
  counts_.page_walks += answer.walks ? 1 : 0;
  counts_.stall_tlb += answer.stall;
  if (!answer.walks || pages_.find(page)) return answer.stall;
  pages_.map(page, config_.node_of_pu[pu]);
  ++counts_.page_faults;
  counts_.stall_system += config_.os.page_fault;
  return answer.stall + config_.os.page_fault;
}

bool machine::may(unsigned level, unsigned pu, std::uint64_t line, bool write) {
  if (level < caches_.last()) {
    return write ? caches_.writable(level, pu, line) : caches_.has(level, pu, line);
  }
  const chip_state state = directory_.of(line, caches_.chip_of(pu));
  if (!write) return state != chip_state::invalid;
  return state == chip_state::modified || state == chip_state::exclusive;
}

std::uint64_t machine::use_caches(unsigned pu, std::uint64_t line, bool write, journey& away) {
  const unsigned last = caches_.last();
  std::uint64_t stall = 0;
  bool from_neighbour = false;
  unsigned level = 0;
  for (;; ++level) {
    ++counts_.caches[level].accesses;
    const bool at_a_stop = level == last && !chips_.empty();
    if (level > 0 && !at_a_stop) stall += config_.caches[level].latency;
    if (at_a_stop) {
      away.leaves = true;
      away.looks_up = true;
      away.fills_core = !caches_.own_have(pu, line);
      away.line = line;
      away.pu = pu;
    }
    if (level == last) {
      if (!at_a_stop) stall += 2 * std::uint64_t{config_.inside.hop};
      from_neighbour = directory_.of(line, caches_.chip_of(pu)) != chip_state::invalid &&
                       !caches_.has(last, pu, line) && !caches_.own_have(pu, line);
    }
    if (may(level, pu, line, write)) break;
    ++counts_.caches[level].misses;
    if (level < last) continue;
    ask_home(pu, line, write, away);
    break;
  }
  caches_.use(level, pu, line);
  if (write) {
    caches_.make_writable(level, pu, line);
    caches_.remove_from_neighbours(pu, line);
    if (level == last) directory_.set(line, caches_.chip_of(pu), chip_state::modified);
  } else if (level > 0 && caches_.make_neighbours_shared(pu, line)) {
    from_neighbour = true;
  }
  if (from_neighbour) stall += config_.caches[0].latency;
  note_what_left(pu, away);
  counts_.stall_caches += stall;
  return stall;
}

void machine::ask_home(unsigned pu, std::uint64_t line, bool write, journey& away) {
  away.leaves = true;
  away.asks = true;
  away.line = line;
  away.chip = caches_.chip_of(pu);
  away.answer = write ? directory_.write(line, away.chip) : directory_.read(line, away.chip);
  if (away.answer.from_memory) {
    const bool local = place_of(line).node == node_of_chip(away.chip);
    ++(local ? counts_.local_memory : counts_.remote_memory);
  } else {
    ++(away.answer.from_chip ? counts_.cache_to_cache : counts_.upgrades);
  }
  counts_.invalidations += away.answer.lost.size();
  for (const unsigned chip : away.answer.lost) caches_.remove_from_chip(chip, line);
  if (away.answer.no_longer_may) caches_.make_chip_shared(*away.answer.no_longer_may, line);
  if (away.answer.from_memory || away.answer.from_chip) caches_.enter_last(pu, line);
}

void machine::note_what_left(unsigned pu, journey& away) {
  away.chip = caches_.chip_of(pu);
  for (const std::uint64_t line : caches_.take_left()) {
    const chip_state had = directory_.of(line, away.chip);
    const bool dirty = had == chip_state::modified || had == chip_state::owned;
    directory_.set(line, away.chip, chip_state::invalid);
    away.leaves = true;
    away.dropped.push_back({line, dirty});
    counts_.write_backs += dirty ? 1 : 0;
  }
}

std::uint64_t machine::travel(const journey& away, std::uint64_t leaves_at) {
  const moment sent{leaves_at, leaves_at};
  moment goes_on = sent;
  std::uint64_t of_caches = 0;
  if (away.looks_up) {
    chip& own = chips_[away.chip];
    const unsigned core = own.core(away.pu);
    const unsigned bank = own.bank_of(away.line);
    const moment asked = own.send(traffic::request, core, bank, false, sent);
    const moment found = own.look_up(away.line, asked);
    goes_on = found;
    if (away.asks) {
      const moment at_gate = own.send(traffic::request, bank, own.gate(), false, found);
      const bool with_line = away.answer.from_memory || away.answer.from_chip;
      goes_on =
          own.send(traffic::data, own.gate(), bank, with_line, ask_other_nodes(away, at_gate));
    }
    const moment at_bank = goes_on;
    goes_on = own.send(traffic::data, bank, core, away.fills_core, at_bank);
    // What the caches take is what a hit would have taken.
    of_caches = found.unqueued - leaves_at + goes_on.unqueued - at_bank.unqueued;
  } else if (away.asks) {
    goes_on = ask_other_nodes(away, sent);
  }
  for (const journey::victim& one : away.dropped) write_back(one, away.chip, sent);
  counts_.stall_caches += of_caches;
  counts_.stall_memory += goes_on.unqueued - leaves_at - of_caches;
  counts_.stall_queues += goes_on.cycle - goes_on.unqueued;
  return goes_on.cycle;
}

moment machine::ask_other_nodes(const journey& away, moment sent) {
  const unsigned requester = node_of_chip(away.chip);
  const unsigned home = place_of(away.line).node;
  const moment at_home = network_.control(traffic::request, requester, home, sent);
  moment goes_on = sent;
  bool answered = false;
  if (away.answer.from_memory || away.answer.from_chip) {
    goes_on = later(goes_on, fetch(away, home, at_home));
    answered = true;
  }
  for (const unsigned chip : away.answer.lost) {
    if (away.answer.from_chip == chip) continue;
    const moment told = tell_loser(away, chip, home, at_home);
    goes_on = later(goes_on,
                    network_.control(traffic::invalidation, node_of_chip(chip), requester, told));
    answered = true;
  }
  if (!answered) goes_on = network_.control(traffic::request, home, requester, at_home);
  return goes_on;
}

/// Returns when the other chip can acknowledge.
moment machine::tell_loser(const journey& away, unsigned loser, unsigned home, moment at_home) {
  const moment told = network_.control(traffic::invalidation, home, node_of_chip(loser), at_home);
  if (chips_.empty()) return told;
  chip& of = chips_[loser];
  const unsigned bank = of.bank_of(away.line);
  const moment at_bank = of.send(traffic::invalidation, of.gate(), bank, false, told);
  return of.send(traffic::invalidation, bank, of.gate(), false, at_bank);
}

moment machine::fetch(const journey& away, unsigned home, moment at_home) {
  const unsigned requester = node_of_chip(away.chip);
  if (away.answer.from_memory) {
    return network_.data(traffic::data, home, requester, use_memory(away.line, at_home));
  }
  const unsigned owner = node_of_chip(*away.answer.from_chip);
  const moment asked = network_.control(traffic::forward, home, owner, at_home);
  if (chips_.empty()) {
    const moment found = asked.plus(config_.caches.back().latency);
    return network_.data(traffic::data, owner, requester, found);
  }
  chip& of = chips_[*away.answer.from_chip];
  const unsigned bank = of.bank_of(away.line);
  const moment at_bank = of.send(traffic::forward, of.gate(), bank, false, asked);
  const moment found = of.look_up(away.line, at_bank);
  const moment at_gate = of.send(traffic::data, bank, of.gate(), true, found);
  return network_.data(traffic::data, owner, requester, at_gate);
}

void machine::write_back(const journey::victim& dropped, unsigned chip_number, moment at) {
  const unsigned from = node_of_chip(chip_number);
  const unsigned home = place_of(dropped.line).node;
  if (!chips_.empty()) {
    chip& of = chips_[chip_number];
    at = of.send(traffic::write_back, of.bank_of(dropped.line), of.gate(), dropped.dirty, at);
  }
  if (dropped.dirty) {
    use_memory(dropped.line, network_.data(traffic::write_back, from, home, at));
  } else {
    network_.control(traffic::write_back, from, home, at);
  }
}

unsigned machine::node_of_chip(unsigned chip) const {
  const std::vector<unsigned>& chips = config_.caches.back().shared.group;
  const auto first = std::find(chips.begin(), chips.end(), chip);
  return config_.node_of_pu[static_cast<std::size_t>(first - chips.begin())];
}

page_table::place machine::place_of(std::uint64_t line) const {
  // What has been looked up in a cache was translated before.
  return *pages_.find(line / (config_.page_bytes / config_.line_bytes));
}

moment machine::use_memory(std::uint64_t line, moment at) {
  const std::uint64_t lines_per_page = config_.page_bytes / config_.line_bytes;
  const page_table::place place = place_of(line);
  return memories_[place.node].access(place.frame * lines_per_page + line % lines_per_page, at);
}

}  // namespace numatch::sim::ref
