// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thread_remapper.hpp"

#include <utility>

namespace numatch {

result<thread_remapper> thread_remapper::make(const std::string& algorithm, double least_gain) {
  const result<const mapping_algorithm*> found = find_algorithm(algorithm);
  if (!found) return tl::unexpected(found.error());
  return thread_remapper(**found, least_gain);
}

std::optional<thread_mapping> thread_remapper::present(std::size_t threads,
                                                       const world& where) const {
  thread_mapping mapping;
  for (std::uint32_t t = 0; t < threads; ++t) {
    std::optional<pu_id> pu = where.pu_of(thread_id(t));
    if (!pu && t < last_.size()) pu = last_[t];
    if (!pu) return std::nullopt;
    mapping.pu_of.push_back(*pu);
  }
  return mapping;
}

bool thread_remapper::remap(const sharing_matrix& sharing, world& where) {
  if (sharing.total() == 0) return false;
  const topology& machine = *where.machine();
  if (!distances_) distances_.emplace(machine);
  const result<mapping_answer> answer =
      map_threads(*algorithm_, {.sharing = sharing, .machine = machine, .distances = *distances_});
  where.spend(software_work::map_threads, sharing.size());
  if (!answer) return false;  // a mapper that fails leaves the threads where they are
  const std::optional<thread_mapping> before = present(sharing.size(), where);
  if (before) {
    if (before->pu_of == answer->mapping.pu_of) return false;
    const double cost = mapping_cost(sharing, *before, *distances_);
    if (least_gain_ > 0 && answer->cost > cost * (1 - least_gain_)) return false;
  }
  last_ = answer->mapping.pu_of;
  where.move_threads(last_);
  return true;
}

}  // namespace numatch
