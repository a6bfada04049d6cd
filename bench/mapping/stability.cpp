// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/stability.hpp"

#include <algorithm>

#include "bench/mapping/drawing.hpp"

namespace numatch::bench {

namespace {

const mapping_algorithm* find_if_there(std::string_view name) {
  const result<const mapping_algorithm*> found = find_algorithm(name);
  return found ? *found : nullptr;
}

struct changed_case {
  const mapping_request& request;  ///< with the changed matrix, without a current mapping
  const thread_mapping& current;
  double current_cost = 0;
  double fresh_cost = 0;
};

result<void> add(stability_row& row, const remapping& way, const changed_case& now) {
  mapping_request request = now.request;
  request.budget = way.budget;
  const double threads = static_cast<double>(request.sharing.size());
  if (way.knows_current) {
    request.current = &now.current;
    request.move_cost = way.move_cost * now.current_cost / threads;
  }
  const mapping_algorithm* algorithm = find_if_there(way.algorithm);
  if (algorithm == nullptr) return fail(way.algorithm, "is not an algorithm of this build");
  result<mapping_answer> answer = map_threads(*algorithm, request);
  if (!answer) return tl::unexpected(answer.error());
  double moved = 0;
  for (std::size_t t = 0; t < request.sharing.size(); ++t) {
    moved += answer->mapping.pu_of[t] == now.current.pu_of[t] ? 0 : 1;
  }
  const double gain = now.current_cost - answer->cost;
  row.moved += moved / threads;
  row.above_fresh += now.fresh_cost > 0 ? answer->cost / now.fresh_cost - 1 : 0;
  row.stayed += moved == 0 ? 1 : 0;
  const double rounding = 1e-9 * now.current_cost;
  if (way.knows_current && moved > 0 && gain < moved * request.move_cost - rounding) ++row.unpaid;
  return {};
}

}  // namespace

sharing_matrix with_noise(const sharing_matrix& sharing, double share, std::uint64_t seed) {
  drawing draw(seed);
  sharing_matrix noisy(sharing.size());
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = i + 1; j < sharing.size(); ++j) {
      const double factor = 1 + share * (2 * draw.unit() - 1);
      noisy.set(i, j, sharing.at(i, j) * factor);
      noisy.set(j, i, sharing.at(j, i) * factor);
    }
  }
  return noisy;
}

std::vector<remapping> usual_remappings() {
  std::vector<remapping> ways;
  if (find_if_there("scotch") != nullptr) ways.push_back({"fresh scotch", "scotch"});
  if (find_if_there("numatch") == nullptr) return ways;
  const auto add_way = [&](std::string name, mapping_budget budget, double move_cost) {
    ways.push_back({std::move(name), "numatch", budget, true, move_cost});
  };
  ways.push_back({"fresh numatch", "numatch"});
  add_way("numatch online, current", mapping_budget::online, 0);
  add_way("numatch, current", mapping_budget::standard, 0);
  add_way("  move cost 0.1 %", mapping_budget::standard, 0.001);
  add_way("  move cost 1 %", mapping_budget::standard, 0.01);
  add_way("  move cost 10 %", mapping_budget::standard, 0.1);
  add_way("numatch best, current", mapping_budget::best, 0);
  add_way("  move cost 1 %", mapping_budget::best, 0.01);
  // No exchange of two threads can gain twenty thousand times what all threads cost.
  add_way("numatch, moves too dear", mapping_budget::standard, 1e6);
  return ways;
}

result<std::vector<stability_row>> measure_stability(const std::vector<instance>& instances,
                                                     double noise,
                                                     const std::vector<remapping>& ways) {
  const bool ours = find_if_there("numatch") != nullptr;
  const mapping_algorithm* first = find_if_there(ours ? "numatch" : "scotch");
  if (first == nullptr) return fail("stability", "this build has neither numatch nor scotch");
  std::vector<stability_row> rows{{"stay"}};
  for (const remapping& way : ways) rows.push_back({way.name});
  for (const instance& one : instances) {
    result<loaded_machine> on = load(*one.machine);
    if (!on) return tl::unexpected(on.error());
    const result<made_pattern> made = one.make();
    if (!made) return tl::unexpected(made.error());
    mapping_request before{made->sharing, on->machine, on->distances};
    result<mapping_answer> current = map_threads(*first, before);
    if (!current) return tl::unexpected(current.error());
    const sharing_matrix changed = with_noise(made->sharing, noise, one.seed + 1000);
    const mapping_request after{changed, on->machine, on->distances};
    result<mapping_answer> fresh = map_threads(*first, after);
    if (!fresh) return tl::unexpected(fresh.error());
    const changed_case now{after, current->mapping,
                           mapping_cost(changed, current->mapping, on->distances), fresh->cost};
    rows.front().above_fresh += now.fresh_cost > 0 ? now.current_cost / now.fresh_cost - 1 : 0;
    ++rows.front().stayed;
    for (std::size_t w = 0; w < ways.size(); ++w) {
      if (result<void> r = add(rows[w + 1], ways[w], now); !r) return tl::unexpected(r.error());
    }
  }
  const double count = static_cast<double>(std::max<std::size_t>(1, instances.size()));
  for (stability_row& row : rows) {
    row.moved /= count;
    row.above_fresh /= count;
  }
  return rows;
}

}  // namespace numatch::bench
