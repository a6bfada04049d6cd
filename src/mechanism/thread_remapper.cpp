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

sharing_matrix sum_of(const sharing_matrix& a, const sharing_matrix& b) {
  sharing_matrix sum = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) sum.add(i, j, b.at(i, j));
  }
  return sum;
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

double thread_remapper::price_of(const sharing_matrix& sharing,
                                 const thread_mapping& present) const {
  return rule_.move_price * mapping_cost(sharing, present, *distances_) /
         static_cast<double>(sharing.size());
}

bool thread_remapper::pays(const sharing_matrix& sharing, const thread_mapping& present,
                           const thread_mapping& wanted) const {
  const double cost = mapping_cost(sharing, present, *distances_);
  const double better_cost = mapping_cost(sharing, wanted, *distances_);
  if (cost - better_cost <= price_of(sharing, present) * moves(present, wanted)) return false;
  return rule_.least_gain <= 0 || better_cost <= cost * (1 - rule_.least_gain);
}

/// Nothing when the threads should stay where they are; a mapper that fails leaves them there.
std::optional<thread_mapping> thread_remapper::better(const sharing_matrix& sharing,
                                                      const thread_mapping& present,
                                                      world& where) const {
  where.spend(software_work::map_threads, sharing.size());
  const bool weighs = weighs_moves(*algorithm_);
  mapping_request request{.sharing = sharing,
                          .machine = *where.machine(),
                          .distances = *told_,
                          .current = weighs || rule_.fewest_moves ? &present : nullptr};
  if (weighs) {
    request.budget = mapping_budget::online;
    request.move_cost = price_of(sharing, present);
  }
  result<mapping_answer> answer = map_threads(*algorithm_, request);
  if (!answer || !pays(sharing, present, answer->mapping)) return std::nullopt;
  return std::move(answer->mapping);
}

thread_remapper::running_threads thread_remapper::running_now(std::size_t threads,
                                                              const world& where) {
  running_threads running{.places = places_of(threads, where), .numbers = {}, .present = {}};
  for (std::size_t t = 0; t < threads; ++t) {
    if (!running.places[t]) continue;
    running.numbers.push_back(t);
    running.present.pu_of.push_back(*running.places[t]);
  }
  return running;
}

void thread_remapper::learn_distances(const world& where) {
  if (distances_) return;
  distances_ = distances_of(where);
  told_ = distances_for(*algorithm_, where);
}

void thread_remapper::send(running_threads running, const thread_mapping& mapping, world& where) {
  for (std::size_t i = 0; i < running.numbers.size(); ++i) {
    running.places[running.numbers[i]] = mapping.pu_of[i];
  }
  where.move_threads(with_any_place(running.places, *where.machine()));
  sent_ = std::move(running.places);
}

bool thread_remapper::remap(const sharing_matrix& sharing, world& where) {
  running_threads running = running_now(sharing.size(), where);
  const sharing_matrix part = part_of(sharing, running.numbers);
  if (part.total() == 0) return false;
  learn_distances(where);
  const std::optional<thread_mapping> mapping = better(part, running.present, where);
  if (mapping) send(std::move(running), *mapping, where);
  return mapping.has_value();
}

bool thread_remapper::remap_proven(const sharing_matrix& before, const sharing_matrix& lately,
                                   world& where) {
  running_threads running = running_now(before.size(), where);
  const sharing_matrix past = part_of(before, running.numbers);
  const sharing_matrix newest = part_of(lately, running.numbers);
  if (past.total() == 0 || newest.total() == 0) return false;
  learn_distances(where);
  const std::optional<thread_mapping> trial = better(past, running.present, where);
  if (!trial || !pays(newest, running.present, *trial)) return false;
  const std::optional<thread_mapping> mapping =
      better(sum_of(past, newest), running.present, where);
  if (mapping) send(std::move(running), *mapping, where);
  return mapping.has_value();
}

}  // namespace numatch
