// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "mapping/mapper.hpp"

namespace numatch {

/// Maps the threads of a running program again and again. make() allocates everything and, for up
/// to 1024 threads, uses it, so that the first map() waits for no memory either; map() allocates
/// nothing, cannot fail, and its time depends on the matrix alone, so that it can be
/// called where waiting for memory is not allowed. Above 1024 threads it has room for lists of
/// neighbours and for tables of all pairs, and takes what suits the matrix. Not thread safe; any
/// number may exist.
class online_mapper {
 public:
  /// For `threads` threads of equal weight, none pinned, on machines whose distances follow the
  /// tree; otherwise an error that names the reason: map_threads() does those. machine and
  /// distances are not needed afterwards.
  static result<online_mapper> make(const topology& machine, const distance_table& distances,
                                    std::size_t threads, fill_policy policy,
                                    std::span<const pu_id> allowed = {}, std::uint64_t seed = 1);
  online_mapper(online_mapper&&) noexcept;
  online_mapper& operator=(online_mapper&&) noexcept;
  ~online_mapper();

  /// The PU of every thread. The first call searches (mapping_budget::online); every other one
  /// starts from the last answer and moves a thread only where that gains more than move_cost (in
  /// the unit of mapping_cost()). `sharing` must be of the number of threads, finite and not
  /// negative. Valid until the next call.
  std::span<const pu_id> map(const sharing_matrix& sharing, double move_cost);
  /// Forgets the last answer: the next map() searches anew and answers as the first one would have.
  void start_over();

 private:
  struct state;
  explicit online_mapper(std::unique_ptr<state> all);
  std::unique_ptr<state> state_;
};

}  // namespace numatch
