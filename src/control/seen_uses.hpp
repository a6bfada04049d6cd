// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/flat_table.hpp"
#include "base/ids.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch::control {

/// How often a thread was seen to use a piece of memory, in two halves: what is seen in one stretch
/// of time goes into one, in the next into the other, so that what one half advises can be tried on
/// the other. Single uses in turn would not do: threads that just have the processors are seen
/// again and again.
struct thread_uses {
  std::uint32_t thread = 0;
  std::array<double, 2> half{};
  double all() const { return half[0] + half[1]; }
};

/// Uses of one stretch of time: of a page by anybody, or of any page by a thread. Stretches count
/// from 0; those with even numbers are in half 0.
struct stretch_uses {
  std::uint64_t stretch = 0;
  double uses = 0;
};
struct thread_share {
  std::uint32_t thread = 0;
  double uses = 0;
  double of_shared = 0;  ///< of these, uses of pages that are not one thread's alone
};

/// What decides as one: a page, or a huge page.
struct memory_unit {
  page_number page;  ///< the first one
  std::uint64_t bytes = 4096;
  page_number seen;  ///< one of its pages that was used
  std::vector<thread_uses> users;
  std::vector<stretch_uses> when;     ///< the same uses, ascending
  std::vector<thread_uses> latest{};  ///< those of the last stretch that is over
};

/// Who was seen in a stretch of time at all, whatever memory it used.
struct stretch_of_time {
  std::uint64_t number = 0;
  std::vector<thread_share> threads;  ///< ascending
};

/// Which threads were seen to use which pages lately. Of each stretch of time a page remembers four
/// uses at most (their shares, if there were more), so that no burst outweighs the others, and
/// twenty in all: so a change of the program shows after as many. Not thread safe.
class seen_uses {
 public:
  void add(page_number page, std::uint32_t thread, double weight);
  /// A stretch of time is over: its uses are known from now on, those to come go into the other
  /// half.
  void end_stretch();
  /// All memory as it is: what is not used any more fades.
  void age(double factor);

  /// By address; pages of one aligned block of `huge_bytes` decide together where `is_huge` says
  /// so.
  template <class IsHuge>
  std::vector<memory_unit> units(std::uint64_t huge_bytes, const IsHuge& is_huge) const;
  /// Bytes of pages that nobody else uses and bytes of all pages, by thread.
  std::vector<std::uint64_t> bytes_used() const;
  /// The latest ones that are over, ascending without a gap.
  const std::deque<stretch_of_time>& stretches() const { return stretches_; }
  std::size_t threads() const { return threads_; }

 private:
  struct record {
    std::vector<thread_uses> users;
    std::vector<thread_uses> fresh;  ///< of the present stretch
    std::vector<stretch_uses> when;
    std::vector<thread_uses> latest;  ///< of the stretch before `latest_until`
    std::uint64_t latest_until = 0;
  };
  static void scale(record& known, double factor);
  std::vector<memory_unit> pages() const;

  static constexpr double most_uses = 20;
  static constexpr double most_of_stretch = 4;
  static constexpr std::size_t most_users = 256;
  static constexpr std::size_t most_stretches = 128;
  flat_table<record> pages_;
  std::size_t threads_ = 0;
  std::uint64_t stretch_ = 0;
  std::deque<stretch_of_time> stretches_;
};

/// One thread has nine tenths of the uses, at least.
bool is_one_threads(const std::vector<thread_uses>& users);

/// Adds what somebody used to what is known of a unit.
void add_uses(std::vector<thread_uses>& users, const thread_uses& more);
void add_uses(std::vector<stretch_uses>& when, const stretch_uses& more);

/// What each pair of these threads used alike, by one half of the uses: per unit min(a(i), a(j)),
/// as the oracle counts reads (docs/detectors.md). Row and column t are of threads[t]; others do
/// not count, of which a program may have had many.
sharing_matrix sharing_of(const std::vector<memory_unit>& units,
                          std::span<const std::uint32_t> threads, std::size_t half);

template <class IsHuge>
std::vector<memory_unit> seen_uses::units(std::uint64_t huge_bytes, const IsHuge& is_huge) const {
  constexpr std::uint64_t page_bytes = 4096;
  std::vector<memory_unit> joined;
  for (memory_unit& page : pages()) {
    if (!is_huge(page.page)) {
      joined.push_back(std::move(page));
      continue;
    }
    const page_number first(page.page.value / (huge_bytes / page_bytes) *
                            (huge_bytes / page_bytes));
    if (joined.empty() || joined.back().page != first || joined.back().bytes != huge_bytes) {
      joined.push_back({first, huge_bytes, page.page, {}, {}});
    }
    for (const thread_uses& uses : page.users) add_uses(joined.back().users, uses);
    for (const thread_uses& uses : page.latest) add_uses(joined.back().latest, uses);
    for (const stretch_uses& uses : page.when) add_uses(joined.back().when, uses);
  }
  return joined;
}

}  // namespace numatch::control
