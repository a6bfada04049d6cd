// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/dense_cut.hpp"

#include <algorithm>

#include "mapping/engine/simd.hpp"

namespace numatch::engine {

namespace {

/// Gain of a vertex that may not move; far below any gain, and far from overflow when added to.
constexpr std::int32_t out = -(1 << 29);

NUMATCH_SIMD void add_row(std::int32_t* to, const std::int32_t* row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += row[i];
}

NUMATCH_SIMD void add_twice(std::int32_t* up, std::int32_t* down, const std::int32_t* row,
                            std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    up[i] += 2 * row[i];
    down[i] -= 2 * row[i];
  }
}

NUMATCH_SIMD std::int32_t greatest(const std::int32_t* values, std::size_t count) {
  std::int32_t most = values[0];
  for (std::size_t i = 1; i < count; ++i) most = std::max(most, values[i]);
  return most;
}

std::uint32_t place_of_greatest(const std::vector<std::int32_t>& values, std::size_t count) {
  const std::int32_t most = greatest(values.data(), count);
  std::uint32_t i = 0;
  while (values[i] != most) ++i;
  return i;
}

}  // namespace

dense_cutter::dense_cutter(std::size_t vertices) {
  const std::size_t padded = (vertices + 15) / 16 * 16;
  order_.resize(vertices);
  next_.resize(vertices);
  rows_.resize(vertices * padded);
  degree_.resize(padded);
  gain_a_.resize(padded);
  gain_b_.resize(padded);
  near_.resize(padded);
  side_.resize(padded);
  best_side_.resize(padded);
  moved_.resize(vertices);
}

void dense_cutter::place(const thread_graph& graph, const slot_tree& tree, unsigned tries,
                         random_source& random, std::span<std::uint32_t> slot_of) {
  graph_ = &graph;
  tree_ = &tree;
  random_ = &random;
  tries_ = tries;
  for (std::uint32_t v = 0; v < order_.size(); ++v) order_[v] = v;
  if (!tree.levels().empty()) {
    split_children(0, 0, static_cast<std::uint32_t>(tree.levels()[0].groups()));
  }
  for (std::uint32_t slot = 0; slot < order_.size(); ++slot) slot_of[order_[slot]] = slot;
}

/// Halves the groups [from, end) of a level, which are siblings, down to single ones and goes on
/// inside them.
void dense_cutter::split_children(std::size_t level, std::uint32_t from, std::uint32_t end) {
  const slot_tree::level& here = tree_->levels()[level];
  if (end - from > 1) {
    const std::uint32_t middle = from + (end - from) / 2;
    cut(here.first[from], here.first[middle], here.first[end]);
    split_children(level, from, middle);
    split_children(level, middle, end);
    return;
  }
  if (level + 1 == tree_->levels().size()) return;
  const std::vector<std::uint32_t>& parent = tree_->levels()[level + 1].parent;
  const auto [first, last] = std::equal_range(parent.begin(), parent.end(), from);
  split_children(level + 1, static_cast<std::uint32_t>(first - parent.begin()),
                 static_cast<std::uint32_t>(last - parent.begin()));
}

void dense_cutter::extract(std::uint32_t first, std::size_t count) {
  stride_ = (count + 15) / 16 * 16;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t* const from = graph_->row(order_[first + i]);
    std::int32_t* const to = rows_.data() + i * stride_;
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
      to[j] = from[order_[first + j]];
      sum += to[j];
    }
    std::fill(to + count, to + stride_, 0);
    degree_[i] = sum;
  }
}

/// Side a grows from `seed` by the vertex that shares most with it, less what it shares outside.
void dense_cutter::grow(std::size_t count, std::size_t wanted, std::uint32_t seed) {
  std::fill_n(side_.begin(), count, std::uint8_t{0});
  std::fill_n(near_.begin(), stride_, 0);
  for (std::size_t i = 0; i < count; ++i) gain_b_[i] = -degree_[i];
  std::fill(gain_b_.begin() + static_cast<std::ptrdiff_t>(count),
            gain_b_.begin() + static_cast<std::ptrdiff_t>(stride_), out);
  std::uint32_t next = seed;
  for (std::size_t size = 0; size < wanted; ++size) {
    if (size > 0) next = place_of_greatest(gain_b_, count);
    side_[next] = 1;
    gain_b_[next] = out;
    add_twice(gain_b_.data(), near_.data(), rows_.data() + next * stride_, stride_);
  }
}

std::int64_t dense_cutter::cut_now(std::size_t count) const {
  std::int64_t twice = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // near_ holds -2 x what i shares with side a.
    const std::int32_t with_a = -near_[i] / 2;
    twice += side_[i] == 1 ? degree_[i] - with_a : with_a;
  }
  return twice / 2;
}

/// Passes of swaps between the sides, the best one each time even if it costs, each vertex once,
/// back to the best point of the pass (Kernighan and Lin; gains kept as Fiduccia and Mattheyses
/// do). Returns the cut.
std::int64_t dense_cutter::refine(std::size_t count) {
  std::int64_t cut = cut_now(count);
  for (;;) {
    std::size_t size_a = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t with_a = -near_[i] / 2;
      const std::int32_t gain = degree_[i] - 2 * with_a;  // of moving from a
      gain_a_[i] = side_[i] == 1 ? gain : out;
      gain_b_[i] = side_[i] == 1 ? out : -gain;
      size_a += side_[i];
    }
    const std::size_t most_swaps = std::min(size_a, count - size_a);
    const std::size_t patience = 8 + count / 16;
    std::int64_t best = cut;
    std::int64_t now = cut;
    std::size_t best_swaps = 0;
    std::size_t swaps = 0;
    while (swaps < most_swaps && swaps < best_swaps + patience) {
      const std::uint32_t a = place_of_greatest(gain_a_, count);
      now -= gain_a_[a];
      gain_a_[a] = out;
      add_twice(gain_a_.data(), gain_b_.data(), rows_.data() + a * stride_, stride_);
      const std::uint32_t b = place_of_greatest(gain_b_, count);
      now -= gain_b_[b];
      gain_b_[b] = out;
      add_twice(gain_b_.data(), gain_a_.data(), rows_.data() + b * stride_, stride_);
      moved_[2 * swaps] = a;
      moved_[2 * swaps + 1] = b;
      ++swaps;
      if (now >= best) continue;
      best = now;
      best_swaps = swaps;
    }
    if (best_swaps == 0) return cut;
    for (std::size_t m = 0; m < best_swaps; ++m) {
      const std::uint32_t a = moved_[2 * m];
      const std::uint32_t b = moved_[2 * m + 1];
      side_[a] = 0;
      side_[b] = 1;
      const std::int32_t* const row_a = rows_.data() + a * stride_;
      const std::int32_t* const row_b = rows_.data() + b * stride_;
      for (std::size_t w = 0; w < count; ++w) near_[w] += 2 * (row_a[w] - row_b[w]);
    }
    cut = best;
  }
}

void dense_cutter::cut(std::uint32_t first, std::uint32_t middle, std::uint32_t end) {
  const std::size_t count = end - first;
  if (middle == first || middle == end) return;
  extract(first, count);
  std::int64_t best = -1;
  for (unsigned t = 0; t < tries_; ++t) {
    grow(count, middle - first, random_->below(static_cast<std::uint32_t>(count)));
    const std::int64_t found = refine(count);
    if (best >= 0 && found >= best) continue;
    best = found;
    std::copy_n(side_.begin(), count, best_side_.begin());
  }
  std::uint32_t a = first;
  std::uint32_t b = middle;
  for (std::size_t i = 0; i < count; ++i) {
    next_[best_side_[i] == 1 ? a++ : b++] = order_[first + i];
  }
  std::copy(next_.begin() + first, next_.begin() + end, order_.begin() + first);
}

}  // namespace numatch::engine
