// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pattern/profile.hpp"

namespace numatch::report {

/// How one thread used each page of a run, all time windows together.
struct page_user {
  thread_id thread;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t accesses() const { return reads + writes; }
  friend bool operator==(const page_user&, const page_user&) = default;
};

/// Contiguous pages that the same threads used in the same way over the whole run.
struct page_run {
  page_number first;
  std::uint64_t pages = 1;
  std::vector<page_user> users;  ///< by thread; never empty; amounts are per page
  /// The thread with the most accesses in the first time window in which the page is used (lowest
  /// id on a tie): what first touch would go by, as far as time windows can tell.
  thread_id first_user;
  bool shared() const { return users.size() > 1; }
  std::uint64_t accesses() const;
  const page_user& dominant() const;  ///< most accesses; lowest thread on a tie
};

/// The page usage of a profile cut where any of its uses begins or ends, sorted by page. Uses
/// without an access are left out.
std::vector<page_run> page_runs(const profile& learned);

/// How exclusively pages belong to one thread. Exclusivity of a page = highest share of its
/// accesses by one thread; of a program = the mean over its pages weighted by accesses (SAMMU
/// paper, 5.3).
struct exclusivity {
  static constexpr std::size_t bins = 10;
  double level = 0;  ///< 0..1; 0 when there is no page usage
  /// Bin b holds the pages with b/10 < exclusivity ≤ (b+1)/10.
  std::array<double, bins> share_of_accesses{};
  std::array<std::uint64_t, bins> pages{};
  std::uint64_t pages_private = 0;       ///< used by one thread
  std::uint64_t pages_read_shared = 0;   ///< used by several, written by none
  std::uint64_t pages_write_shared = 0;  ///< used by several, written by at least one
  double accesses_private = 0;           ///< accesses to private pages
  double accesses_read_shared = 0;       ///< accesses to pages shared without a write
  double accesses_write_shared = 0;      ///< accesses to pages shared with writes
  /// Of accesses_read_shared and accesses_write_shared together, those to pages with at most one
  /// write in a hundred accesses.
  double accesses_hardly_written = 0;
  double accesses() const {
    return accesses_private + accesses_read_shared + accesses_write_shared;
  }
  /// Share of the accesses that go to pages used by at least two threads, 0..1.
  double shared_share() const;
  /// Sharing volume: share of the accesses that are not made by their page's main thread, 1 −
  /// level; 0 when there is no page usage. A page that one thread fills and another one uses for
  /// long counts for little here, and for all of its accesses in shared_share().
  double volume() const { return accesses() > 0 ? 1 - level : 0; }
};
exclusivity measure_exclusivity(const std::vector<page_run>& runs);

/// Accesses of one thread by the kind of page.
struct thread_pages {
  std::uint64_t accesses = 0;
  std::uint64_t shared = 0;   ///< to pages that at least two threads used
  std::uint64_t foreign = 0;  ///< to pages whose main thread is another one
};
std::vector<thread_pages> accesses_by_thread(const std::vector<page_run>& runs,
                                             std::size_t threads);

/// Cell (i, j): reads by thread j on pages that i wrote; where several threads wrote a page, the
/// reads are divided among them in proportion to their writes. The diagonal is 0.
sharing_matrix read_flow(const std::vector<page_run>& runs, std::size_t threads);

}  // namespace numatch::report
