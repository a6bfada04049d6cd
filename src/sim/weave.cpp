// SPDX-License-Identifier: Apache-2.0
#include "sim/weave.hpp"

#include <algorithm>
#include <bit>

#include "mechanism/event.hpp"

namespace numatch::sim {

weave::weave(const machine_config& config, const line_homes& homes)
    : config_(config),
      homes_(homes),
      links_(config.network, config.nodes),
      forward_latency_(config.caches.back().latency) {
  for (unsigned node = 0; node < config.nodes; ++node) {
    memories_.emplace_back(config.memory, config.line_bytes);
  }
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
void weave::advance(cursor& at, lane_cost& cost) {
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
void weave::wait_for(cursor& at, const outcome& done, lane_cost& cost) {
  const reference& r = at.on->references[at.next];
  const std::uint64_t now = at.on->start + r.offset + at.stalled;
  const std::uint64_t end = at.leaves + done.latency;
  const std::uint64_t waits = end > now ? end - now : 0;
  const std::uint64_t quiet = std::min(waits, done.quiet);
  at.stalled += waits;
  if (at.background) at.busy_until += waits;
  cost.memory += quiet;
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
    if (at.transaction == not_handled) {
      advance(at, cost);
      const bool is_next = !next_.empty() && next_.lane() == at.number;
      if (at.transaction == not_handled && is_next) return false;
      continue;
    }
    const reference& r = at.on->references[at.next];
    const transaction& t = shards_[r.shard].transaction_of(at.transaction);
    const outcome done = carry_out(t, at.leaves, at.background);
    wait_for(at, done, cost);
    if (keep_answers && !at.background && (r.shared_level || asks(at, r))) {
      answers_.push_back({at.number, static_cast<std::uint32_t>(at.next),
                          static_cast<std::uint32_t>(r.cache_stall + done.latency), done.source});
    }
    ++at.next;
    advance(at, cost);
  }
  for (std::size_t i = 0; i < cursors_.size(); ++i) {
    const cursor& at = cursors_[i];
    costs_[i].end = at.on->start + at.on->offset + at.stalled;
  }
  return true;
}

weave::outcome weave::carry_out(const transaction& t, std::uint64_t when, bool background) {
  static constexpr classes of_program{traffic::request, traffic::forward, traffic::data,
                                      traffic::invalidation, traffic::write_back};
  static constexpr classes of_mechanism{traffic::table, traffic::table, traffic::table,
                                        traffic::table, traffic::table};
  const classes& why = background ? of_mechanism : of_program;
  const unsigned counted = background ? 0 : 1;
  const unsigned asker = homes_.node_of_chip(t.chip);
  if (t.what == transaction::kind::drops) [[unlikely]] {
    drop(t, asker, when, why.write_back);
    drop_further(t, asker, when, why.write_back);
    return {0, 0, static_cast<std::uint8_t>(data_source::shared_cache)};
  }
  const unsigned home = t.home;
  const std::uint64_t at_home = links_.send_control(asker, home, when, why.request);
  std::uint64_t done = at_home;
  std::uint64_t quiet = links_.control_latency(asker, home);
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
      const std::uint64_t asked =
          links_.send_control(home, owner, at_home, why.forward) + forward_latency_;
      done = links_.send_data(owner, asker, asked, why.data);
      quiet += links_.control_latency(home, owner) + forward_latency_ +
               links_.data_latency(owner, asker);
      cache_to_cache_ += counted;
      invalidations_ += t.write ? counted : 0;
      break;
    }
    case transaction::kind::drops:
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
    const unsigned loser = homes_.node_of_chip(static_cast<unsigned>(std::countr_zero(left)));
    const std::uint64_t told = links_.send_control(home, loser, at_home, why.invalidation);
    done = std::max(done, links_.send_control(loser, asker, told, why.invalidation));
    quiet = std::max(quiet, quiet_at_home + links_.control_latency(home, loser) +
                                links_.control_latency(loser, asker));
    invalidations_ += counted;
  }
  if (t.dropped_line != transaction::no_line) drop(t, asker, when, why.write_back);
  if (t.more_drops != 0) [[unlikely]]
    drop_further(t, asker, when, why.write_back);
  const std::uint64_t latency = done - when;
  return {latency, std::min(quiet, latency), static_cast<std::uint8_t>(source)};
}

/// Whether the reference asks for anything; it may only have made lines leave its chip.
bool weave::asks(const cursor& at, const reference& r) const {
  return shards_[r.shard].transaction_of(at.transaction).what != transaction::kind::drops;
}

void weave::drop_further(const transaction& t, unsigned node, std::uint64_t when, traffic why) {
  for (unsigned i = 1; i <= t.more_drops; ++i) drop((&t)[i], node, when, why);
}

void weave::drop(const transaction& t, unsigned node, std::uint64_t when, traffic why) {
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
