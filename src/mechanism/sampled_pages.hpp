// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/flat_table.hpp"
#include "base/ids.hpp"

namespace numatch {

/// What samples tell about one page: how many of them each thread had, lately and before, so that
/// what was said before can be tried on what came then.
struct sampled_page {
  struct use {
    std::uint32_t thread = 0;
    float shared = 0;         ///< all samples before the last fold_sharing(), aged
    float shared_lately = 0;  ///< and since
    float samples = 0;        ///< those that went beyond the chip's caches
    float samples_lately = 0;
  };
  std::vector<use> uses;  ///< in the order of the first sample
  bool used_lately = false;
};

/// The pages that samples have shown, with an age: what is older than some intervals no longer
/// counts.
class sampled_pages {
 public:
  /// Made empty when it is new; valid until the next call.
  sampled_page& of(page_number page);
  /// Null for a page without samples.
  const sampled_page* find(page_number page) const;

  struct sample {
    bool near = false;  ///< the chip's own cache answered
    float weight = 1;   ///< samples that it stands for
  };
  void add(page_number page, thread_id thread, const sample& seen);

  /// Pages with a sample since the last call, in ascending order.
  std::vector<page_number> take_used();

  /// What was before is multiplied by `factor`, and what came lately is added to it: of the samples
  /// that say where a page belongs, or of those that say who shares.
  void fold_places(double factor);
  void fold_sharing(double factor);

  /// each(row) for every page.
  template <class Each>
  void for_each(const Each& each) const {
    for (const sampled_page& row : rows_) each(row);
  }

 private:
  flat_table<std::uint32_t> row_of_;  ///< page to 1 + its row
  std::vector<sampled_page> rows_;
  std::vector<page_number> used_lately_;
};

/// Where a thread is, and what a sample of it counts.
struct thread_site {
  std::optional<node_id> node;
  double weight = 1;
};

/// A page's samples before the last fold_places(), added up for the nodes where threads are.
struct node_lead {
  node_id best;        ///< the most samples; the page's node where it has as many, else the lowest
  double most = 0;     ///< samples of `best`
  double present = 0;  ///< samples of the node where the page is
  double all = 0;
};
/// A thread without a node is left out. `by_node` is room for a number per node.
node_lead lead_of(const sampled_page& page, std::span<const thread_site> threads, node_id present,
                  std::span<double> by_node);

}  // namespace numatch
