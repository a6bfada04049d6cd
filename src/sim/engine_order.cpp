// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "sim/engine.hpp"

namespace numatch::sim {

namespace {

/// Something of a front's lists, to be sorted.
struct happening {
  std::uint64_t when;
  std::uint32_t thread;
  std::uint8_t list;  ///< at the same cycle: the program's requests, faults, TLB notices
  std::uint32_t front;
  std::uint32_t index;
  auto operator<=>(const happening&) const = default;
};
enum : std::uint8_t { event_list, fault_list, notice_list };

// <linux/mempolicy.h>
constexpr std::uint64_t bind_policy = 2;
constexpr std::uint64_t move_flags = 2 | 4;  // MPOL_MF_MOVE, MPOL_MF_MOVE_ALL

// NUMATCH_OWN_NODE of annotate.h
constexpr std::uint64_t own_node = ~std::uint64_t{0};

}  // namespace

void engine::bring_in_order() {
  std::vector<happening> all;
  for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
    const front& of = fronts_[f];
    for (std::uint32_t i = 0; i < of.events.size(); ++i) {
      all.push_back({of.events[i].when, of.events[i].thread, event_list, f, i});
    }
    for (std::uint32_t i = 0; i < of.faults.size(); ++i) {
      all.push_back({of.faults[i].when, of.faults[i].thread, fault_list, f, i});
    }
    for (std::uint32_t i = 0; i < of.notices.size(); ++i) {
      all.push_back({of.notices[i].when, of.notices[i].thread, notice_list, f, i});
    }
  }
  std::sort(all.begin(), all.end());
  for (const happening& h : all) {
    const front& of = fronts_[h.front];
    if (h.list == event_list) handle_event(of.events[h.index]);
    if (h.list == fault_list) handle_fault(of.faults[h.index]);
    if (h.list == notice_list) handle_notice(of.notices[h.index]);
  }
  if (!view_.wants_accesses) return;
  for (const front& of : fronts_) {
    for (const front::seen_accesses& batch : of.seen) {
      const std::uint32_t pu = threads_[batch.thread].pu;
      call_software(software::none, pu, batch.when, [&] {
        mechanism_->on_accesses(thread_id(batch.thread), batch.accesses, world_);
      });
    }
  }
}

/// Carries out what the fault asks for, if another thread has not done so in the meantime. True
/// when the mechanism has to hear of it.
bool engine::pay_fault(const fault& f, std::uint32_t& stall) {
  const std::uint64_t page = f.address / config_.page_bytes;
  page_entry* const entry = pages_.find(page);
  switch (f.why) {
    case fault::kind::unmapped:
      if (entry == nullptr) {
        pages_.map(page, page_starts_.node_for(page, f.thread, config_.node_of_pu[f.pu]));
        known_pages_.push_back(page);
        stall = config_.os.page_fault;
        ++result_.page_faults;
        if (fault_share_ > 0) induced_debt_ += fault_share_ / (1 - fault_share_);
        return true;
      }
      if (!view_.views) return false;
      [[fallthrough]];  // mapped meanwhile, but not in this thread's view
    case fault::kind::view:
      stall = config_.os.induced_fault;
      ++result_.induced_faults;
      return true;
    case fault::kind::taken:
      if (entry == nullptr || !entry->taken) return false;
      entry->taken = false;
      stall = config_.os.induced_fault;
      ++result_.induced_faults;
      return true;
    case fault::kind::collapse:
      if (entry == nullptr || !entry->replicated) return false;
      entry->replicated = false;
      --replicated_now_;
      ++result_.replicas_collapsed;
      stall = config_.os.page_fault;
      forget_page(page);
      return false;
  }
  return false;
}

void engine::handle_fault(const fault& f) {
  std::uint32_t stall = 0;
  const bool heard = pay_fault(f, stall);
  lanes_[f.pu].references[f.index].tlb_stall += stall;
  if (counting_) fault_cycles_ += stall;
  if (!heard || !wants_faults_) return;
  const page_fault_event event{thread_id(f.thread), f.address, f.write,
                               f.why != fault::kind::unmapped || stall != config_.os.page_fault};
  call_software(software::handler, f.pu, f.when, [&] { mechanism_->on_page_fault(event, world_); });
}

void engine::handle_notice(const tlb_notice& n) {
  const bool miss = n.what == tlb_notice::kind::miss;
  if (miss ? !wants_misses_ : !wants_evictions_) return;
  if (sensors_.drop_while_busy && n.when < hardware_busy_[n.pu]) {
    ++result_.events_dropped;
    return;
  }
  ++result_.hardware_events;
  call_software(software::none, n.pu, n.when, [&] {
    if (miss) {
      mechanism_->on_tlb_miss({thread_id(n.thread), page_number(n.page), pu_id(n.pu)}, world_);
    } else {
      mechanism_->on_tlb_evict({thread_id(n.thread), page_number(n.page), n.accesses,
                                n.what == tlb_notice::kind::saturated, pu_id(n.pu)},
                               world_);
    }
  });
  // How long this one takes is known after the caches have seen its touches; until then, as long as
  // others took.
  hardware_busy_[n.pu] = n.when + (world_.touches() * touch_latency_[n.pu] >> 8);
}

void engine::handle_event(const system_event& e) {
  const std::uint64_t* const args = e.what.args;
  switch (e.what.kind) {
    case trace::event_kind::roi_begin:
      region_changes(true, e.when);
      break;
    case trace::event_kind::roi_end:
      region_changes(false, e.when);
      break;
    case trace::event_kind::map:  // what lay there, under MAP_FIXED, is gone
    case trace::event_kind::unmap:
      unmap(args[0], args[1]);
      break;
    case trace::event_kind::remap:
      remap({args[0], args[1]}, {args[2], args[3]});
      break;
    case trace::event_kind::bind_memory:
      bind_range({args[0], args[1]}, {args[2], args[3]}, (args[4] & move_flags) != 0, e);
      break;
    case trace::event_kind::place: {
      const std::uint32_t pu = threads_[e.thread].pu;
      const unsigned here = pu == sim_thread::no_pu ? 0 : config_.node_of_pu[pu];
      const std::uint64_t node = args[2] == own_node ? here : args[2] % config_.nodes;
      bind_range({args[0], args[1]}, {bind_policy, std::uint64_t{1} << node % 64}, true, e);
      break;
    }
    case trace::event_kind::memory_policy:
      page_starts_.set_policy(e.thread, {args[0], args[1]});
      break;
    case trace::event_kind::move_pages: {
      page_entry* const entry = pages_.find(args[1] / config_.page_bytes);
      if (entry == nullptr || args[2] >= config_.nodes || entry->node == args[2]) break;
      move_page(args[1] / config_.page_bytes, *entry, static_cast<unsigned>(args[2]));
      break;
    }
    case trace::event_kind::affinity: {
      const std::optional<thread_id> named =
          args[0] == 0 ? thread_id(e.thread) : program_.thread_of(args[0]);
      if (!named) break;
      sim_thread& t = threads_[named->index()];
      t.allowed.clear();
      for (std::uint32_t pu = 0; pu < std::min<std::size_t>(config_.pus(), 256); ++pu) {
        if ((args[1 + pu / 64] >> pu % 64 & 1) != 0) t.allowed.push_back(pu);
      }
      const bool stays = t.allowed.empty() || t.pu == sim_thread::no_pu ||
                         std::find(t.allowed.begin(), t.allowed.end(), t.pu) != t.allowed.end();
      if (!stays) move_thread(named->value, thread_starts_.next(live_on_pu_, t.allowed));
      break;
    }
    case trace::event_kind::run_on: {
      const unsigned node = static_cast<unsigned>(args[0] % config_.nodes);
      sim_thread& t = threads_[e.thread];
      t.allowed.clear();
      for (std::uint32_t pu = 0; pu < config_.pus(); ++pu) {
        if (config_.node_of_pu[pu] == node) t.allowed.push_back(pu);
      }
      if (t.pu == sim_thread::no_pu || config_.node_of_pu[t.pu] == node) break;
      std::uint32_t best = t.allowed.front();
      for (const std::uint32_t pu : t.allowed) {
        if (live_on_pu_[pu] < live_on_pu_[best]) best = pu;
      }
      move_thread(e.thread, best);
      break;
    }
    default:
      break;
  }
}

/// Several threads may be in the region at the same time; it counts from the first to the last.
void engine::region_changes(bool opens, std::uint64_t when) {
  if (!options_.region_of_interest) return;
  if (opens) {
    if (regions_open_++ == 0) {
      region_begin_ = when;
      counting_ = true;
    }
  } else if (regions_open_ > 0 && --regions_open_ == 0) {
    region_cycles_ += when > region_begin_ ? when - region_begin_ : 0;
    counting_ = false;
    if (mechanism_ != nullptr) sharing_ = mechanism_->sharing();
  }
}

namespace {

/// Misses until the next sample: `period` on average, from a half of it to one and a half. A fixed
/// gap may keep step with a program and see only its reads, or only its writes.
std::uint64_t gap_to_sample(std::uint64_t period, std::uint64_t& random) {
  random = random * 6364136223846793005U + 1442695040888963407U;
  const std::uint64_t half = period / 2;
  return period - half + (random >> 33) % (2 * half + 1);
}

}  // namespace

void engine::take_samples() {
  samples_.clear();
  for (const weave::answered& a : weave_.answers()) {
    const lane& on = *weave_lanes_[a.lane];
    sim_thread& t = threads_[on.thread];
    if (t.until_sample == 0) {
      t.sample_random = options_.seed * 0x9e3779b97f4a7c15U + on.thread;
      t.until_sample = gap_to_sample(sensors_.sample_period, t.sample_random);
    }
    if (--t.until_sample > 0) continue;
    t.until_sample = gap_to_sample(sensors_.sample_period, t.sample_random);
    const reference& r = on.references[a.index];
    samples_.push_back(
        {thread_id(on.thread), r.address, r.write, static_cast<data_source>(a.source), a.latency});
  }
}

}  // namespace numatch::sim
