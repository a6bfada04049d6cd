// SPDX-License-Identifier: Apache-2.0
#include "mapping/page_placement.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace numatch {

namespace {

/// A use of pages begins or ends at `page`.
struct edge {
  std::uint64_t page;
  bool begins;
  const page_use* use;
};

std::vector<edge> edges_of(const profile& learned, const thread_mapping& mapping) {
  std::vector<edge> edges;
  for (const page_use& use : learned.pages) {
    if (use.pages == 0 || use.thread.index() >= mapping.pu_of.size()) continue;
    edges.push_back({use.first_page.value, true, &use});
    edges.push_back({use.first_page.value + use.pages, false, &use});
  }
  std::sort(edges.begin(), edges.end(),
            [](const edge& a, const edge& b) { return a.page < b.page; });
  return edges;
}

/// Walks over the pages from edge to edge; between two edges all pages are used alike.
class placer {
 public:
  placer(const thread_mapping& mapping, const topology& machine)
      : mapping_(mapping), machine_(machine), accesses_(machine.node_count(), 0) {
    placement_.pages_on_node.assign(machine.node_count(), 0);
  }

  void apply(const edge& e) {
    const double amount = static_cast<double>(e.use->reads + e.use->writes);
    accesses_[node_of(e.use->thread).index()] += e.begins ? amount : -amount;
    const std::pair<std::uint32_t, thread_id> who{e.use->window, e.use->thread};
    if (e.begins) {
      users_.insert(who);
    } else {
      users_.erase(users_.find(who));
    }
  }

  void place(std::uint64_t first, std::uint64_t end) {
    if (users_.empty() || first == end) return;
    const node_id touched = node_of(users_.begin()->second);
    node_id best = touched;
    double all = 0;
    for (std::uint32_t n = 0; n < accesses_.size(); ++n) {
      all += accesses_[n];
      if (accesses_[n] > accesses_[best.index()]) best = node_id(n);
    }
    const double pages = static_cast<double>(end - first);
    total_ += all * pages;
    local_mapped_ += accesses_[best.index()] * pages;
    local_touched_ += accesses_[touched.index()] * pages;
    placement_.pages_on_node[best.index()] += end - first;
    std::vector<placed_run>& runs = placement_.runs;
    if (!runs.empty() && runs.back().node == best &&
        runs.back().first_page.value + runs.back().pages == first) {
      runs.back().pages += end - first;
    } else {
      runs.push_back({page_number(first), end - first, best});
    }
  }

  page_placement finish() {
    std::set<node_id> homes;
    for (const pu_id pu : mapping_.pu_of) homes.insert(machine_.node_of(pu));
    if (!homes.empty()) placement_.local_interleave = 1.0 / static_cast<double>(homes.size());
    if (total_ > 0) {
      placement_.local_mapped = local_mapped_ / total_;
      placement_.local_first_touch = local_touched_ / total_;
    }
    // First touch that keeps no more accesses local than chance does has one thread touch what all
    // use: then at least every node's memory should carry its part.
    const bool as_bad_as_chance =
        placement_.local_first_touch <= placement_.local_interleave + 0.05 && homes.size() > 1;
    placement_.policy = as_bad_as_chance ? page_policy::interleave : page_policy::local;
    return std::move(placement_);
  }

 private:
  node_id node_of(thread_id thread) const {
    return machine_.node_of(mapping_.pu_of[thread.index()]);
  }

  const thread_mapping& mapping_;
  const topology& machine_;
  std::vector<double> accesses_;  ///< per node, of one of the current pages
  std::multiset<std::pair<std::uint32_t, thread_id>> users_;
  double total_ = 0;
  double local_mapped_ = 0;
  double local_touched_ = 0;
  page_placement placement_;
};

}  // namespace

std::string_view to_string(page_policy policy) {
  return policy == page_policy::local ? "local" : "interleave";
}

page_placement place_pages(const profile& learned, const thread_mapping& mapping,
                           const topology& machine) {
  const std::vector<edge> edges = edges_of(learned, mapping);
  placer work(mapping, machine);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    work.apply(edges[i]);
    if (i + 1 < edges.size()) work.place(edges[i].page, edges[i + 1].page);
  }
  page_placement placement = work.finish();
  placement.page_bytes = learned.page_bytes;
  return placement;
}

}  // namespace numatch
