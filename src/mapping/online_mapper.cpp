// SPDX-License-Identifier: Apache-2.0
#include "mapping/online_mapper.hpp"

#include <optional>
#include <utility>

#include "mapping/engine/large_search.hpp"
#include "mapping/engine/search.hpp"
#include "mapping/engine/slots.hpp"
#include "mapping/request_check.hpp"

namespace numatch {

struct online_mapper::state {
  pu_tree tree;
  engine::slot_tree places;
  engine::thread_graph graph;
  engine::search search;
  std::optional<engine::large_search>
      lists;  ///< for matrices with few pairs, where tables are large
  std::uint64_t seed;
  engine::random_source random;
  std::vector<std::uint32_t> vertex_at;  ///< the last answer; empty before the first one
  std::vector<std::uint32_t> home_of;    ///< leaf of each vertex in it
  std::vector<pu_id> pu_of;

  state(pu_tree over, const level_costs& costs, std::span<const std::uint32_t> slots_of_leaf,
        std::size_t threads, std::uint64_t from_seed)
      : tree(std::move(over)),
        places(tree, costs, slots_of_leaf),
        search(places, mapping_budget::online),
        seed(from_seed),
        random(from_seed),
        pu_of(threads) {
    graph.reserve(places.size(), threads * (threads - 1) / 2);
    search.reserve();
    if (places.size() > engine::most_in_tables) {
      lists.emplace(places);
      lists->reserve();
    }
    vertex_at.reserve(places.size());
    // Places that stay empty are nobody's home: filling one is one move, not two.
    home_of.assign(places.size(), engine::swap_table::no_home);
    warm_up();
  }

  /// Two searches whose answers nobody wants, for all and for few pairs: the first call of map()
  /// then finds memory that the system has given, and code that is loaded and bound.
  void warm_up() {
    // Beyond, a search of all pairs takes longer than it saves.
    if (places.size() > engine::most_in_tables) return;
    sharing_matrix sharing(pu_of.size());
    engine::random_source other(1);
    const engine::search_effort effort = engine::effort_for(mapping_budget::online, places.size());
    for (const std::size_t reach : {pu_of.size(), std::size_t{2}}) {
      for (std::size_t i = 0; i < pu_of.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) sharing.set(i, j, i - j < reach ? 1 : 0);
      }
      graph.load(sharing, places.size());
      graph.make_rows();
      search.run(graph, effort, other);
    }
  }

  bool with_lists() const { return lists && graph.is_sparse(); }

  std::span<const std::uint32_t> start() {
    if (with_lists()) return lists->run(graph, mapping_budget::online, random);
    graph.make_rows();
    return search.run(graph, engine::effort_for(mapping_budget::online, places.size()), random);
  }

  std::span<const std::uint32_t> go_on(double move_cost) {
    const std::int32_t price = engine::whole_price(move_cost, graph, places);
    if (with_lists()) return lists->refine(graph, vertex_at, home_of, price);
    graph.make_rows();
    return search.refine(graph, vertex_at, home_of, price);
  }
};

online_mapper::online_mapper(std::unique_ptr<state> all) : state_(std::move(all)) {}
online_mapper::online_mapper(online_mapper&&) noexcept = default;
online_mapper& online_mapper::operator=(online_mapper&&) noexcept = default;
online_mapper::~online_mapper() = default;

result<online_mapper> online_mapper::make(const topology& machine, const distance_table& distances,
                                          std::size_t threads, fill_policy policy,
                                          std::span<const pu_id> allowed, std::uint64_t seed) {
  // Limits ask whether anything is shared at all; what is shared is not known yet.
  sharing_matrix something(threads);
  if (threads > 1) something.set(0, 1, 1);
  mapping_request request{.sharing = something, .machine = machine, .distances = distances};
  request.policy = policy;
  request.allowed = allowed;
  if (result<void> r = check_request(request); !r) return tl::unexpected(r.error());
  const level_costs costs = costs_by_level(machine, distances);
  if (!costs.exact) {
    return fail("online mapping", "the distances do not follow the tree of " + machine.name(),
                "map_threads() maps such machines");
  }
  pu_tree tree(machine, allowed);
  const std::vector<std::uint32_t> slots = engine::slots_of_leaves(limits_of(request, tree), tree);
  return online_mapper(std::make_unique<state>(std::move(tree), costs, slots, threads, seed));
}

std::span<const pu_id> online_mapper::map(const sharing_matrix& sharing, double move_cost) {
  state& s = *state_;
  s.graph.load(sharing, s.places.size());
  const std::span<const std::uint32_t> found = s.vertex_at.empty() ? s.start() : s.go_on(move_cost);
  s.vertex_at.assign(found.begin(), found.end());
  for (std::uint32_t slot = 0; slot < found.size(); ++slot) {
    const std::uint32_t vertex = found[slot];
    if (vertex >= s.pu_of.size()) continue;
    s.home_of[vertex] = s.places.leaf_of(slot);
    s.pu_of[vertex] = s.tree.pu(s.places.leaf_of(slot));
  }
  return s.pu_of;
}

void online_mapper::start_over() {
  state_->vertex_at.clear();
  state_->random = engine::random_source(state_->seed);
}

}  // namespace numatch
