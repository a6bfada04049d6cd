// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mapping/mapper.hpp"
#include "mechanism/world.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch {

/// The thread-mapping half of most mechanisms: asks a mapping algorithm for the threads' places and
/// the world to move them. Needs a world with a machine.
class thread_remapper {
 public:
  /// `least_gain`: threads stay unless the mapping's cost falls by this share; at 0 every mapping
  /// that differs is taken, as in the papers.
  static result<thread_remapper> make(const std::string& algorithm, double least_gain);

  /// True when the threads were told to move. Nothing happens before anything is shared.
  bool remap(const sharing_matrix& sharing, world& where);
  /// Where threads were sent last, by thread number; empty before the first time.
  const std::vector<pu_id>& sent() const { return last_; }

 private:
  thread_remapper(const mapping_algorithm& algorithm, double least_gain)
      : algorithm_(&algorithm), least_gain_(least_gain) {}
  std::optional<thread_mapping> present(std::size_t threads, const world& where) const;

  const mapping_algorithm* algorithm_;
  double least_gain_;
  std::optional<distance_table> distances_;
  std::vector<pu_id> last_;  ///< where threads were sent that the world does not know
};

}  // namespace numatch
