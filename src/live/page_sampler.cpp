// SPDX-License-Identifier: Apache-2.0
#include "live/page_sampler.hpp"

#include <algorithm>
#include <numeric>

namespace numatch::live {

namespace {

std::uint64_t end_of(const page_run& run) {
  return run.first.value + run.pages;
}

bool same(const page_run& a, const page_run& b) {
  return a.first == b.first && a.pages == b.pages;
}

}  // namespace

void page_sampler::watch(std::span<const page_run> ranges) {
  if (std::equal(ranges.begin(), ranges.end(), ranges_.begin(), ranges_.end(), same)) return;
  ranges_.assign(ranges.begin(), ranges.end());
  watched_ = 0;
  blocks_until_.clear();
  std::uint64_t blocks = 0;
  for (const page_run& run : ranges_) {
    watched_ += run.pages;
    blocks +=
        (end_of(run) - 1) / settings_.block_pages - run.first.value / settings_.block_pages + 1;
    blocks_until_.push_back(blocks);
  }
  begin_walk();
}

bool page_sampler::is_watched(std::uint64_t page) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), page,
                       [](std::uint64_t p, const page_run& run) { return p < run.first.value; });
  return after != ranges_.begin() && page < end_of(*std::prev(after));
}

template <class Each>
void page_sampler::for_watched_pages(std::uint64_t number, const Each& each) const {
  const std::uint64_t first = number * settings_.block_pages;
  for (std::uint64_t page = first; page < first + settings_.block_pages; ++page) {
    if (is_watched(page)) each(page);
  }
}

void page_sampler::begin_walk() {
  walk_left_ = blocks_until_.empty() ? 0 : blocks_until_.back();
  walk_began_ = round_;
  if (walk_left_ == 0) return;
  // Any step without a common divisor comes to every block; one of about 0.38 of all, drawn by lot,
  // spreads the blocks of every stretch of the walk evenly.
  walk_at_ = random_() % walk_left_;
  walk_step_ = walk_left_ * 3 / 8 + random_() % (walk_left_ / 64 + 1);
  walk_step_ = std::max<std::uint64_t>(walk_step_, 1);
  while (std::gcd(walk_step_, walk_left_) != 1) ++walk_step_;
}

std::optional<std::uint64_t> page_sampler::next_of_walk() {
  if (walk_left_ == 0) {
    if (round_ < walk_began_ + settings_.rest) return std::nullopt;
    begin_walk();
    if (walk_left_ == 0) return std::nullopt;
  }
  --walk_left_;
  const std::uint64_t index = walk_at_;
  walk_at_ = (walk_at_ + walk_step_) % blocks_until_.back();
  const auto range = std::upper_bound(blocks_until_.begin(), blocks_until_.end(), index);
  const std::size_t i = static_cast<std::size_t>(range - blocks_until_.begin());
  const std::uint64_t before = i == 0 ? 0 : blocks_until_[i - 1];
  return ranges_[i].first.value / settings_.block_pages + (index - before);
}

void page_sampler::fill_active() {
  while (active_.size() < settings_.active_blocks) {
    if (!revisits_.empty()) {
      activate(revisits_.front());
      revisits_.pop_front();
      continue;
    }
    const std::optional<std::uint64_t> number = next_of_walk();
    if (!number) return;
    if (taken_.insert(*number).second) activate(*number);
  }
}

void page_sampler::activate(std::uint64_t number) {
  active_.push_back({number, 0, round_ - 1});
  for_watched_pages(number, [&](std::uint64_t page) {
    page_state& state = pages_[page];
    // Memory that was given back and taken anew is no longer armed, and nobody told us.
    state.armed = false;
    if (!state.resting) return;
    state.resting = false;
    state.again = true;
    state.quiet = 0;
  });
}

bool page_sampler::is_over(const block& b) const {
  if (b.rounds_waited > settings_.patience) return true;
  bool all_rest = true;
  for_watched_pages(b.number,
                    [&](std::uint64_t page) { all_rest = all_rest && rests(page_number(page)); });
  return all_rest;
}

void page_sampler::begin_round() {
  ++round_;
  for (block& b : active_) ++b.rounds_waited;
  std::erase_if(active_, [&](const block& b) {
    if (!is_over(b)) return false;
    taken_.erase(b.number);
    return true;
  });
  fill_active();
}

std::vector<page_run> page_sampler::arm(const block& b) {
  std::vector<page_run> runs;
  for_watched_pages(b.number, [&](std::uint64_t page) {
    page_state& state = pages_[page];
    if (state.armed || state.resting) return;
    state.armed = true;
    state.was_armed = true;
    if (!runs.empty() && end_of(runs.back()) == page) {
      ++runs.back().pages;
    } else {
      runs.push_back({page_number(page), 1});
    }
  });
  return runs;
}

std::vector<page_run> page_sampler::next() {
  for (std::size_t looked = 0; looked < active_.size(); ++looked) {
    turn_ = (turn_ + 1) % active_.size();
    block& b = active_[turn_];
    if (b.last_round == round_) continue;
    b.last_round = round_;
    std::vector<page_run> runs = arm(b);
    if (!runs.empty()) return runs;
  }
  return {};
}

void page_sampler::nothing_armed() {
  if (turn_ >= active_.size()) return;
  block& b = active_[turn_];
  b.rounds_waited = settings_.patience + 1;
  for_watched_pages(b.number, [&](std::uint64_t page) {
    page_state& state = pages_[page];
    state.armed = false;
    state.was_armed = !state.sharers.empty();
  });
}

void page_sampler::consider_rest(page_state& page) const {
  const std::size_t sharers = page.sharers.size();
  const std::size_t enough = page.again ? settings_.quiet_again : settings_.quiet * (sharers + 1);
  page.resting = page.quiet >= enough || sharers >= settings_.enough_sharers;
}

bool page_sampler::note_use(page_number page, pid_t task) {
  page_state& state = pages_[page.value];
  const auto place = std::lower_bound(state.sharers.begin(), state.sharers.end(), task);
  const bool is_new = place == state.sharers.end() || *place != task;
  if (is_new) state.sharers.insert(place, task);
  const bool answered = state.armed;
  state.armed = false;
  if (is_new) {
    state.quiet = 0;
    state.again = false;
    state.resting = false;
  } else if (answered) {
    ++state.quiet;
  }
  if (!answered) return false;
  consider_rest(state);
  const std::uint64_t number = page.value / settings_.block_pages;
  for (block& b : active_) {
    if (b.number == number) b.rounds_waited = 0;
  }
  if (!state.resting && is_watched(page.value) && taken_.insert(number).second) {
    revisits_.push_back(number);
  }
  return true;
}

std::uint64_t page_sampler::never_sensed() const {
  std::uint64_t sensed = 0;
  for (const auto& [page, state] : pages_) {
    if ((state.was_armed || !state.sharers.empty()) && is_watched(page)) ++sensed;
  }
  return watched_ - sensed;
}

std::size_t page_sampler::sharers(page_number page) const {
  const auto found = pages_.find(page.value);
  return found == pages_.end() ? 0 : found->second.sharers.size();
}

bool page_sampler::rests(page_number page) const {
  const auto found = pages_.find(page.value);
  return found != pages_.end() && found->second.resting;
}

}  // namespace numatch::live
