// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "live/system_facts.hpp"

namespace numatch::live {

/// Why a page did not move.
enum class page_stays : std::uint8_t {
  busy,       ///< in use by the kernel at every try
  shared,     ///< other processes have it, too: only a privileged user moves such pages
  absent,     ///< nobody has touched it, it is swapped out or unmapped
  no_memory,  ///< its new node is full
  fixed       ///< the kernel cannot move such pages
};
inline constexpr std::size_t page_stays_reasons = 5;
std::string_view to_string(page_stays reason);

/// A page, or a huge page by its first address, and the node where it should be.
struct page_move {
  page_number page;             ///< by sensed_page_bytes
  unsigned node = 0;            ///< as the operating system numbers it
  std::uint64_t bytes = 4'096;  ///< that move with it
};

/// move_pages(2), so that tests can invent a kernel. `nodes` is empty to ask where pages are;
/// `status` gets a node or a negative error number for each page. Returns 0 or an error number.
class page_system {
 public:
  virtual ~page_system() = default;
  virtual int move(std::span<const page_number> pages, std::span<const int> nodes,
                   std::span<int> status) = 0;
};
/// Of a process that runs.
class kernel_page_system : public page_system {
 public:
  /// Pages that other processes have mapped, too, stay unless `shared_too`, and where this user
  /// has no right to move them.
  explicit kernel_page_system(pid_t process, bool shared_too = false)
      : process_(process), shared_too_(shared_too) {}
  int move(std::span<const page_number> pages, std::span<const int> nodes,
           std::span<int> status) override;

 private:
  pid_t process_;
  bool shared_too_;
};

/// The node of each page, below 0 where it has none. An error when the process has ended or its
/// pages may not be seen.
result<std::vector<int>> nodes_of_pages(page_system& system, std::span<const page_number> pages);

struct page_mover_options {
  std::uint64_t slice = 20'000'000;  ///< nanoseconds that one step takes at most
  double bytes_per_second = 256.0 * 1024 * 1024;
  /// That are moved by one call.
  std::uint64_t group_bytes = 64 * 1024;
  unsigned tries = 8;  ///< of a page that is busy
  /// Those that other processes have mapped, too, where this user may move them.
  bool shared_too = false;
};

struct page_mover_totals {
  std::uint64_t moved_pages = 0;
  std::uint64_t moved_bytes = 0;
  std::array<std::uint64_t, page_stays_reasons> stayed{};  ///< pages, by page_stays
  std::uint64_t longest_call = 0;                          ///< nanoseconds, measured
};

/// Before Linux 6.3 the kernel tells all processors of each page by itself and gives up on those
/// that are used meanwhile: of 1024 pages in use none moved in one call, in calls of 16 all did.
/// Later ones tell them of all pages of a call together.
page_mover_options options_for(kernel_version kernel);

/// Moves pages of a running process a few at a time: in slices of time and under a limit of bytes
/// per second. It has no clock of its own. Not thread safe.
class page_mover {
 public:
  using clock = std::function<std::uint64_t()>;  ///< nanoseconds, never falling
  page_mover(page_system& system, const page_mover_options& options, clock now)
      : system_(system), options_(options), now_(std::move(now)) {}

  /// To be moved after what waits already.
  void ask(std::span<const page_move> moves);
  /// What waits is not moved any more.
  void forget();
  bool idle() const { return waiting_.empty() && again_.empty(); }
  /// Pages that wait.
  std::size_t waiting() const { return waiting_.size() + again_.size(); }

  /// One slice. An error when the process has ended or its pages may not be moved; then nothing
  /// waits any more.
  result<void> step();
  const page_mover_totals& totals() const { return totals_; }
  /// Where the pages that moved were before the first of their moves since the last call.
  std::vector<page_move> take_origins();

 private:
  struct waiting_page {
    page_move move;
    unsigned tries = 0;
  };
  std::vector<waiting_page> next_group();
  result<void> move(const std::vector<waiting_page>& group);
  void judge(const waiting_page& page, int status, int before);
  void stays(page_stays reason) { ++totals_.stayed[static_cast<std::size_t>(reason)]; }

  page_system& system_;
  page_mover_options options_;
  clock now_;
  std::deque<waiting_page> waiting_;
  std::vector<waiting_page> again_;  ///< busy; tried in another step
  std::map<page_number, page_move> origins_;
  double credit_ = 0;  ///< bytes
  std::uint64_t last_ = 0;
  page_mover_totals totals_;
};

}  // namespace numatch::live
