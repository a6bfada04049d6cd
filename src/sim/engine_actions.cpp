// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/engine.hpp"

namespace numatch::sim {

void engine::carry_out_requests() {
  const std::vector<simulated_world::request> wanted = std::move(world_.requests);
  world_.requests.clear();
  decision made{phase_end_, 0, 0};
  const std::uint64_t threads_before = result_.threads_moved;
  for (const simulated_world::request& w : wanted) {
    if (w.what == action_kind::move_pages) ++made.pages_asked;
    const std::string reason = carry_out(w);
    const outcome_event outcome{w.number, w.what, reason.empty(), reason};
    call_software(software::timer, w.pu, phase_end_,
                  [&] { mechanism_->on_outcome(outcome, world_); });
  }
  made.threads_moved = result_.threads_moved - threads_before;
  if (made.threads_moved != 0 || made.pages_asked != 0) result_.decisions.push_back(made);
}

/// Why it was not done; empty when it was.
std::string engine::carry_out(const simulated_world::request& wanted) {
  if (wanted.what == action_kind::move_threads) return carry_out_thread_moves(wanted);
  return carry_out_page_move(wanted);
}

std::string engine::carry_out_thread_moves(const simulated_world::request& wanted) {
  for (const pu_id pu : wanted.pu_of_thread) {
    if (pu.index() >= config_.pus()) return fmt::format("there is no PU {}", pu.value);
  }
  const std::size_t count = std::min(wanted.pu_of_thread.size(), threads_.size());
  for (std::uint32_t t = 0; t < count; ++t) {
    const sim_thread& thread = threads_[t];
    const bool lives =
        thread.now == sim_thread::state::ready || thread.now == sim_thread::state::blocked;
    if (!lives || thread.pu == wanted.pu_of_thread[t].value) continue;
    const std::vector<std::uint32_t>& allowed = thread.allowed;
    if (!allowed.empty() &&
        std::find(allowed.begin(), allowed.end(), wanted.pu_of_thread[t].value) == allowed.end()) {
      continue;  // the program itself bound it elsewhere
    }
    result_.thread_move_cycles += move_thread(t, wanted.pu_of_thread[t].value);
    ++result_.threads_moved;
  }
  if (!result_.first_thread_mapping) result_.first_thread_mapping = phase_end_;
  return {};
}

std::string engine::carry_out_page_move(const simulated_world::request& wanted) {
  page_entry* const entry =
      wanted.page < tables_begin / config_.page_bytes ? pages_.find(wanted.page) : nullptr;
  const bool move = wanted.what == action_kind::move_pages;
  if (move) ++result_.pages_asked;
  if (entry == nullptr || wanted.node >= config_.nodes) {
    if (move) ++result_.pages_failed;
    return entry == nullptr ? "the page is not mapped"
                            : fmt::format("there is no node {}", wanted.node);
  }
  if (!move) {
    if (entry->replicated) return "the page has replicas already";
    replicate(wanted.page, *entry);
    return {};
  }
  if (entry->node == wanted.node && !entry->replicated) return {};
  move_page(wanted.page, *entry, wanted.node);
  ++result_.pages_moved;
  if (!result_.first_page_move) result_.first_page_move = phase_end_;
  return {};
}

/// The kernel's work is done by the node's PUs in turn.
std::uint32_t engine::pu_on_node(unsigned node) {
  std::vector<std::uint32_t> there;
  for (std::uint32_t pu = 0; pu < config_.pus(); ++pu) {
    if (config_.node_of_pu[pu] == node && !queue_[pu].empty()) there.push_back(pu);
  }
  if (there.empty()) return software_pu();
  return there[next_pu_on_node_++ % there.size()];
}

/// No cache and no TLB knows the page any more; PUs that had its translation are interrupted.
void engine::forget_page(std::uint64_t page) {
  for (front& f : fronts_) {
    if (!f.forget_page(page)) continue;
    for (const std::uint32_t pu : f.pus()) charge(pu, config_.os.shootdown);
  }
  const std::uint64_t lines = config_.page_bytes / config_.line_bytes;
  for (std::uint64_t line = page * lines; line < (page + 1) * lines; ++line) {
    shards_[line & (shards_.size() - 1)].forget(line);
  }
}

void engine::move_page(std::uint64_t page, page_entry& entry, unsigned node) {
  if (entry.replicated) {
    entry.replicated = false;
    --replicated_now_;
  }
  const unsigned from = entry.node;
  const std::uint32_t from_frame = entry.frame;
  forget_page(page);
  pages_.move(entry, node);
  const std::uint64_t cycles =
      config_.os.page_move + weave_.copy_page(from, from_frame, node, entry.frame, phase_end_);
  charge(pu_on_node(node), cycles);
  result_.page_move_cycles += cycles;
}

void engine::replicate(std::uint64_t page, page_entry& entry) {
  forget_page(page);
  std::uint64_t cycles = 0;
  for (unsigned node = 0; node < config_.nodes; ++node) {
    if (node == entry.node) continue;
    cycles += config_.os.page_move +
              weave_.copy_page(entry.node, entry.frame, node, entry.frame, phase_end_);
  }
  charge(pu_on_node(entry.node), cycles);
  result_.page_move_cycles += cycles;
  entry.replicated = true;
  ++replicated_now_;
  ++result_.pages_replicated;
}

void engine::take_translations(const std::vector<std::uint64_t>& pages) {
  std::vector<bool> interrupted(fronts_.size(), false);
  for (const std::uint64_t page : pages) {
    page_entry* const entry = pages_.find(page);
    if (entry == nullptr || page >= tables_begin / config_.page_bytes) continue;
    entry->taken = true;
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      if (fronts_[f].forget_page(page)) interrupted[f] = true;
    }
  }
  // One interruption for all of them.
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    if (!interrupted[f]) continue;
    for (const std::uint32_t pu : fronts_[f].pus()) charge(pu, config_.os.shootdown);
  }
}

void engine::flush_all_translations() {
  for (front& f : fronts_) {
    f.flush_tlbs();
    for (const std::uint32_t pu : f.pus()) charge(pu, config_.os.shootdown);
  }
}

void engine::carry_out_faults() {
  if (world_.faults) {
    const simulated_world::asked_faults plan = std::move(*world_.faults);
    world_.faults.reset();
    fault_share_ = 0;
    if (plan.what != fault_plan::kind::pages) view_.views = false;
    switch (plan.what) {
      case fault_plan::kind::none:
        for (const std::uint64_t page : known_pages_) pages_.find(page)->taken = false;
        break;
      case fault_plan::kind::share:
        fault_share_ = std::clamp(plan.share, 0.0, 0.99);
        break;
      case fault_plan::kind::pages:
        take_translations(plan.pages);
        break;
      case fault_plan::kind::all_pages:
        for (const std::uint64_t page : known_pages_) pages_.find(page)->taken = true;
        flush_all_translations();
        break;
      case fault_plan::kind::thread_views:
        for (sim_thread& t : threads_) t.view.clear();
        view_.views = true;
        flush_all_translations();
        break;
    }
    call_software(software::timer, software_pu(), phase_end_, [&] {
      mechanism_->on_outcome({plan.number, action_kind::induce_faults, true, {}}, world_);
    });
  }
  std::vector<std::uint64_t> drawn;
  for (; induced_debt_ >= 1 && !known_pages_.empty(); induced_debt_ -= 1) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    drawn.push_back(known_pages_[(random_ >> 33) % known_pages_.size()]);
  }
  if (!drawn.empty()) take_translations(drawn);
}

}  // namespace numatch::sim
