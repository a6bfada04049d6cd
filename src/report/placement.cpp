// SPDX-License-Identifier: Apache-2.0
#include "report/placement.hpp"

#include <algorithm>

namespace numatch::report {

namespace {

constexpr unsigned random_draws = 8;

struct locality {
  double first_use = 0;
  double best = 0;
};

locality local_share(const std::vector<page_run>& runs, const thread_mapping& mapping,
                     const topology& machine) {
  locality local;
  double total = 0;
  std::vector<double> by_node(machine.node_count());
  const auto node = [&](thread_id t) { return machine.node_of(mapping.pu_of[t.index()]).index(); };
  for (const page_run& run : runs) {
    std::fill(by_node.begin(), by_node.end(), 0.0);
    for (const page_user& user : run.users) {
      by_node[node(user.thread)] += static_cast<double>(user.accesses());
    }
    const double pages = static_cast<double>(run.pages);
    total += pages * static_cast<double>(run.accesses());
    local.first_use += pages * by_node[node(run.first_user)];
    local.best += pages * *std::max_element(by_node.begin(), by_node.end());
  }
  if (total <= 0) return {};
  return {local.first_use / total, local.best / total};
}

result<mapping_row> try_algorithm(const mapping_algorithm& algorithm, const profile& learned,
                                  const std::vector<page_run>& runs, const topology& machine,
                                  const distance_table& distances) {
  mapping_row row;
  row.algorithm = std::string(algorithm.name);
  row.draws = algorithm.name == "random" ? random_draws : 1;
  for (unsigned seed = 1; seed <= row.draws; ++seed) {
    const result<mapping_answer> answer =
        map_threads(algorithm, {learned.sharing, machine, distances, seed});
    if (!answer) return tl::unexpected(answer.error());
    const locality local = local_share(runs, answer->mapping, machine);
    row.cost += answer->cost / row.draws;
    row.share_in_node +=
        ::numatch::share_in_node(learned.sharing, answer->mapping, machine) / row.draws;
    row.local_first_use += local.first_use / row.draws;
    row.local_best += local.best / row.draws;
    if (seed == 1) row.mapping = answer->mapping;
  }
  return row;
}

}  // namespace

const mapping_row* placement::find(std::string_view algorithm) const {
  for (const mapping_row& row : rows) {
    if (row.algorithm == algorithm) return &row;
  }
  return nullptr;
}

std::vector<const mapping_algorithm*> algorithms_to_report() {
  std::vector<const mapping_algorithm*> chosen;
  for (const std::string_view name : {"numatch", "scotch", "compact", "scatter", "random"}) {
    chosen.push_back(*find_algorithm(name));
  }
  return chosen;
}

result<placement> compare_mappings(const profile& learned, const std::vector<page_run>& runs,
                                   const topology& machine, algorithm_list algorithms) {
  placement compared;
  const distance_table distances(machine);
  for (const mapping_algorithm* algorithm : algorithms) {
    result<mapping_row> row = try_algorithm(*algorithm, learned, runs, machine, distances);
    if (row) {
      compared.rows.push_back(std::move(*row));
    } else {
      compared.failed.push_back(fmt::format("{}: {}", algorithm->name, row.error().message()));
    }
  }
  if (compared.rows.empty()) {
    return fail("", "no mapping algorithm has an answer for this profile",
                compared.failed.empty() ? "" : compared.failed.front());
  }
  // The mean over random draws is no mapping that one could use, so it cannot be the best; costs
  // are whole numbers times distances, so a tie is exact and the one that keeps more in a node
  // wins.
  std::stable_sort(compared.rows.begin(), compared.rows.end(),
                   [](const mapping_row& a, const mapping_row& b) {
                     if ((a.draws > 1) != (b.draws > 1)) return b.draws > 1;
                     if (a.cost != b.cost) return a.cost < b.cost;
                     return a.local_best > b.local_best;
                   });
  compared.local_interleave =
      1.0 / static_cast<double>(std::max<std::size_t>(machine.node_count(), 1));
  return compared;
}

}  // namespace numatch::report
