// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "pattern/sharing_matrix.hpp"
#include "report/communities.hpp"
#include "report/levels.hpp"

namespace numatch::report {

/// What the words of shape.hpp are decided by; formulas in docs/report.md. All matrices here are
/// symmetric and hold only the threads that take part, at least two of them.

/// Mean over the threads of the coefficient of variation of their row (without the diagonal).
double heterogeneity(const sharing_matrix& weights);

/// `share` of the weight that lies on `expected` of the pairs by chance: 0 = as by chance, 1 = all.
double above_chance(double share, double expected);

struct band {
  std::vector<std::size_t> order;  ///< linear_arrangement()
  double mass = 0;        ///< above_chance() of the weight between neighbours in that order
  double weak_links = 0;  ///< share of the links below a quarter of the mean link
  double wrap = 0;        ///< weight between last and first ÷ mean link: a ring has about 1
};
band measure_band(const sharing_matrix& weights);

struct hub {
  std::size_t thread = 0;
  double mass = 0;  ///< above_chance() of the weight that involves this thread
};
hub measure_hub(const sharing_matrix& weights);

struct grid {
  std::size_t width = 0;  ///< threads per row; 0 when the number of threads has no such divisor
  double mass = 0;        ///< above_chance() of the weight between neighbours of the grid
  double weak_links = 0;  ///< as in band
};
/// The best width × height grid in the given numbering, both sides at least 2.
grid measure_grid(const sharing_matrix& weights);

struct pipeline {
  flow_levels levels;
  double next_stage_mass = 0;  ///< share of the weight between consecutive stages
};
pipeline measure_pipeline(const sharing_matrix& weights, const sharing_matrix& flow);

/// Modularity ÷ the most that so many equal groups can have, 1 − 1/groups; 0 for one group.
double relative_modularity(const communities& found);

}  // namespace numatch::report
