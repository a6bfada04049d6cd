// SPDX-License-Identifier: Apache-2.0
#include "sim/weave.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "mechanism/event.hpp"

namespace numatch::sim {

weave::weave(const machine_config& config, const page_table& pages)
    : config_(config),
      pages_(pages),
      links_(config.network, config.nodes),
      node_of_chip_(config.chips()),
      page_shift_(static_cast<unsigned>(std::countr_zero(config.page_bytes / config.line_bytes))),
      forward_latency_(config.caches.back().latency) {
  for (unsigned node = 0; node < config.nodes; ++node) {
    memories_.emplace_back(config.memory, config.line_bytes);
  }
  for (std::size_t pu = config.pus(); pu-- > 0;) {
    node_of_chip_[config.caches.back().shared.group[pu]] = config.node_of_pu[pu];
  }
}

/// Where a line lies for a chip on node `reader`; lines that no page table knows lie on node 0.
weave::place weave::place_of(std::uint64_t line, unsigned reader) const {
  const page_entry* const page = pages_.find(line >> page_shift_);
  if (page == nullptr) return {0, line};
  const std::uint64_t in_page = line & ((std::uint64_t{1} << page_shift_) - 1);
  return {page->replicated ? reader : page->node,
          (std::uint64_t{page->frame} << page_shift_) + in_page};
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

/// Goes on to the next reference that leaves its chip; false at the lane's end.
bool weave::advance(cursor& at, lane_cost& cost) {
  const std::vector<reference>& references = at.on->references;
  for (; at.next < references.size(); ++at.next) {
    const reference& r = references[at.next];
    if (!at.on->markers.empty()) pass_markers(at, cost, at.next);
    const std::uint64_t stall = std::uint64_t{r.tlb_stall} + r.cache_stall;
    if (at.background) {  // handlers do nothing in between
      const std::uint64_t begins = at.on->start + r.offset;
      at.stalled = at.busy_until > begins ? at.busy_until - begins : 0;
      at.busy_until = begins + at.stalled + stall;
    }
    cost.tlb += r.tlb_stall;
    cost.caches += r.cache_stall;
    if (r.transaction != no_transaction) {
      at.leaves = at.on->start + r.offset + at.stalled + stall;
      at.stalled += stall;
      if (config_.core.overlap > 1 && !at.background) join_group(at, r);
      return true;
    }
    at.stalled += stall;
    if (keep_answers && r.shared_level && !at.background) {
      answers_.push_back({at.number, static_cast<std::uint32_t>(at.next), r.cache_stall,
                          static_cast<std::uint8_t>(data_source::shared_cache)});
    }
  }
  pass_markers(at, cost, at.next);
  return false;
}

/// Brings the heap in order after its first element has become later.
void weave::sink_first() {
  const std::size_t size = heap_.size();
  if (size < 2) return;
  const std::pair<std::uint64_t, std::uint32_t> moved = heap_.front();
  std::size_t at = 0;
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < moved)) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = moved;
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

void weave::run(std::span<lane* const> lanes, std::span<const std::uint8_t> background,
                std::span<const std::uint32_t> chip_of_lane, std::span<const cache_shard> shards,
                std::vector<lane_cost>& costs) {
  shards_ = shards;
  releases_.clear();
  answers_.clear();
  cursors_.clear();
  heap_.clear();
  costs.assign(lanes.size(), {});
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    cursor at;
    at.on = lanes[i];
    at.number = i;
    at.background = background[i] != 0;
    at.chip = chip_of_lane[i];
    cursors_.push_back(at);
    if (advance(cursors_[i], costs[i])) heap_.emplace_back(cursors_[i].leaves, i);
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (!heap_.empty()) {
    const std::uint32_t number = heap_.front().second;
    cursor& at = cursors_[number];
    lane_cost& cost = costs[number];
    bool more = true;
    do {
      const reference& r = at.on->references[at.next];
      const transaction& t = shards_[r.shard].transactions()[r.transaction];
      const outcome done = carry_out(t, at.leaves, at.background);
      wait_for(at, done, cost);
      if (keep_answers && !at.background) {
        answers_.push_back({number, static_cast<std::uint32_t>(at.next),
                            static_cast<std::uint32_t>(r.cache_stall + done.latency), done.source});
      }
      ++at.next;
      more = advance(at, cost);
    } while (more && heap_.size() == 1);  // alone, it need not queue again
    if (more) {
      heap_.front().first = at.leaves;
    } else {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    sink_first();
  }
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    costs[i].end = lanes[i]->start + lanes[i]->offset + cursors_[i].stalled;
  }
}

void weave::count(const transaction& t) {
  if (t.what == transaction::kind::forward) ++cache_to_cache_;
  if (t.what == transaction::kind::upgrade) ++upgrades_;
  invalidations_ += static_cast<unsigned>(std::popcount(t.losers));
  if (t.what == transaction::kind::forward && t.write) ++invalidations_;
}

weave::outcome weave::carry_out(const transaction& t, std::uint64_t when, bool background) {
  const unsigned asker = node_of_chip_[t.chip];
  const place home = place_of(t.line, asker);
  const traffic request = background ? traffic::table : traffic::request;
  const traffic forward = background ? traffic::table : traffic::forward;
  const traffic data = background ? traffic::table : traffic::data;
  const traffic invalidation = background ? traffic::table : traffic::invalidation;
  if (!background) count(t);
  const std::uint64_t at_home = links_.send_control(asker, home.node, when, request);
  std::uint64_t done = at_home;
  std::uint64_t quiet = links_.control_latency(asker, home.node);
  const std::uint64_t quiet_at_home = quiet;
  data_source source = data_source::remote_cache;
  switch (t.what) {
    case transaction::kind::memory: {
      const memory::service served = memories_[home.node].access(home.line, at_home, false);
      done = links_.send_data(home.node, asker, served.done, data);
      quiet += served.quiet + links_.data_latency(home.node, asker);
      source = home.node == asker ? data_source::local_memory : data_source::remote_memory;
      if (!background) ++(home.node == asker ? local_ : remote_);
      break;
    }
    case transaction::kind::forward: {
      const unsigned owner = node_of_chip_[t.owner];
      const std::uint64_t asked =
          links_.send_control(home.node, owner, at_home, forward) + forward_latency_;
      done = links_.send_data(owner, asker, asked, data);
      quiet += links_.control_latency(home.node, owner) + forward_latency_ +
               links_.data_latency(owner, asker);
      break;
    }
    case transaction::kind::upgrade:
      if (t.losers == 0) {
        done = links_.send_control(home.node, asker, at_home, request);
        quiet += links_.control_latency(home.node, asker);
      }
      break;
  }
  for (std::uint64_t left = t.losers; left != 0; left &= left - 1) {
    const unsigned loser = node_of_chip_[static_cast<unsigned>(std::countr_zero(left))];
    const std::uint64_t told = links_.send_control(home.node, loser, at_home, invalidation);
    done = std::max(done, links_.send_control(loser, asker, told, invalidation));
    quiet = std::max(quiet, quiet_at_home + links_.control_latency(home.node, loser) +
                                links_.control_latency(loser, asker));
  }
  if (t.dropped != transaction::no_line) drop(t, asker, when, background);
  const std::uint64_t latency = done - when;
  return {latency, std::min(quiet, latency), static_cast<std::uint8_t>(source)};
}

void weave::drop(const transaction& t, unsigned node, std::uint64_t when, bool background) {
  const place home = place_of(t.dropped, node);
  const traffic why = background ? traffic::table : traffic::write_back;
  if (!t.dropped_dirty) {
    links_.send_control(node, home.node, when, why);
    return;
  }
  ++write_backs_;
  const std::uint64_t arrived = links_.send_data(node, home.node, when, why);
  memories_[home.node].access(home.line, arrived, true);
}

std::uint64_t weave::copy_page(unsigned from, std::uint32_t from_frame, unsigned to,
                               std::uint32_t to_frame, std::uint64_t when) {
  const std::uint64_t lines = std::uint64_t{1} << page_shift_;
  std::uint64_t asked = when;
  std::uint64_t done = when;
  for (std::uint64_t i = 0; i < lines; ++i) {
    const memory::service read =
        memories_[from].access((std::uint64_t{from_frame} << page_shift_) + i, asked, false);
    const std::uint64_t there = links_.send_data(from, to, read.done, traffic::page_copy);
    done = memories_[to].access((std::uint64_t{to_frame} << page_shift_) + i, there, true).done;
    asked += config_.memory.burst;
  }
  return done - when;
}

}  // namespace numatch::sim
