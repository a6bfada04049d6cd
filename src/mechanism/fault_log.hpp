// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "mechanism/mvas_rules.hpp"

namespace numatch {

/// MVAS's log of faulting accesses (section III-C): which thread faulted on which page in the last
/// few activations. A thread counts once per page and activation; in the paper, too, a count of 2
/// means that it faulted in both of two activations.
class fault_log {
 public:
  /// `activations`: how many are kept; 1 is the paper's one-shot mode, 2 its count mode.
  explicit fault_log(std::size_t activations) : kept_(activations) {}

  /// Forgets the oldest activation when enough are kept.
  void begin_activation();
  /// Between begin_activation() and end_activation().
  void note(page_number page, thread_id thread) { activations_.back().push_back({page, thread}); }
  void end_activation();

  /// The access-count tuples of all pages in the log.
  struct page_tuples {
    struct tuple {
      page_number page;
      std::size_t first = 0;
      std::size_t size = 0;
    };
    std::vector<tuple> pages;                ///< in ascending order
    std::vector<mvas::thread_count> counts;  ///< of each page in ascending order of threads
    std::span<const mvas::thread_count> of(const tuple& t) const {
      return std::span(counts).subspan(t.first, t.size);
    }
  };
  /// After end_activation().
  page_tuples tuples() const;

 private:
  struct fault {
    page_number page;
    thread_id thread;
    friend auto operator<=>(const fault&, const fault&) = default;
  };
  std::size_t kept_;
  std::deque<std::vector<fault>> activations_;
};

}  // namespace numatch
