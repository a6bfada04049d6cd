// SPDX-License-Identifier: Apache-2.0
#include "sim/front.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace numatch::sim {

namespace {

/// Addresses beyond 2^48 (vsyscall pages) are folded into the range that tags can hold.
constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48) - 1;

std::size_t filter_place(std::uint64_t line) {
  // Arrays often start a power of two apart; without the folding they would share a place.
  return (line ^ (line >> 7) ^ (line >> 14)) & 127;
}

bool system_hears_of(trace::event_kind kind) {
  switch (kind) {
    case trace::event_kind::thread_start:
    case trace::event_kind::thread_end:
    case trace::event_kind::map:
    case trace::event_kind::unmap:
    case trace::event_kind::remap:
    case trace::event_kind::bind_memory:
    case trace::event_kind::memory_policy:
    case trace::event_kind::move_pages:
    case trace::event_kind::affinity:
    case trace::event_kind::place:
    case trace::event_kind::run_on:
    case trace::event_kind::roi_begin:
    case trace::event_kind::roi_end:
      return true;
    default:
      return false;
  }
}

}  // namespace

front::front(const machine_config& config, std::vector<std::uint32_t> pus)
    : pus_(std::move(pus)),
      filters_(pus_.size()),
      line_bits_(static_cast<unsigned>(std::countr_zero(config.line_bytes))),
      page_bits_(static_cast<unsigned>(std::countr_zero(config.page_bytes))) {
  for (const tlb_config& tlb : config.tlbs) {
    std::map<unsigned, std::uint32_t> number_of_group;
    std::vector<tlb_unit> units;
    std::vector<std::uint32_t> unit_of;
    for (const std::uint32_t pu : pus_) {
      const unsigned group = tlb.shared.group[pu];
      const auto [known, is_new] =
          number_of_group.emplace(group, static_cast<std::uint32_t>(units.size()));
      if (is_new) units.emplace_back(tlb);
      unit_of.push_back(known->second);
    }
    tlbs_.push_back(std::move(units));
    tlb_of_.push_back(std::move(unit_of));
  }
}

void front::run(const front_view& view, std::vector<lane>& lanes,
                std::vector<sim_thread>& threads) {
  faults.clear();
  notices.clear();
  events.clear();
  seen.clear();
  std::vector<runner> running;
  for (std::size_t place = 0; place < pus_.size(); ++place) {
    lane& on = lanes[pus_[place]];
    if (on.thread == lane::nobody) continue;
    running.push_back({view, on, threads[on.thread], on.thread, pus_[place], place});
  }
  if (running.empty()) return;
  if (running.size() == 1) {
    while (!running[0].ended) step(running[0], view.until);
    return;
  }
  // PUs that share a TLB take turns, so that it sees their pages in the order of time.
  const std::uint64_t turn = std::max<std::uint64_t>(1, (view.until - view.begin) / 64);
  for (;;) {
    runner* next = nullptr;
    std::uint64_t second = view.until;
    for (runner& r : running) {
      if (r.ended) continue;
      const bool earlier =
          next == nullptr || r.estimate() < next->estimate() ||
          (r.estimate() == next->estimate() && r.thread_number < next->thread_number);
      if (earlier) next = &r;
    }
    if (next == nullptr) return;
    for (const runner& r : running) {
      if (!r.ended && &r != next) second = std::min(second, r.estimate());
    }
    const std::uint64_t until = std::min(view.until, std::max(second, next->estimate()) + turn);
    step(*next, until);
    if (!next->ended && next->estimate() >= view.until) next->ended = true;
  }
}

/// Up to `until`, or one event, or the end of what the thread can do in this phase.
void front::step(runner& r, std::uint64_t until) {
  sim_thread& t = r.thread;
  if (t.used == t.current.accesses.size()) {
    if (t.current.happened == nullptr) {
      result<piece> next = t.stream->next();
      if (!next) {
        t.problem = next.error();
        r.ended = true;
        return;
      }
      t.current = *next;
      t.used = 0;
      if (t.current.ended()) {
        t.now = sim_thread::state::ended;
        r.ended = true;
        return;
      }
    }
    if (t.current.happened != nullptr) {
      if (r.estimate() >= until) {
        r.ended = r.ended || r.estimate() >= r.view.until;
        return;
      }
      pass_event(r, *t.current.happened);
      return;
    }
  }
  if (r.estimate() >= until) {
    r.ended = r.ended || r.estimate() >= r.view.until;
    return;
  }
  run_accesses(r, until);
}

void front::pass_event(runner& r, const trace::event& happened) {
  sim_thread& t = r.thread;
  const std::uint32_t after = static_cast<std::uint32_t>(r.on.references.size());
  if (happened.kind == trace::event_kind::acquire) {
    const std::optional<std::uint64_t> ready =
        r.view.order->ready_time(happened.args[0], happened.stamp);
    if (!ready) {
      t.now = sim_thread::state::blocked;
      t.object = happened.args[0];
      t.stamp = happened.stamp;
      t.current = {};
      t.used = 0;
      r.ended = true;
      return;
    }
    const std::uint64_t now = r.estimate();
    if (*ready > now) r.waited += *ready - now;
    // The estimate may be wrong, so the true clock has to look again.
    if (*ready > 0) {
      r.on.markers.push_back({after, r.on.offset, marker::kind::wait_until, 0, *ready});
    }
  } else if (happened.kind == trace::event_kind::release) {
    r.on.markers.push_back(
        {after, r.on.offset, marker::kind::release, happened.args[0], happened.stamp});
  } else if (system_hears_of(happened.kind)) {
    events.push_back({r.estimate(), r.thread_number, happened});
    events.back().what.text = {};
  }
  t.current = {};
  t.used = 0;
}

/// Forgets all lines at once: entries of another era do not match.
void front::filter::forget() {
  era += std::uint64_t{1} << 43;
  if (era == 0) entries.fill({});
}

/// So many accesses of its present piece the thread is thought to do in some cycles; at least one.
std::uint64_t front::accesses_in(std::uint64_t cycles, const sim_thread& t, unsigned stall) {
  const std::uint64_t each = (t.current.instructions << 8) / t.current.accesses.size() +
                             t.stall_share + (std::uint64_t{stall} << 8);
  return std::max<std::uint64_t>(1, (cycles << 8) / each);
}

inline void front::refer(runner& r, std::uint64_t address, bool write, std::uint64_t when) {
  const std::uint64_t page = address >> page_bits_;
  const std::uint64_t line = address >> line_bits_;
  ++lookups_;
  std::uint32_t tlb_stall = 0;
  tlb_slot* slot = tlbs_[0][tlb_of_[0][r.place]].find(page);
  if (slot == nullptr) [[unlikely]] {
    slot = translate(r, address, write, when, tlb_stall);
  }
  slot->used = lookups_;
  if (++slot->accesses >= r.view.counter_max) [[unlikely]] {
    saturated(r, *slot, when);
  }
  if (r.view.replicas && write) collapse(r, address, when);
  const std::uint32_t index = static_cast<std::uint32_t>(r.on.references.size());
  const std::size_t shard = line & (r.view.shards - 1);
  // Filled in where it stays: a wide copy of what was just written in pieces has to wait until all
  // writes before it are done, those to lines that another host thread has used included.
  reference& made = r.on.references.emplace_back();
  made.offset = r.on.offset;
  made.tlb_stall = tlb_stall;
  made.address = address;
  made.shard = static_cast<std::uint8_t>(shard);
  made.write = write;
  __builtin_prefetch(&made + 8, 1);
  const std::uint64_t in_phase = when > r.view.begin ? when - r.view.begin : 0;
  std::vector<shard_reference>& list = r.on.by_shard[shard];
  list.push_back(
      {line, static_cast<std::uint32_t>(in_phase), index, static_cast<std::uint16_t>(r.pu), write});
  __builtin_prefetch(&list.back() + 8, 1);
  filter& known = filters_[r.place];
  known.entries[filter_place(line)] = {known.era | line << 1 | static_cast<std::uint64_t>(write),
                                       slot};
}

void front::run_accesses(runner& r, std::uint64_t until) {
  sim_thread& t = r.thread;
  const piece& p = t.current;
  const std::uint64_t first = t.used;
  const std::uint64_t skipped = instructions_before(p, first);
  const unsigned stall = r.view.config->core.access_stall;
  const std::uint64_t begin = r.on.start + r.on.offset + r.waited;
  const std::uint64_t accesses_before = r.on.accesses;
  // When access k is estimated to issue. Lines beyond the first of an access are not counted here.
  const auto estimate = [&](std::uint64_t k) {
    return begin + instructions_before(p, k) - skipped + stall * (k - first) +
           ((accesses_before + k - first) * t.stall_share >> 8);
  };
  std::uint64_t end = p.accesses.size();
  if (estimate(end - 1) >= until) {  // the last one before `until`
    std::uint64_t low = first + 1;
    while (low < end) {
      const std::uint64_t middle = std::midpoint(low, end);
      if (estimate(middle) < until) {
        low = middle + 1;
      } else {
        end = middle;
      }
    }
    end = low;
  }
  const std::uint32_t offset = r.on.offset;
  std::uint64_t extra = 0;  // stalls of lines beyond the first
  if (r.view.simulates) {
    filter& known = filters_[r.place];
    const unsigned line_bits = line_bits_;
    const unsigned line_to_page = page_bits_ - line_bits_;
    const std::uint64_t window = accesses_in(filter_cycles, t, stall);
    std::uint64_t lookups = lookups_;
    const std::uint64_t lookups_before = lookups;
    for (std::uint64_t k = first; k < end;) {
      if (r.filtered == 0) {
        known.forget();
        r.filtered = window;
      }
      const std::uint64_t window_end = std::min(end, k + r.filtered);
      r.filtered -= window_end - k;
      const std::uint64_t era = known.era | 1;
      for (; k < window_end; ++k) {
        const trace::access& a = p.accesses[k];
        const std::uint64_t address = a.address & address_mask;
        const std::uint64_t last = address + a.bytes - (a.bytes != 0);
        const std::uint64_t line = address >> line_bits;
        if (line == last >> line_bits) [[likely]] {
          const filter_entry& entry = known.entries[filter_place(line)];
          if ((entry.tag | !a.write) == (era | line << 1) &&
              entry.slot->page == line >> line_to_page) [[likely]] {
            entry.slot->used = ++lookups;
            if (++entry.slot->accesses >= r.view.counter_max) [[unlikely]] {
              saturated(r, *entry.slot, estimate(k));
            }
            continue;
          }
        }
        const std::uint64_t done = instructions_before(p, k) - skipped + stall * (k - first);
        const std::uint64_t when =
            begin + done + ((accesses_before + k - first) * t.stall_share >> 8);
        lookups_ = lookups;
        r.on.offset = offset + static_cast<std::uint32_t>(done + extra);
        refer(r, address, a.write, when);
        for (std::uint64_t at = line + 1; at <= last >> line_bits; ++at) {
          r.on.offset += stall;
          extra += stall;
          ++r.on.further_lines;
          refer(r, at << line_bits, a.write, when);
        }
        lookups = lookups_;
      }
    }
    lookups_ = lookups;
    tlb_accesses += lookups - lookups_before;
    if (r.view.wants_accesses) {
      seen_accesses& batch = seen.emplace_back();
      batch.when = begin;
      batch.thread = r.thread_number;
      batch.accesses.reserve(end - first);
      for (std::uint64_t k = first; k < end; ++k) {
        const trace::access& a = p.accesses[k];
        batch.accesses.push_back({a.address, a.bytes, a.write});
      }
    }
  }
  const std::uint64_t instructions = instructions_before(p, end) - skipped;
  r.on.offset = offset + static_cast<std::uint32_t>(instructions + stall * (end - first) + extra);
  r.on.accesses += end - first;
  t.used = end;
  if (r.view.simulates) {
    t.instructions += instructions;
    t.accesses += end - first;
  }
}

/// What happens when the first level does not know the page; returns its slot there.
tlb_slot* front::translate(runner& r, std::uint64_t address, bool write, std::uint64_t when,
                           std::uint32_t& stall) {
  const std::uint64_t page = address >> page_bits_;
  tlb_unit& first = tlbs_[0][tlb_of_[0][r.place]];
  ++tlb_misses;
  tlb_unit* second = tlbs_.size() > 1 ? &tlbs_[1][tlb_of_[1][r.place]] : nullptr;
  tlb_slot* const deeper = second == nullptr ? nullptr : second->find(page);
  if (deeper != nullptr) {
    deeper->used = lookups_;
    stall += r.view.config->tlbs[1].latency;
  } else {
    walk(r, address, write, when, stall);
    if (second != nullptr) {
      tlb_slot& made = second->victim(page);
      if (made.page != tlb_slot::no_page) leave(r, &first, made, when);
      made = {page, lookups_, 0, r.thread_number};
    }
  }
  tlb_slot& entered = first.victim(page);
  if (entered.page != tlb_slot::no_page) leave(r, second, entered, when);
  entered = {page, lookups_, 0, r.thread_number};
  return &entered;
}

/// A write to a page with replicas.
void front::collapse(runner& r, std::uint64_t address, std::uint64_t when) {
  const page_entry* const entry = r.view.pages->find(address >> page_bits_);
  if (entry == nullptr || !entry->replicated) return;
  faults.push_back({when, r.thread_number, r.pu, static_cast<std::uint32_t>(r.on.references.size()),
                    fault::kind::collapse, true, address});
}

/// An entry leaves a level. Its count goes on in the other level if that has the page, else the
/// mechanism hears of it.
void front::leave(runner& r, tlb_unit* other, const tlb_slot& slot, std::uint64_t when) {
  if (!r.view.wants_tlb_notices) return;
  if (tlb_slot* kept = other == nullptr ? nullptr : other->find(slot.page); kept != nullptr) {
    kept->accesses += slot.accesses;
    return;
  }
  notices.push_back({when, slot.thread, r.pu, tlb_notice::kind::evicted, slot.page, slot.accesses});
}

void front::saturated(runner& r, tlb_slot& slot, std::uint64_t when) {
  const bool just_now = slot.accesses == r.view.counter_max;
  slot.accesses = r.view.reset_on_saturation ? 0 : r.view.counter_max + 1;
  if (just_now && r.view.wants_tlb_notices) {
    notices.push_back(
        {when, slot.thread, r.pu, tlb_notice::kind::saturated, slot.page, r.view.counter_max});
  }
}

void front::walk(runner& r, std::uint64_t address, bool write, std::uint64_t when,
                 std::uint32_t& stall) {
  ++page_walks;
  stall += r.view.config->os.page_walk;
  const std::uint64_t page = address >> page_bits_;
  if (r.view.wants_tlb_notices) {
    notices.push_back({when, r.thread_number, r.pu, tlb_notice::kind::miss, page, 0});
  }
  const page_entry* const entry = r.view.pages->find(page);
  const std::uint32_t index = static_cast<std::uint32_t>(r.on.references.size());
  const auto report = [&](fault::kind why) {
    faults.push_back({when, r.thread_number, r.pu, index, why, write, address});
  };
  if (entry == nullptr) {
    report(fault::kind::unmapped);
    if (r.view.views) r.thread.view[page] = true;
  } else if (r.view.views) {
    bool& seen_before = r.thread.view[page];
    if (!seen_before) report(fault::kind::view);
    seen_before = true;
  } else if (entry->taken) {
    report(fault::kind::taken);
  }
}

bool front::forget_page(std::uint64_t page) {
  bool had = false;
  for (std::vector<tlb_unit>& level : tlbs_) {
    for (tlb_unit& unit : level) had = unit.forget(page) || had;
  }
  return had;
}

void front::flush_tlbs() {
  for (std::vector<tlb_unit>& level : tlbs_) {
    for (tlb_unit& unit : level) unit.flush();
  }
}

std::vector<front> make_fronts(const machine_config& config) {
  std::vector<std::uint32_t> leader(config.pus());
  std::iota(leader.begin(), leader.end(), 0U);
  // The lowest PU that a PU shares a TLB with, directly or over others.
  for (bool changed = true; changed;) {
    changed = false;
    for (const tlb_config& tlb : config.tlbs) {
      std::map<unsigned, std::uint32_t> lowest;
      for (std::uint32_t pu = 0; pu < leader.size(); ++pu) {
        const auto [known, is_new] = lowest.emplace(tlb.shared.group[pu], leader[pu]);
        if (!is_new) known->second = std::min(known->second, leader[pu]);
      }
      for (std::uint32_t pu = 0; pu < leader.size(); ++pu) {
        const std::uint32_t found = lowest[tlb.shared.group[pu]];
        changed = changed || found != leader[pu];
        leader[pu] = found;
      }
    }
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t pu = 0; pu < leader.size(); ++pu) members[leader[pu]].push_back(pu);
  std::vector<front> fronts;
  for (auto& [lowest, pus] : members) fronts.emplace_back(config, std::move(pus));
  return fronts;
}

}  // namespace numatch::sim
