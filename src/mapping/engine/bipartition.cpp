// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/bipartition.hpp"

#include <algorithm>

#include "mapping/engine/few_cut.hpp"
#include "mapping/engine/rows.hpp"

namespace numatch::engine {

namespace {

/// Gain of a vertex that may not move; far below any gain, and far from overflow when added to.
constexpr std::int32_t out = -(1 << 29);

/// Adds twice what v shares with each vertex to `up` and takes it from `down`.
void add_twice(const cut_scale& s, std::uint32_t v, ranked_row& up, ranked_row& down) {
  if (!s.listed) {
    add_row_twice(up.data(), down.data(), s.rows.data() + v * s.stride, s.stride);
    return;
  }
  for (const thread_graph::edge& e : s.edges_of(v)) {
    up.add(e.to, 2 * e.weight);
    down.add(e.to, -2 * e.weight);
  }
}

}  // namespace

bipartitioner::bipartitioner(std::size_t vertices, std::size_t most)
    : scales_(vertices, most), gain_a_(most), gain_b_(most) {
  near_.resize(padded(most));
  best_side_.resize(padded(most));
  chosen_side_.resize(padded(most));
  swapped_.resize(most + 1);
  sorted_.resize(most);
}

/// Side a grows from `seed` by the vertex that shares most with it, less what it shares outside.
void bipartitioner::grow(cut_scale& s, std::size_t size_a, std::uint32_t seed) {
  std::fill_n(s.side.begin(), s.count, std::uint8_t{0});
  std::fill_n(near_.begin(), s.stride, 0);
  std::int32_t* const gain = gain_b_.data();
  for (std::size_t i = 0; i < s.count; ++i) gain[i] = s.pull[i] - s.degree[i];
  std::fill(gain + s.count, gain + s.stride, out);
  gain_b_.begin(s.count, s.listed);
  std::uint32_t next = seed;
  for (std::size_t size = 0; size < size_a; ++size) {
    if (size > 0) next = gain_b_.first_greatest();
    s.side[next] = 1;
    gain_b_.put(next, out);
    if (!s.listed) {
      add_row_twice(gain_b_.data(), near_.data(), s.rows.data() + next * s.stride, s.stride);
      continue;
    }
    for (const thread_graph::edge& e : s.edges_of(next)) {
      gain_b_.add(e.to, 2 * e.weight);
      near_[e.to] -= 2 * e.weight;
    }
  }
}

void bipartitioner::count_near(cut_scale& s) {
  std::fill_n(near_.begin(), s.stride, 0);
  for (std::uint32_t i = 0; i < s.count; ++i) {
    if (s.side[i] == 1) s.add_times(i, -2, near_);
  }
}

/// Wants near_.
void bipartitioner::find_gains(const cut_scale& s) {
  std::int32_t* const of_a = gain_a_.data();
  std::int32_t* const of_b = gain_b_.data();
  for (std::size_t i = 0; i < s.count; ++i) {
    const std::int32_t gain = s.degree[i] + near_[i] - s.pull[i];  // of moving from a to b
    of_a[i] = s.side[i] == 1 ? gain : out;
    of_b[i] = s.side[i] == 1 ? out : -gain;
  }
  for (std::size_t i = s.count; i < s.stride; ++i) of_a[i] = of_b[i] = out;
  gain_a_.begin(s.count, s.listed);
  gain_b_.begin(s.count, s.listed);
}

/// Brings side a to its size by the moves that cost least. Wants near_.
void bipartitioner::fill_up(cut_scale& s, std::size_t size_a) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < s.count; ++i) size += s.side[i];
  if (size == size_a) return;
  find_gains(s);
  const bool more = size < size_a;
  ranked_row& from = more ? gain_b_ : gain_a_;
  ranked_row& to = more ? gain_a_ : gain_b_;
  for (; size != size_a; size += more ? 1 : std::size_t(-1)) {
    const std::uint32_t v = from.first_greatest();
    s.side[v] = more ? 1 : 0;
    from.put(v, out);
    add_twice(s, v, from, to);
    s.add_times(v, more ? -2 : 2, near_);
  }
}

/// Passes of swaps between the sides, the best one each time even if it costs, each vertex once,
/// back to the best point of the pass. Wants near_. Returns twice the cut.
std::int64_t bipartitioner::refine(cut_scale& s) {
  std::int64_t cut = 0;
  std::size_t size_a = 0;
  for (std::size_t i = 0; i < s.count; ++i) {
    const std::int64_t with_a = -near_[i] / 2;
    cut += s.side[i] == 1 ? s.degree[i] - with_a : with_a + 2 * std::int64_t{s.pull[i]};
    size_a += s.side[i];
  }
  const std::size_t most_swaps = std::min(size_a, s.count - size_a);
  const std::size_t patience = 16 + s.count / 16;
  for (;;) {
    find_gains(s);
    std::int64_t best = 0;
    std::int64_t now = 0;
    std::size_t best_swaps = 0;
    std::size_t swaps = 0;
    while (swaps < most_swaps && swaps < best_swaps + patience) {
      const std::uint32_t a = gain_a_.first_greatest();
      now -= gain_a_.at(a);
      gain_a_.put(a, out);
      add_twice(s, a, gain_a_, gain_b_);
      const std::uint32_t b = gain_b_.first_greatest();
      now -= gain_b_.at(b);
      gain_b_.put(b, out);
      add_twice(s, b, gain_b_, gain_a_);
      swapped_[2 * swaps] = a;
      swapped_[2 * swaps + 1] = b;
      ++swaps;
      if (now >= best) continue;
      best = now;
      best_swaps = swaps;
    }
    if (best_swaps == 0) return cut;
    for (std::size_t m = 0; m < best_swaps; ++m) {
      const std::uint32_t a = swapped_[2 * m];
      const std::uint32_t b = swapped_[2 * m + 1];
      s.side[a] = 0;
      s.side[b] = 1;
      s.add_times(a, 2, near_);
      s.add_times(b, -2, near_);
    }
    cut += 2 * best;
  }
}

/// Leaves the best of some tries in the side of a scale.
std::int64_t bipartitioner::cut_flat(std::size_t size_a, unsigned tries, random_source& random,
                                     std::size_t level) {
  cut_scale& s = scales_[level];
  std::int64_t best = 0;
  for (unsigned t = 0; t < tries; ++t) {
    grow(s, size_a, random.below(static_cast<std::uint32_t>(s.count)));
    const std::int64_t found = refine(s);
    if (t > 0 && found >= best) continue;
    best = found;
    std::copy_n(s.side.begin(), s.count, best_side_.begin());
  }
  std::copy_n(best_side_.begin(), s.count, s.side.begin());
  return best;
}

/// Leaves a cut on the shrunk set, refined on the way back, in the side of scale 0.
std::int64_t bipartitioner::cut_shrunk(std::size_t size_a, random_source& random) {
  const std::size_t all = scales_[0].count;
  const auto share = [&](std::size_t count) {
    return std::clamp<std::size_t>((size_a * count + all / 2) / all, 1, count - 1);
  };
  std::size_t level = 0;
  while (scales_.shrink(level, random)) ++level;
  std::int64_t found = cut_flat(share(scales_[level].count), 4, random, level);
  while (level-- > 0) {
    cut_scale& fine = scales_[level];
    const cut_scale& coarse = scales_[level + 1];
    for (std::size_t v = 0; v < fine.count; ++v) fine.side[v] = coarse.side[fine.whole[v]];
    count_near(fine);
    fill_up(fine, level == 0 ? size_a : share(fine.count));
    found = refine(fine);
  }
  return found;
}

void bipartitioner::cut(const thread_graph& graph, std::span<std::uint32_t> part,
                        std::span<const std::int32_t> pull, std::size_t size_a,
                        const cut_effort& effort, random_source& random) {
  if (size_a == 0 || size_a == part.size()) return;
  scales_.extract(graph, part, pull);
  if (part.size() <= few_to_cut) {
    cut_few(scales_[0], size_a, random);
  } else {
    cut_many(size_a, effort, random);
  }
  const std::vector<std::uint8_t>& side = scales_[0].side;
  std::size_t a = 0;
  std::size_t b = size_a;
  for (std::size_t i = 0; i < part.size(); ++i) sorted_[side[i] == 1 ? a++ : b++] = part[i];
  std::copy_n(sorted_.begin(), part.size(), part.begin());
}

/// Leaves the best of all tries in the side of scale 0.
void bipartitioner::cut_many(std::size_t size_a, const cut_effort& effort, random_source& random) {
  cut_scale& whole = scales_[0];
  const bool can_shrink = whole.count > cut_scales::small;
  const unsigned flat = can_shrink ? effort.flat : std::max(1U, effort.flat);
  const bool wide = effort.shrunk_wide > 0 && whole.count >= cut_effort::wide_set;
  const unsigned shrunk = !can_shrink ? 0 : wide ? effort.shrunk_wide : effort.shrunk;
  std::int64_t best = 0;
  if (flat > 0) {
    best = cut_flat(size_a, flat, random, 0);
    std::copy_n(whole.side.begin(), whole.count, chosen_side_.begin());
  }
  for (unsigned t = 0; t < shrunk; ++t) {
    const std::int64_t found = cut_shrunk(size_a, random);
    if (flat + t > 0 && found >= best) continue;
    best = found;
    std::copy_n(whole.side.begin(), whole.count, chosen_side_.begin());
  }
  std::copy_n(chosen_side_.begin(), whole.count, whole.side.begin());
}

}  // namespace numatch::engine
