// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "numatch/numa/topology.hpp"

namespace numatch {
inline namespace numa_v1 {

/// Puts a topology together; the only one who may.
class topology_maker {
 public:
  explicit topology_maker(bool binds) { made_.binds_ = binds; }
  void add(topology_node node) { made_.nodes_.push_back(std::move(node)); }
  /// `distances` is square in the nodes added; empty: 10 to itself, 20 to others. Throws
  /// topology_error without nodes.
  topology done(std::vector<unsigned> distances, std::string why);

 private:
  topology made_;
};

}  // namespace numa_v1
}  // namespace numatch
