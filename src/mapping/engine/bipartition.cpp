// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/bipartition.hpp"

#include <algorithm>

#include "mapping/engine/simd.hpp"

namespace numatch::engine {

namespace {

/// Gain of a vertex that may not move; far below any gain, and far from overflow when added to.
constexpr std::int32_t out = -(1 << 29);
/// Shrinking stops here: few enough to try several starts.
constexpr std::size_t small = 20;
/// A set of a sparse graph is filled from its edges from this size on, and kept as lists from that.
constexpr std::size_t gather_below = 32;
constexpr std::size_t list_from = 192;
constexpr std::uint32_t nobody = ~0U;

NUMATCH_SIMD void add_row_twice(std::int32_t* up, std::int32_t* down, const std::int32_t* row,
                                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    up[i] += 2 * row[i];
    down[i] -= 2 * row[i];
  }
}

NUMATCH_SIMD void add_row_times(std::int32_t* to, const std::int32_t* row, std::int32_t times,
                                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += times * row[i];
}

NUMATCH_SIMD void add_rows(std::int32_t* to, const std::int32_t* a, const std::int32_t* b,
                           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

NUMATCH_SIMD void mask_row(std::int32_t* to, const std::int32_t* row, const std::int32_t* mask,
                           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = row[i] | mask[i];
}

constexpr std::size_t lanes = 16;
/// Eight numbers that the compiler keeps in a register, from any address.
using eight = std::int32_t __attribute__((vector_size(32), aligned(4)));

/// In each lane the greater value, on a tie that of the lower place.
inline __attribute__((always_inline)) void keep_greater(eight& most, eight& place, eight other,
                                                        eight other_place) {
  const eight better = (other > most) | ((other == most) & (other_place < place));
  most = better ? other : most;
  place = better ? other_place : place;
}

/// Place of the first greatest value; count is a multiple of `lanes`.
NUMATCH_SIMD std::uint32_t first_greatest(const std::int32_t* values, std::size_t count) {
  const eight* const blocks = reinterpret_cast<const eight*>(values);
  eight most_a = blocks[0];
  eight most_b = blocks[1];
  eight here = {0, 1, 2, 3, 4, 5, 6, 7};
  eight place_a = here;
  eight place_b = here + 8;
  for (std::size_t i = 2; i < count / 8; i += 2) {
    here += 16;
    const eight better_a = blocks[i] > most_a;
    const eight better_b = blocks[i + 1] > most_b;
    place_a = better_a ? here : place_a;
    place_b = better_b ? here + 8 : place_b;
    most_a = better_a ? blocks[i] : most_a;
    most_b = better_b ? blocks[i + 1] : most_b;
  }
  // Without branches: which lane wins is anybody's guess, and a wrong guess takes longer than all
  // of this.
  keep_greater(most_a, place_a, most_b, place_b);
  keep_greater(most_a, place_a, __builtin_shufflevector(most_a, most_a, 4, 5, 6, 7, 0, 1, 2, 3),
               __builtin_shufflevector(place_a, place_a, 4, 5, 6, 7, 0, 1, 2, 3));
  keep_greater(most_a, place_a, __builtin_shufflevector(most_a, most_a, 2, 3, 0, 1, 6, 7, 4, 5),
               __builtin_shufflevector(place_a, place_a, 2, 3, 0, 1, 6, 7, 4, 5));
  keep_greater(most_a, place_a, __builtin_shufflevector(most_a, most_a, 1, 0, 3, 2, 5, 4, 7, 6),
               __builtin_shufflevector(place_a, place_a, 1, 0, 3, 2, 5, 4, 7, 6));
  return static_cast<std::uint32_t>(place_a[0]);
}

std::uint32_t place_of_greatest(const std::vector<std::int32_t>& values, std::size_t stride) {
  return first_greatest(values.data(), stride);
}

std::size_t padded(std::size_t count) {
  return (count + lanes - 1) / lanes * lanes;
}

}  // namespace

bipartitioner::bipartitioner(std::size_t vertices, std::size_t most) {
  for (std::size_t count = most;; count = (count + 1) / 2) {
    scale s;
    s.degree.resize(padded(count));
    s.pull.resize(padded(count));
    s.side.resize(padded(count));
    s.whole.resize(padded(count));
    scales_.push_back(std::move(s));
    if (count <= small) break;
  }
  gain_a_.resize(padded(most));
  gain_b_.resize(padded(most));
  near_.resize(padded(most));
  masked_.resize(padded(most));
  taken_.resize(padded(most));
  best_side_.resize(padded(most));
  chosen_side_.resize(padded(most));
  moved_.resize(most + 1);
  edge_place_.resize(most);
  sorted_.resize(most);
  place_.assign(vertices, nobody);
}

void bipartitioner::reserve() {
  std::size_t count = best_side_.size();
  const std::size_t most_listed = count * count / 16;  // thread_graph::is_sparse()
  for (scale& s : scales_) {
    s.rows.resize(count * padded(count));
    s.first.reserve(count + 1);
    s.edges.reserve(most_listed);
    count = (count + 1) / 2;
  }
}

void bipartitioner::extract(const thread_graph& graph, std::span<const std::uint32_t> part,
                            std::span<const std::int32_t> pull) {
  scale& s = scales_[0];
  s.count = part.size();
  s.stride = padded(s.count);
  for (std::size_t i = 0; i < s.count; ++i) s.pull[i] = pull.empty() ? 0 : pull[i];
  s.listed = graph.is_sparse() && s.count >= list_from;
  if (s.listed) {
    extract_list(graph, part);
  } else {
    extract_rows(graph, part);
  }
}

void bipartitioner::extract_list(const thread_graph& graph, std::span<const std::uint32_t> part) {
  scale& s = scales_[0];
  // place_ is nobody's between the calls.
  for (std::uint32_t i = 0; i < s.count; ++i) place_[part[i]] = i;
  s.edges.clear();
  s.first.assign(1, 0);
  for (std::size_t i = 0; i < s.count; ++i) {
    std::int32_t sum = 0;
    for (const thread_graph::edge& e : graph.edges_of(part[i])) {
      if (place_[e.to] == nobody) continue;
      s.edges.push_back({place_[e.to], e.weight});
      sum += e.weight;
    }
    s.first.push_back(s.edges.size());
    s.degree[i] = sum;
  }
  for (const std::uint32_t v : part) place_[v] = nobody;
}

void bipartitioner::extract_rows(const thread_graph& graph, std::span<const std::uint32_t> part) {
  scale& s = scales_[0];
  if (s.rows.size() < s.count * s.stride) s.rows.resize(s.count * s.stride);
  if (!graph.has_rows() || (graph.is_sparse() && s.count >= gather_below)) {
    for (std::uint32_t i = 0; i < s.count; ++i) place_[part[i]] = i;
    std::fill_n(s.rows.begin(), s.count * s.stride, 0);
    for (std::size_t i = 0; i < s.count; ++i) {
      std::int32_t* const to = s.rows.data() + i * s.stride;
      std::int32_t sum = 0;
      for (const thread_graph::edge& e : graph.edges_of(part[i])) {
        if (place_[e.to] == nobody) continue;
        to[place_[e.to]] = e.weight;
        sum += e.weight;
      }
      s.degree[i] = sum;
    }
    for (const std::uint32_t v : part) place_[v] = nobody;
    return;
  }
  for (std::size_t i = 0; i < s.count; ++i) {
    const std::int32_t* const from = graph.row(part[i]);
    std::int32_t* const to = s.rows.data() + i * s.stride;
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < s.count; ++j) {
      to[j] = from[part[j]];
      sum += to[j];
    }
    std::fill(to + s.count, to + s.stride, 0);
    s.degree[i] = sum;
  }
}

/// Adds twice what v shares with each vertex to `up` and takes it from `down`.
void bipartitioner::add_twice(const scale& s, std::uint32_t v, std::vector<std::int32_t>& up,
                              std::vector<std::int32_t>& down) {
  if (!s.listed) {
    add_row_twice(up.data(), down.data(), s.rows.data() + v * s.stride, s.stride);
    return;
  }
  for (const thread_graph::edge& e : s.edges_of(v)) {
    up[e.to] += 2 * e.weight;
    down[e.to] -= 2 * e.weight;
  }
}

void bipartitioner::add_times(const scale& s, std::uint32_t v, std::int32_t times,
                              std::vector<std::int32_t>& to) {
  if (!s.listed) {
    add_row_times(to.data(), s.rows.data() + v * s.stride, times, s.stride);
    return;
  }
  for (const thread_graph::edge& e : s.edges_of(v)) to[e.to] += times * e.weight;
}

/// The free vertex that shares most with v; weight < 0: none is free (or, of a list, shares).
std::uint32_t bipartitioner::best_free(const scale& s, std::uint32_t v, std::int32_t& weight) {
  if (s.listed) {
    std::uint32_t best = nobody;
    weight = -1;
    for (const thread_graph::edge& e : s.edges_of(v)) {
      if (taken_[e.to] != 0 || e.weight <= weight) continue;
      weight = e.weight;
      best = e.to;
    }
    return best;
  }
  mask_row(masked_.data(), s.rows.data() + v * s.stride, taken_.data(), s.stride);
  masked_[v] = INT32_MIN;
  const std::uint32_t found = place_of_greatest(masked_, s.stride);
  weight = masked_[found];
  return found;
}

/// Pairs every vertex with one that shares most with it, as both see it where possible: from a
/// vertex to its best, to that one's best, until two choose each other. Returns the number of
/// wholes.
std::size_t bipartitioner::match(scale& fine, random_source& random) {
  std::fill_n(taken_.begin(), fine.count, 0);
  std::fill(taken_.begin() + static_cast<std::ptrdiff_t>(fine.count),
            taken_.begin() + static_cast<std::ptrdiff_t>(fine.stride), INT32_MIN);
  std::size_t wholes = 0;
  std::uint32_t waiting = nobody;
  const std::uint32_t count = static_cast<std::uint32_t>(fine.count);
  const std::uint32_t start = random.below(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t v = (start + i) % count;
    while (taken_[v] == 0) {
      std::int32_t weight = 0;
      const std::uint32_t u = best_free(fine, v, weight);
      if (weight < 0) {  // nobody that it shares with is free: two such become a pair
        taken_[v] = INT32_MIN;
        fine.whole[v] =
            waiting == nobody ? static_cast<std::uint32_t>(wholes++) : fine.whole[waiting];
        waiting = waiting == nobody ? v : nobody;
        break;
      }
      std::int32_t better = 0;
      best_free(fine, u, better);
      if (better > weight) {
        v = u;
        continue;
      }
      taken_[v] = INT32_MIN;
      taken_[u] = INT32_MIN;
      fine.whole[v] = static_cast<std::uint32_t>(wholes);
      fine.whole[u] = static_cast<std::uint32_t>(wholes++);
    }
    // The walk may have matched others than the vertex that it began at.
    if (taken_[(start + i) % count] == 0) --i;
  }
  return wholes;
}

/// Makes scale level + 1 from scale level; false when it would not be smaller.
bool bipartitioner::shrink(std::size_t level, random_source& random) {
  scale& fine = scales_[level];
  if (fine.count <= small || level + 1 == scales_.size()) return false;
  scale& coarse = scales_[level + 1];
  coarse.count = match(fine, random);
  coarse.stride = padded(coarse.count);
  std::fill_n(coarse.pull.begin(), coarse.stride, 0);
  for (std::size_t v = 0; v < fine.count; ++v) coarse.pull[fine.whole[v]] += fine.pull[v];
  // The parts of each whole: the first one and, if there is one, the other.
  std::fill_n(sorted_.begin(), coarse.count, nobody);
  std::fill_n(moved_.begin(), coarse.count, nobody);
  for (std::uint32_t v = 0; v < fine.count; ++v) {
    std::uint32_t& first = sorted_[fine.whole[v]];
    (first == nobody ? first : moved_[fine.whole[v]]) = v;
  }
  coarse.listed = fine.listed && coarse.count >= list_from;
  if (fine.listed) {
    shrink_list(fine, coarse);
  } else {
    shrink_rows(fine, coarse);
  }
  return true;
}

void bipartitioner::shrink_list(const scale& fine, scale& coarse) {
  coarse.edges.clear();
  coarse.first.assign(1, 0);
  std::fill_n(edge_place_.begin(), coarse.count, 0);  // of the edge to each vertex, plus one
  if (!coarse.listed) {
    if (coarse.rows.size() < coarse.count * coarse.stride) {
      coarse.rows.resize(coarse.count * coarse.stride);
    }
    std::fill_n(coarse.rows.begin(), coarse.count * coarse.stride, 0);
  }
  for (std::uint32_t whole = 0; whole < coarse.count; ++whole) {
    const std::size_t begin = coarse.edges.size();
    std::int32_t sum = 0;
    for (const std::uint32_t part : {sorted_[whole], moved_[whole]}) {
      if (part == nobody) continue;
      for (const thread_graph::edge& e : fine.edges_of(part)) {
        const std::uint32_t to = fine.whole[e.to];
        if (to == whole) continue;
        sum += e.weight;
        if (!coarse.listed) {
          coarse.rows[whole * coarse.stride + to] += e.weight;
          continue;
        }
        if (edge_place_[to] <= begin) {
          coarse.edges.push_back({to, 0});
          edge_place_[to] = coarse.edges.size();
        }
        coarse.edges[edge_place_[to] - 1].weight += e.weight;
      }
    }
    coarse.first.push_back(coarse.edges.size());
    coarse.degree[whole] = sum;
  }
}

void bipartitioner::shrink_rows(const scale& fine, scale& coarse) {
  if (coarse.rows.size() < coarse.count * coarse.stride) {
    coarse.rows.resize(coarse.count * coarse.stride);
  }
  for (std::uint32_t whole = 0; whole < coarse.count; ++whole) {
    const std::int32_t* from = fine.rows.data() + sorted_[whole] * fine.stride;
    if (moved_[whole] != nobody) {
      add_rows(masked_.data(), from, fine.rows.data() + moved_[whole] * fine.stride, fine.stride);
      from = masked_.data();
    }
    std::int32_t* const row = coarse.rows.data() + whole * coarse.stride;
    std::fill_n(row, coarse.stride, 0);
    for (std::size_t w = 0; w < fine.count; ++w) row[fine.whole[w]] += from[w];
    row[whole] = 0;
    std::int32_t sum = 0;
    for (std::size_t w = 0; w < coarse.count; ++w) sum += row[w];
    coarse.degree[whole] = sum;
  }
}

/// Side a grows from `seed` by the vertex that shares most with it, less what it shares outside.
void bipartitioner::grow(scale& s, std::size_t size_a, std::uint32_t seed) {
  std::fill_n(s.side.begin(), s.count, std::uint8_t{0});
  std::fill_n(near_.begin(), s.stride, 0);
  for (std::size_t i = 0; i < s.count; ++i) gain_b_[i] = s.pull[i] - s.degree[i];
  std::fill(gain_b_.begin() + static_cast<std::ptrdiff_t>(s.count),
            gain_b_.begin() + static_cast<std::ptrdiff_t>(s.stride), out);
  std::uint32_t next = seed;
  for (std::size_t size = 0; size < size_a; ++size) {
    if (size > 0) next = place_of_greatest(gain_b_, s.stride);
    s.side[next] = 1;
    gain_b_[next] = out;
    add_twice(s, next, gain_b_, near_);
  }
}

void bipartitioner::count_near(scale& s) {
  std::fill_n(near_.begin(), s.stride, 0);
  for (std::uint32_t i = 0; i < s.count; ++i) {
    if (s.side[i] == 1) add_times(s, i, -2, near_);
  }
}

void bipartitioner::add_gains(const scale& s) {
  for (std::size_t i = 0; i < s.count; ++i) {
    const std::int32_t gain = s.degree[i] + near_[i] - s.pull[i];  // of moving from a to b
    gain_a_[i] = s.side[i] == 1 ? gain : out;
    gain_b_[i] = s.side[i] == 1 ? out : -gain;
  }
  for (std::size_t i = s.count; i < s.stride; ++i) gain_a_[i] = gain_b_[i] = out;
}

/// Brings side a to its size by the moves that cost least. Wants near_.
void bipartitioner::fill_up(scale& s, std::size_t size_a) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < s.count; ++i) size += s.side[i];
  while (size != size_a) {
    add_gains(s);
    const bool more = size < size_a;
    const std::uint32_t v = place_of_greatest(more ? gain_b_ : gain_a_, s.stride);
    s.side[v] = more ? 1 : 0;
    size += more ? 1 : std::size_t(-1);
    add_times(s, v, more ? -2 : 2, near_);
  }
}

/// Passes of swaps between the sides, the best one each time even if it costs, each vertex once,
/// back to the best point of the pass. Wants near_. Returns twice the cut.
std::int64_t bipartitioner::refine(scale& s) {
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
    add_gains(s);
    std::int64_t best = 0;
    std::int64_t now = 0;
    std::size_t best_swaps = 0;
    std::size_t swaps = 0;
    while (swaps < most_swaps && swaps < best_swaps + patience) {
      const std::uint32_t a = place_of_greatest(gain_a_, s.stride);
      now -= gain_a_[a];
      gain_a_[a] = out;
      add_twice(s, a, gain_a_, gain_b_);
      const std::uint32_t b = place_of_greatest(gain_b_, s.stride);
      now -= gain_b_[b];
      gain_b_[b] = out;
      add_twice(s, b, gain_b_, gain_a_);
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
      s.side[a] = 0;
      s.side[b] = 1;
      add_times(s, a, 2, near_);
      add_times(s, b, -2, near_);
    }
    cut += 2 * best;
  }
}

/// Leaves the best of some tries in the side of a scale.
std::int64_t bipartitioner::cut_flat(std::size_t size_a, unsigned tries, random_source& random,
                                     std::size_t level) {
  scale& s = scales_[level];
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

void bipartitioner::cut(const thread_graph& graph, std::span<std::uint32_t> part,
                        std::span<const std::int32_t> pull, std::size_t size_a,
                        const cut_effort& effort, random_source& random) {
  if (size_a == 0 || size_a == part.size()) return;
  extract(graph, part, pull);
  scale& whole = scales_[0];
  std::int64_t best = 0;
  bool found = false;
  if (effort.flat > 0 || part.size() <= small) {
    best = cut_flat(size_a, std::max(1U, effort.flat), random, 0);
    std::copy_n(whole.side.begin(), part.size(), chosen_side_.begin());
    found = true;
  }
  for (unsigned t = 0; t < effort.shrunk && part.size() > small; ++t) {
    std::size_t level = 0;
    while (shrink(level, random)) ++level;
    std::size_t wanted = (size_a * scales_[level].count + part.size() / 2) / part.size();
    wanted = std::clamp<std::size_t>(wanted, 1, scales_[level].count - 1);
    std::int64_t now = cut_flat(wanted, 4, random, level);
    while (level-- > 0) {
      scale& fine = scales_[level];
      const scale& coarse = scales_[level + 1];
      for (std::size_t v = 0; v < fine.count; ++v) fine.side[v] = coarse.side[fine.whole[v]];
      wanted = (size_a * fine.count + part.size() / 2) / part.size();
      if (level == 0) wanted = size_a;
      wanted = std::clamp<std::size_t>(wanted, 1, fine.count - 1);
      count_near(fine);
      fill_up(fine, wanted);
      now = refine(fine);
    }
    if (found && now >= best) continue;
    best = now;
    found = true;
    std::copy_n(whole.side.begin(), part.size(), chosen_side_.begin());
  }
  std::size_t a = 0;
  std::size_t b = size_a;
  for (std::size_t i = 0; i < part.size(); ++i) sorted_[chosen_side_[i] == 1 ? a++ : b++] = part[i];
  std::copy_n(sorted_.begin(), part.size(), part.begin());
}

}  // namespace numatch::engine
