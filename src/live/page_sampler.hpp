// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/ids.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

/// Chooses which pages to arm next. All threads have one page table, so an armed page shows one
/// user, and hides the others until it is armed again (MVAS calls it masking). Therefore a few
/// blocks of pages at a time are armed over and over, each page until its sharers stop growing;
/// then others have their turn. When all had it, they are looked at again, briefly: a page that
/// shows somebody new gets its long look once more.
///
/// Deterministic: the same seed, ranges and uses give the same pages. Not thread safe.
class page_sampler {
 public:
  struct settings {
    std::uint64_t seed = 1;
    std::uint64_t block_pages = 16;  ///< armed by one call, if they are neighbours
    std::size_t active_blocks = 64;
    /// With s sharers a page rests after quiet * (s + 1) answers that showed nobody new: a further
    /// sharer that is as active as each of the others has then been missed with e^-quiet.
    unsigned quiet = 3;
    unsigned quiet_again = 2;  ///< answers with nobody new, when a page is looked at again
    /// A page of so many threads is everybody's; more precision maps nothing better.
    std::size_t enough_sharers = 64;
    unsigned patience = 50;  ///< rounds without an answer, after which a block's turn is over
    unsigned rest = 200;  ///< rounds at least between two turns of a block that keep to the order
  };
  explicit page_sampler(const settings& chosen) : settings_(chosen), random_(chosen.seed) {}

  /// The pages to choose from, ascending. What is known of pages stays.
  void watch(std::span<const page_run> ranges);

  /// A round is what passes between two arms of a page at least.
  void begin_round();
  /// The pages to arm together, of one block; empty: none in this round.
  std::vector<page_run> next();
  /// Nothing of what next() gave last could be armed (nobody has touched that memory yet, or it is
  /// gone): the turn of its block is over.
  void nothing_armed();
  /// A thread used a page. Whether it was armed.
  bool note_use(page_number page, pid_t task);

  std::uint64_t watched_pages() const { return watched_; }
  /// Watched pages that never had a turn, and that nobody was seen to use.
  std::uint64_t never_sensed() const;
  /// Threads that were seen to use the page.
  std::size_t sharers(page_number page) const;
  bool rests(page_number page) const;

 private:
  struct page_state {
    std::vector<pid_t> sharers;
    unsigned quiet = 0;  ///< answers since somebody new came
    bool armed = false;
    bool was_armed = false;
    bool resting = false;
    bool again = false;  ///< its sharers stopped growing before
  };
  struct block {
    std::uint64_t number = 0;      ///< first page / block_pages
    unsigned rounds_waited = 0;    ///< since the last answer
    std::uint64_t last_round = 0;  ///< in which it was looked at
  };

  bool is_watched(std::uint64_t page) const;
  void begin_walk();
  std::optional<std::uint64_t> next_of_walk();
  void fill_active();
  void activate(std::uint64_t number);
  bool is_over(const block& b) const;
  std::vector<page_run> arm(const block& b);
  void consider_rest(page_state& page) const;
  template <class Each>
  void for_watched_pages(std::uint64_t number, const Each& each) const;

  settings settings_;
  std::mt19937_64 random_;
  std::vector<page_run> ranges_;
  std::uint64_t watched_ = 0;
  std::uint64_t round_ = 0;

  // The walk visits every block once, neighbours far apart in time.
  std::vector<std::uint64_t> blocks_until_;  ///< of ranges_[0..i]
  std::uint64_t walk_at_ = 0;
  std::uint64_t walk_step_ = 1;
  std::uint64_t walk_left_ = 0;
  std::uint64_t walk_began_ = 0;  ///< round

  std::vector<block> active_;
  std::size_t turn_ = 0;                     ///< index in active_
  std::deque<std::uint64_t> revisits_;       ///< blocks that showed something new after their turn
  std::unordered_set<std::uint64_t> taken_;  ///< the blocks of active_ and revisits_
  std::unordered_map<std::uint64_t, page_state> pages_;
};

}  // namespace numatch::live
