// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thread_remapper.hpp"

#include <utility>

#include "mechanism/pu_loads.hpp"

namespace numatch {

namespace {

/// The rows and columns of these threads.
sharing_matrix part_of(const sharing_matrix& sharing, const std::vector<std::size_t>& threads) {
  sharing_matrix part(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    for (std::size_t j = 0; j < threads.size(); ++j) {
      part.set(i, j, sharing.at(threads[i], threads[j]));
    }
  }
  return part;
}

double moves(const thread_mapping& from, const thread_mapping& to) {
  double moved = 0;
  for (std::size_t t = 0; t < to.pu_of.size(); ++t) moved += from.pu_of[t] != to.pu_of[t] ? 1 : 0;
  return moved;
}

/// The world's own distances, else those of the machine's tree.
distance_table distances_of(const world& where) {
  if (where.distances() != nullptr) return *where.distances();
  return distance_table(*where.machine());
}

bool weighs_moves(const mapping_algorithm& algorithm) {
  return algorithm.name == "numatch";
}

}  // namespace

distance_table distances_for(const mapping_algorithm& algorithm, const world& where) {
  return weighs_moves(algorithm) ? distances_of(where) : distance_table(*where.machine());
}

result<thread_remapper> thread_remapper::make(const std::string& algorithm,
                                              const remap_rule& rule) {
  const result<const mapping_algorithm*> found = find_algorithm(algorithm);
  if (!found) return tl::unexpected(found.error());
  return thread_remapper(**found, rule);
}

result<thread_remapper> thread_remapper::make(const parameter_set& values) {
  parameter_reader read(values);
  remap_rule rule;
  rule.least_gain = read.real("remap-gain", 0, 1);
  rule.move_price = read.real("move-price", 0, 1e6);
  rule.fewest_moves = read.flag("fewest-moves");
  if (read.problem()) return tl::unexpected(*read.problem());
  return make(values.values().at("mapper"), rule);
}

/// Nothing when the threads should stay where they are; a mapper that fails leaves them there.
std::optional<thread_mapping> thread_remapper::better(const sharing_matrix& sharing,
                                                      const thread_mapping& present,
                                                      world& where) const {
  where.spend(software_work::map_threads, sharing.size());
  const double cost = mapping_cost(sharing, present, *distances_);
  const double price = rule_.move_price * cost / static_cast<double>(sharing.size());
  const bool weighs = weighs_moves(*algorithm_);
  mapping_request request{.sharing = sharing,
                          .machine = *where.machine(),
                          .distances = *told_,
                          .current = weighs || rule_.fewest_moves ? &present : nullptr};
  if (weighs) {
    request.budget = mapping_budget::online;
    request.move_cost = price;
  }
  result<mapping_answer> answer = map_threads(*algorithm_, request);
  if (!answer) return std::nullopt;
  const double better_cost = mapping_cost(sharing, answer->mapping, *distances_);
  if (cost - better_cost <= price * moves(present, answer->mapping)) return std::nullopt;
  if (rule_.least_gain > 0 && better_cost > cost * (1 - rule_.least_gain)) return std::nullopt;
  return std::move(answer->mapping);
}

bool thread_remapper::remap(const sharing_matrix& sharing, world& where) {
  std::vector<std::optional<pu_id>> places = places_of(sharing.size(), where);
  std::vector<std::size_t> running;
  thread_mapping present;
  for (std::size_t t = 0; t < places.size(); ++t) {
    if (!places[t]) continue;
    running.push_back(t);
    present.pu_of.push_back(*places[t]);
  }
  const sharing_matrix part = part_of(sharing, running);
  if (part.total() == 0) return false;
  if (!distances_) {
    distances_ = distances_of(where);
    told_ = distances_for(*algorithm_, where);
  }
  const std::optional<thread_mapping> mapping = better(part, present, where);
  if (!mapping) return false;
  for (std::size_t i = 0; i < running.size(); ++i) places[running[i]] = mapping->pu_of[i];
  where.move_threads(with_any_place(places, *where.machine()));
  sent_ = std::move(places);
  return true;
}

}  // namespace numatch
