// SPDX-License-Identifier: Apache-2.0
#include "control/placement_proof.hpp"

#include <cmath>

#include "base/student.hpp"

namespace numatch::control {

bool gain_by_stretch::is_proven(const proof_rules& rules) const {
  if (seen_.size() < rules.least_stretches) return false;
  double gain = 0;
  double uses = 0;
  for (const observation& one : seen_) {
    gain += one.gain;
    uses += one.uses;
  }
  if (uses <= 0 || gain < rules.least_gain * uses || gain <= 0) return false;
  const double share = gain / uses;
  double squares = 0;
  for (const observation& one : seen_) {
    const double off = one.gain - share * one.uses;
    squares += off * off;
  }
  const double count = static_cast<double>(seen_.size());
  const double deviation = std::sqrt(squares * count / (count - 1));
  // Of chance alone, a half falls on the other side.
  return gain > student_quantile(1 - 2 * rules.error, count - 1) * deviation;
}

placement_proof::proposal placement_proof::proposal_of(const placement_plan& plan) {
  proposal wanted;
  for (const planned_thread& thread : plan.threads)
    wanted.threads.emplace(thread.thread, thread.to);
  for (const planned_page& page : plan.pages) wanted.pages.emplace(page.page, page.to);
  return wanted;
}

void placement_proof::propose(const plan_candidates& wanted, const seen_program& seen) {
  drop();
  open_ = true;
  stay_ = proposal_of(wanted.stay);
  if (wanted.move) move_ = proposal_of(*wanted.move);
  for (const memory_unit& unit : seen.units) own_.emplace(unit.page, is_one_threads(unit.users));
}

tried_placement placement_proof::placed_by(const proposal& wanted, const thread_nodes& now,
                                           const seen_program& seen) const {
  tried_placement placed{now, {}, {}};
  for (const auto& [thread, node] : wanted.threads) {
    if (thread < now.size() && now[thread]) placed.threads[thread] = node;
  }
  for (const memory_unit& unit : seen.units) {
    const auto to = wanted.pages.find(unit.page);
    placed.units.push_back(to == wanted.pages.end() ? std::nullopt : std::optional(to->second));
    const auto own = own_.find(unit.page);
    placed.own.push_back(own != own_.end() && own->second ? 1 : 0);
  }
  return placed;
}

void placement_proof::try_on_latest(const seen_program& seen, std::uint64_t cached_bytes) {
  const thread_nodes now = present_nodes(seen);
  const auto tried = [&](const proposal& wanted) {
    return try_placement(seen, cached_bytes, now, placed_by(wanted, now, seen),
                         tried_uses::latest_stretch);
  };
  const trial_by_kind stays = tried(stay_);
  const double uses = stays.all().uses;
  if (uses < rules_.least_uses) return;
  ++stretches_;
  own_pages_.add(stays.own.believed(), uses);
  shared_pages_.add(stays.shared.believed(), uses);
  if (move_) threads_.add(tried(*move_).all().believed() - stays.all().believed(), uses);
}

plan_parts placement_proof::proven() const {
  const plan_parts shown{own_pages_.is_proven(rules_), shared_pages_.is_proven(rules_),
                         threads_.is_proven(rules_)};
  const bool complete = shown.threads || (shown.own_pages && shown.shared_pages && !move_);
  return complete || stretches_ >= rules_.patience ? shown : plan_parts{false, false, false};
}

}  // namespace numatch::control
