// SPDX-License-Identifier: Apache-2.0
#include "report/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace numatch::report {

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// y = (diag(in + out) − F − Fᵀ) x
std::vector<double> laplacian(const sharing_matrix& flow, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += flow.between(i, j) * (x[i] - x[j]);
  }
  return y;
}

/// The system is singular (a constant may be added) but consistent, which conjugate gradients
/// started at 0 handle as they are.
std::vector<double> solve(const sharing_matrix& flow, const std::vector<double>& right) {
  const std::size_t n = right.size();
  std::vector<double> x(n);
  std::vector<double> residual = right;
  std::vector<double> direction = right;
  double size = dot(residual, residual);
  const double enough = 1e-18 * size;
  for (std::size_t step = 0; step < 2 * n + 10 && size > enough; ++step) {
    const std::vector<double> image = laplacian(flow, direction);
    const double curvature = dot(direction, image);
    if (curvature <= 0) break;
    const double length = size / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += length * direction[i];
      residual[i] -= length * image[i];
    }
    const double next = dot(residual, residual);
    for (std::size_t i = 0; i < n; ++i) direction[i] = residual[i] + next / size * direction[i];
    size = next;
  }
  return x;
}

/// part[i] = number of the connected part that thread i belongs to.
std::vector<std::size_t> connected_parts(const sharing_matrix& flow) {
  const std::size_t n = flow.size();
  std::vector<std::size_t> part(n, n);
  for (std::size_t start = 0; start < n; ++start) {
    if (part[start] != n) continue;
    std::vector<std::size_t> open{start};
    part[start] = start;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (std::size_t j = 0; j < n; ++j) {
        if (part[j] != n || flow.between(at, j) <= 0) continue;
        part[j] = start;
        open.push_back(j);
      }
    }
  }
  return part;
}

/// Threads of one stage have nearly one height: a new stage starts where the next higher thread is
/// more than half a step above. Some flow back pulls all heights together: with a share b of it a
/// step is 1 − 2b = √coherence.
void cut_into_stages(flow_levels& levels) {
  const double step = std::sqrt(std::max(levels.coherence, 0.01));
  std::vector<std::size_t> upwards(levels.height.size());
  std::iota(upwards.begin(), upwards.end(), std::size_t{0});
  std::stable_sort(upwards.begin(), upwards.end(), [&](std::size_t a, std::size_t b) {
    return levels.height[a] < levels.height[b];
  });
  int stage = 0;
  for (std::size_t k = 0; k < upwards.size(); ++k) {
    if (k > 0 && levels.height[upwards[k]] - levels.height[upwards[k - 1]] > step / 2) ++stage;
    levels.stage[upwards[k]] = stage;
  }
  levels.stages = stage + 1;
}

}  // namespace

flow_levels find_levels(const sharing_matrix& flow) {
  const std::size_t n = flow.size();
  flow_levels found;
  found.height.resize(n);
  found.stage.resize(n);
  const double total = flow.total();
  if (total <= 0) return found;

  std::vector<double> imbalance(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) imbalance[i] += flow.at(j, i) - flow.at(i, j);
  }
  found.height = solve(flow, imbalance);
  const std::vector<std::size_t> part = connected_parts(flow);
  std::vector<double> lowest(n, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < n; ++i) {
    lowest[part[i]] = std::min(lowest[part[i]], found.height[i]);
  }
  double strain = 0;
  for (std::size_t i = 0; i < n; ++i) found.height[i] -= lowest[part[i]];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double climb = found.height[j] - found.height[i] - 1;
      strain += flow.at(i, j) * climb * climb;
    }
  }
  found.coherence = 1 - strain / total;
  cut_into_stages(found);
  return found;
}

}  // namespace numatch::report
