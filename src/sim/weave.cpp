// SPDX-License-Identifier: Apache-2.0
#include "sim/weave.hpp"

#include <algorithm>
#include <bit>

#include "mechanism/event.hpp"

namespace numatch::sim {

weave::weave(const machine_config& config, const line_homes& homes)
    : config_(config),
      homes_(homes),
      links_(config.network),
      forward_latency_(config.caches.back().latency) {
  for (unsigned node = 0; node < config.nodes; ++node) {
    memories_.emplace_back(config.memory, config.line_bytes);
  }
  for (const chip_config& chip : config.inside.chips) inside_.emplace_back(config, chip);
}

void weave::pass_markers(cursor& at, lane_cost& cost, std::size_t until) {
  for (; at.next_marker < at.on->markers.size(); ++at.next_marker) {
    const marker& m = at.on->markers[at.next_marker];
    if (m.after > until) return;
    const std::uint64_t now = at.on->start + m.offset + at.stalled;
    if (m.what == marker::kind::release) {
      releases_.push_back({m.object, m.stamp, now});
    } else if (m.what == marker::kind::wait_until && m.stamp > now) {
      at.stalled += m.stamp - now;
      cost.waited += m.stamp - now;
    }
  }
}

/// Neither `r`, which the caches have not handled, nor what follows it leaves its chip before.
std::uint64_t weave::not_before(const cursor& at, const reference& r) const {
  if (at.background) return std::max(at.on->start, at.busy_until);
  if (at.group_room > 0) return at.group_leaves + (r.offset - at.group_offset);
  return at.on->start + r.offset + at.stalled;
}

/// Goes on to the next reference that leaves its chip or that the caches have not handled, or to
/// the lane's end.
inline void weave::advance(cursor& at, lane_cost& cost) {
  std::vector<reference>& references = at.on->references;
  const bool has_markers = !at.on->markers.empty();
  for (; at.next < references.size(); ++at.next) {
    reference& r = references[at.next];
    at.transaction = r.caused();
    if (at.transaction == not_handled) {
      at.leaves = not_before(at, r);
      next_.set(at.number, at.leaves - begin_);
      return;
    }
    if (has_markers) pass_markers(at, cost, at.next);
    const std::uint64_t stall = std::uint64_t{r.tlb_stall} + r.cache_stall;
    if (at.background) {  // handlers do nothing in between
      const std::uint64_t begins = at.on->start + r.offset;
      at.stalled = at.busy_until > begins ? at.busy_until - begins : 0;
      at.busy_until = begins + at.stalled + stall;
    }
    cost.tlb += r.tlb_stall;
    cost.caches += r.cache_stall;
    at.stalled += stall;
    if (at.transaction != no_transaction) {
      __builtin_prefetch(&shards_[r.shard].transaction_of(at.transaction));
      at.leaves = at.on->start + r.offset + at.stalled;
      if (config_.core.overlap > 1 && !at.background && asks(at, r)) join_group(at, r);
      next_.set(at.number, at.leaves - begin_);
      return;
    }
    if (keep_answers && r.shared_level && !at.background) {
      answers_.push_back({at.number, static_cast<std::uint32_t>(at.next), r.cache_stall,
                          static_cast<std::uint8_t>(data_source::shared_cache)});
    }
  }
  pass_markers(at, cost, at.next);
  next_.remove(at.number);
}

/// With overlapping misses one that is near enough behind the first of a group left as if nobody
/// had waited for that.
void weave::join_group(cursor& at, const reference& r) {
  if (at.group_room > 0 && r.offset - at.group_offset <= config_.core.overlap_window) {
    --at.group_room;
    at.leaves = at.group_leaves + (r.offset - at.group_offset);
    return;
  }
  at.group_room = config_.core.overlap - 1;
  at.group_offset = r.offset;
  at.group_leaves = at.leaves;
}

/// The thread waits for what is left of the miss when it gets there.
inline void weave::wait_for(cursor& at, const outcome& done, lane_cost& cost) {
  const reference& r = at.on->references[at.next];
  const std::uint64_t now = at.on->start + r.offset + at.stalled;
  const std::uint64_t end = at.leaves + done.latency;
  const std::uint64_t waits = end > now ? end - now : 0;
  const std::uint64_t quiet = std::min(waits, done.quiet);
  const std::uint64_t caches = std::min(quiet, done.caches);
  at.stalled += waits;
  if (at.background) at.busy_until += waits;
  cost.caches += caches;
  cost.memory += quiet - caches;
  cost.queues += waits - quiet;
}

void weave::begin(std::span<lane* const> lanes, std::span<const std::uint8_t> background,
                  std::span<const cache_shard> shards) {
  shards_ = shards;
  releases_.clear();
  answers_.clear();
  cursors_.clear();
  costs_.assign(lanes.size(), {});
  next_.reset(lanes.size());
  begun_ = 0;
  begin_ = ~std::uint64_t{0};
  for (const lane* const l : lanes) begin_ = std::min(begin_, l->start);
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    cursor at;
    at.on = lanes[i];
    at.number = i;
    at.background = background[i] != 0;
    cursors_.push_back(at);
  }
}

bool weave::proceed() {
  for (; begun_ < cursors_.size(); ++begun_) advance(cursors_[begun_], costs_[begun_]);
  while (!next_.empty()) {
    cursor& at = cursors_[next_.lane()];
    lane_cost& cost = costs_[at.number];
    if (at.transaction != not_handled) {
      const reference& r = at.on->references[at.next];
      const transaction& t = shards_[r.shard].transaction_of(at.transaction);
      const outcome done = inside_.empty() ? carry_out<false>(t, at.leaves, at.background)
                                           : carry_out<true>(t, at.leaves, at.background);
      wait_for(at, done, cost);
      if (keep_answers && !at.background && (r.shared_level || asks(at, r))) {
        answers_.push_back({at.number, static_cast<std::uint32_t>(at.next),
                            static_cast<std::uint32_t>(r.cache_stall + done.latency), done.source});
      }
      ++at.next;
    }
    advance(at, cost);
    if (at.transaction == not_handled && !next_.empty() && next_.lane() == at.number) return false;
  }
  for (std::size_t i = 0; i < cursors_.size(); ++i) {
    const cursor& at = cursors_[i];
    costs_[i].end = at.on->start + at.on->offset + at.stalled;
  }
  return true;
}

template <bool Stops>
weave::outcome weave::carry_out(const transaction& t, std::uint64_t when, bool background) {
  static constexpr classes of_program{traffic::request, traffic::forward, traffic::data,
                                      traffic::invalidation, traffic::write_back};
  static constexpr classes of_mechanism{traffic::table, traffic::table, traffic::table,
                                        traffic::table, traffic::table};
  const classes& why = background ? of_mechanism : of_program;
  const unsigned counted = background ? 0 : 1;
  const unsigned asker = homes_.node_of_chip(t.chip);
  if (t.what == transaction::kind::drops) [[unlikely]] {
    drop<Stops>(t, asker, when, why.write_back);
    drop_further<Stops>(t, asker, when, why.write_back);
    return {0, 0, 0, static_cast<std::uint8_t>(data_source::shared_cache)};
  }
  std::uint64_t sent = when;  // leaves the chip
  std::uint64_t quiet = 0;
  std::uint64_t caches = 0;
  if constexpr (Stops) {
    chip_inside& own = inside_[t.chip];
    const std::uint64_t found = own.look_up(t.core, t.bank, when);
    quiet = own.quiet_look_up(t.core, t.bank);
    caches = quiet + own.quiet_answer(t.bank, t.core, t.fills_core);
    if (t.what == transaction::kind::hit) {
      const std::uint64_t latency = own.answer(t.bank, t.core, t.fills_core, found) - when;
      if (t.dropped_line != transaction::no_line) drop<Stops>(t, asker, when, why.write_back);
      drop_further<Stops>(t, asker, when, why.write_back);
      return {latency, std::min(caches, latency), caches,
              static_cast<std::uint8_t>(data_source::shared_cache)};
    }
    sent = own.leave(t.bank, false, found, why.request);
    quiet += own.quiet_leave(t.bank, false);
  }
  const unsigned home = t.home;
  const std::uint64_t at_home = links_.send_control(asker, home, sent, why.request);
  std::uint64_t done = at_home;
  quiet += links_.control_latency(asker, home);
  const std::uint64_t quiet_at_home = quiet;
  data_source source = data_source::remote_cache;
  switch (t.what) {
    case transaction::kind::memory: {
      const memory::service served = memories_[home].access(t.line, at_home, false);
      done = links_.send_data(home, asker, served.done, why.data);
      quiet += served.quiet + links_.data_latency(home, asker);
      const bool local = home == asker;
      source = local ? data_source::local_memory : data_source::remote_memory;
      local_ += local ? counted : 0;
      remote_ += local ? 0 : counted;
      break;
    }
    case transaction::kind::forward: {
      const unsigned owner = homes_.node_of_chip(t.owner);
      const std::uint64_t asked = links_.send_control(home, owner, at_home, why.forward);
      std::uint64_t found = asked + forward_latency_;
      std::uint64_t quiet_found = forward_latency_;
      if constexpr (Stops) {
        found = inside_[t.owner].fetch(t.bank, asked);
        quiet_found = inside_[t.owner].quiet_fetch(t.bank);
      }
      done = links_.send_data(owner, asker, found, why.data);
      quiet +=
          links_.control_latency(home, owner) + quiet_found + links_.data_latency(owner, asker);
      cache_to_cache_ += counted;
      invalidations_ += counted & static_cast<unsigned>(t.write);
      break;
    }
    case transaction::kind::drops:
    case transaction::kind::hit:
      break;
    case transaction::kind::upgrade:
      upgrades_ += counted;
      if (t.losers == 0) {
        done = links_.send_control(home, asker, at_home, why.request);
        quiet += links_.control_latency(home, asker);
      }
      break;
  }
  for (std::uint64_t left = t.losers; left != 0; left &= left - 1) {
    const unsigned chip = static_cast<unsigned>(std::countr_zero(left));
    const unsigned loser = homes_.node_of_chip(chip);
    std::uint64_t told = links_.send_control(home, loser, at_home, why.invalidation);
    std::uint64_t quiet_told = quiet_at_home + links_.control_latency(home, loser);
    if constexpr (Stops) {
      told = inside_[chip].lose(t.bank, told);
      quiet_told += inside_[chip].quiet_lose(t.bank);
    }
    done = std::max(done, links_.send_control(loser, asker, told, why.invalidation));
    quiet = std::max(quiet, quiet_told + links_.control_latency(loser, asker));
    invalidations_ += counted;
  }
  if constexpr (Stops) {
    chip_inside& own = inside_[t.chip];
    const bool line = t.what != transaction::kind::upgrade;
    const std::uint64_t at_bank = own.enter(t.bank, line, done, why.data);
    done = own.answer(t.bank, t.core, t.fills_core, at_bank);
    quiet += own.quiet_enter(t.bank, line) + own.quiet_answer(t.bank, t.core, t.fills_core);
  }
  if (t.dropped_line != transaction::no_line) drop<Stops>(t, asker, when, why.write_back);
  if (t.more_drops != 0) [[unlikely]]
    drop_further<Stops>(t, asker, when, why.write_back);
  const std::uint64_t latency = done - when;
  return {latency, std::min(quiet, latency), caches, static_cast<std::uint8_t>(source)};
}

/// Whether the reference asks for anything outside its chip.
bool weave::asks(const cursor& at, const reference& r) const {
  const transaction::kind what = shards_[r.shard].transaction_of(at.transaction).what;
  return what != transaction::kind::drops && what != transaction::kind::hit;
}

template <bool Stops>
void weave::drop_further(const transaction& t, unsigned node, std::uint64_t when, traffic why) {
  for (unsigned i = 1; i <= t.more_drops; ++i) drop<Stops>((&t)[i], node, when, why);
}

template <bool Stops>
void weave::drop(const transaction& t, unsigned node, std::uint64_t when, traffic why) {
  if constexpr (Stops) when = inside_[t.chip].leave(t.dropped_bank, t.dropped_dirty, when, why);
  if (!t.dropped_dirty) {
    links_.send_control(node, t.dropped_home, when, why);
    return;
  }
  ++write_backs_;
  const std::uint64_t arrived = links_.send_data(node, t.dropped_home, when, why);
  memories_[t.dropped_home].access(t.dropped_line, arrived, true);
}

std::uint64_t weave::copy_page(unsigned from, std::uint32_t from_frame, unsigned to,
                               std::uint32_t to_frame, std::uint64_t when) {
  const unsigned page_shift = homes_.page_shift();
  const std::uint64_t lines = std::uint64_t{1} << page_shift;
  std::uint64_t asked = when;
  std::uint64_t done = when;
  for (std::uint64_t i = 0; i < lines; ++i) {
    const memory::service read =
        memories_[from].access((std::uint64_t{from_frame} << page_shift) + i, asked, false);
    const std::uint64_t there = links_.send_data(from, to, read.done, traffic::page_copy);
    done = memories_[to].access((std::uint64_t{to_frame} << page_shift) + i, there, true).done;
    asked += config_.memory.burst;
  }
  return done - when;
}

}  // namespace numatch::sim
