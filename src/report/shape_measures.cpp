// SPDX-License-Identifier: Apache-2.0
#include "report/shape_measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "report/arrangement.hpp"

namespace numatch::report {

namespace {

double pair_total(const sharing_matrix& weights) {
  return weights.total() / 2;
}

/// Share of the links below a quarter of their mean.
double weak_share(const std::vector<double>& links) {
  double sum = 0;
  for (double link : links) sum += link;
  const double count = static_cast<double>(links.size());
  const double weak = static_cast<double>(
      std::count_if(links.begin(), links.end(), [&](double l) { return l < sum / count / 4; }));
  return weak / count;
}

double row_variation(const sharing_matrix& weights, std::size_t row) {
  const std::size_t n = weights.size();
  double sum = 0;
  double squares = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (j == row) continue;
    sum += weights.at(row, j);
    squares += weights.at(row, j) * weights.at(row, j);
  }
  const double others = static_cast<double>(n - 1);
  const double mean = sum / others;
  if (mean <= 0) return 0;
  return std::sqrt(std::max(0.0, squares / others - mean * mean)) / mean;
}

}  // namespace

double heterogeneity(const sharing_matrix& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += row_variation(weights, i);
  return sum / static_cast<double>(weights.size());
}

double above_chance(double share, double expected) {
  return expected < 1 ? std::max(0.0, (share - expected) / (1 - expected)) : 0;
}

band measure_band(const sharing_matrix& weights) {
  const std::size_t n = weights.size();
  band found;
  found.order = linear_arrangement(weights);
  std::vector<double> links;
  double sum = 0;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    links.push_back(weights.at(found.order[k], found.order[k + 1]));
    sum += links.back();
  }
  const double mean = sum / static_cast<double>(links.size());
  const double wrap = n > 2 ? weights.at(found.order.front(), found.order.back()) : 0;
  found.wrap = mean > 0 ? wrap / mean : 0;
  found.weak_links = weak_share(links);
  // A ring has n links, a chain n − 1; the wrap counts as one as soon as it is half a link.
  const bool ring = found.wrap >= 0.5;
  const double count = static_cast<double>(links.size() + (ring ? 1 : 0));
  const double pairs = static_cast<double>(n * (n - 1) / 2);
  found.mass = above_chance((sum + (ring ? wrap : 0)) / pair_total(weights), count / pairs);
  return found;
}

hub measure_hub(const sharing_matrix& weights) {
  const std::size_t n = weights.size();
  hub found;
  double most = -1;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += weights.at(i, j);
    if (sum > most) {
      most = sum;
      found.thread = i;
    }
  }
  found.mass = above_chance(most / pair_total(weights), 2 / static_cast<double>(n));
  return found;
}

grid measure_grid(const sharing_matrix& weights) {
  const std::size_t n = weights.size();
  grid best;
  for (std::size_t width = 2; width * 2 <= n; ++width) {
    if (n % width != 0) continue;
    std::vector<double> links;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if ((i + 1) % width != 0) links.push_back(weights.at(i, i + 1));
      if (i + width < n) links.push_back(weights.at(i, i + width));
    }
    for (double link : links) sum += link;
    const double pairs = static_cast<double>(n * (n - 1) / 2);
    const double mass =
        above_chance(sum / pair_total(weights), static_cast<double>(links.size()) / pairs);
    if (best.width == 0 || mass > best.mass) best = {width, mass, weak_share(links)};
  }
  return best;
}

pipeline measure_pipeline(const sharing_matrix& weights, const sharing_matrix& flow) {
  pipeline found{find_levels(flow), 0};
  if (flow.total() <= 0) return found;
  double between = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (std::abs(found.levels.stage[i] - found.levels.stage[j]) == 1) {
        between += weights.at(i, j);
      }
    }
  }
  found.next_stage_mass = between / weights.total();
  return found;
}

double relative_modularity(const communities& found) {
  if (found.count < 2) return 0;
  return found.modularity / (1 - 1 / static_cast<double>(found.count));
}

}  // namespace numatch::report
