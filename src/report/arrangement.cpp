// SPDX-License-Identifier: Apache-2.0
#include "report/arrangement.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace numatch::report {

namespace {

struct link {
  double weight;
  std::uint32_t a, b;
};

/// Pieces of a path: at most two neighbours per thread, no cycles.
class path_pieces {
 public:
  explicit path_pieces(std::size_t n) : neighbours_(n), degree_(n), piece_(n) {
    std::iota(piece_.begin(), piece_.end(), std::size_t{0});
  }

  bool join(std::size_t a, std::size_t b) {
    if (degree_[a] == 2 || degree_[b] == 2 || root(a) == root(b)) return false;
    neighbours_[a][degree_[a]++] = b;
    neighbours_[b][degree_[b]++] = a;
    piece_[root(a)] = root(b);
    return true;
  }

  /// The pieces one after another, each from its end with the lower number.
  std::vector<std::size_t> walk() const {
    std::vector<std::size_t> order;
    std::vector<bool> seen(degree_.size());
    for (std::size_t start = 0; start < degree_.size(); ++start) {
      if (seen[start] || degree_[start] == 2) continue;
      std::size_t at = start;
      for (bool more = true; more;) {
        seen[at] = true;
        order.push_back(at);
        more = false;
        for (std::size_t k = 0; k < degree_[at] && !more; ++k) {
          if (seen[neighbours_[at][k]]) continue;
          at = neighbours_[at][k];
          more = true;
        }
      }
    }
    return order;
  }

 private:
  std::size_t root(std::size_t i) {
    while (piece_[i] != i) i = piece_[i] = piece_[piece_[i]];
    return i;
  }
  std::vector<std::array<std::size_t, 2>> neighbours_;
  std::vector<std::size_t> degree_;
  std::vector<std::size_t> piece_;
};

/// Reverses pieces of the path while that puts more weight side by side.
void improve(const sharing_matrix& weights, std::vector<std::size_t>& order) {
  const std::size_t n = order.size();
  const double enough = 1e-12 * weights.total();
  const auto pair = [&](std::size_t i, std::size_t j) {
    return i < n && j < n ? weights.at(order[i], order[j]) : 0.0;
  };
  constexpr int most_passes = 30;
  bool better = true;
  for (int pass = 0; pass < most_passes && better; ++pass) {
    better = false;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        // i - 1 wraps to a place outside the path for i = 0: no neighbour, no weight.
        const double gain = pair(i - 1, j) + pair(i, j + 1) - pair(i - 1, i) - pair(j, j + 1);
        if (gain <= enough) continue;
        std::reverse(order.begin() + static_cast<std::ptrdiff_t>(i),
                     order.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        better = true;
      }
    }
  }
}

}  // namespace

std::vector<std::size_t> linear_arrangement(const sharing_matrix& weights) {
  const std::size_t n = weights.size();
  std::vector<link> links;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (weights.at(i, j) <= 0) continue;
      links.push_back(
          {weights.at(i, j), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
    }
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const link& x, const link& y) { return x.weight > y.weight; });
  path_pieces pieces(n);
  for (const link& l : links) pieces.join(l.a, l.b);
  std::vector<std::size_t> order = pieces.walk();
  improve(weights, order);
  if (n > 1 && order.back() < order.front()) std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace numatch::report
