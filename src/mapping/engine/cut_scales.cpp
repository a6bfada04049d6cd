// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/cut_scales.hpp"

#include <algorithm>

#include "mapping/engine/rows.hpp"

namespace numatch::engine {

namespace {

/// A set of a sparse graph is filled from its edges from this size on, and kept as lists from that.
constexpr std::size_t gather_below = 32;
constexpr std::size_t list_from = 192;
constexpr std::uint32_t nobody = ~0U;

}  // namespace

void cut_scale::add_times(std::uint32_t v, std::int32_t times,
                          std::vector<std::int32_t>& to) const {
  if (!listed) {
    add_row_times(to.data(), rows.data() + v * stride, times, stride);
    return;
  }
  for (const thread_graph::edge& e : edges_of(v)) to[e.to] += times * e.weight;
}

cut_scales::cut_scales(std::size_t vertices, std::size_t most) {
  for (std::size_t count = most;; count = (count + 1) / 2) {
    cut_scale s;
    s.degree.resize(padded(count));
    s.pull.resize(padded(count));
    s.side.resize(padded(count));
    s.whole.resize(padded(count));
    scales_.push_back(std::move(s));
    if (count <= small) break;
  }
  masked_.resize(padded(most));
  taken_.resize(padded(most));
  first_part_.resize(most);
  other_part_.resize(most);
  edge_place_.resize(most);
  place_.assign(vertices, nobody);
}

void cut_scales::reserve() {
  std::size_t count = padded(edge_place_.size());
  const std::size_t most_listed = count * count / 16;  // thread_graph::is_sparse()
  for (cut_scale& s : scales_) {
    s.rows.resize(count * padded(count));
    s.first.reserve(count + 1);
    s.edges.reserve(most_listed);
    count = (count + 1) / 2;
  }
}

void cut_scales::extract(const thread_graph& graph, std::span<const std::uint32_t> part,
                         std::span<const std::int32_t> pull) {
  cut_scale& s = scales_[0];
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

void cut_scales::extract_list(const thread_graph& graph, std::span<const std::uint32_t> part) {
  cut_scale& s = scales_[0];
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

void cut_scales::extract_rows(const thread_graph& graph, std::span<const std::uint32_t> part) {
  cut_scale& s = scales_[0];
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

/// The free vertex that shares most with v; weight < 0: none is free (or, of a list, shares).
std::uint32_t cut_scales::best_free(const cut_scale& s, std::uint32_t v, std::int32_t& weight) {
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
  const std::uint32_t found = first_greatest(masked_.data(), s.stride);
  weight = masked_[found];
  return found;
}

/// Pairs every vertex with one that shares most with it, as both see it where possible: from a
/// vertex to its best, to that one's best, until two choose each other. Returns the number of
/// wholes.
std::size_t cut_scales::match(cut_scale& fine, random_source& random) {
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
bool cut_scales::shrink(std::size_t level, random_source& random) {
  cut_scale& fine = scales_[level];
  if (fine.count <= small || level + 1 == scales_.size()) return false;
  cut_scale& coarse = scales_[level + 1];
  coarse.count = match(fine, random);
  coarse.stride = padded(coarse.count);
  std::fill_n(coarse.pull.begin(), coarse.stride, 0);
  for (std::size_t v = 0; v < fine.count; ++v) coarse.pull[fine.whole[v]] += fine.pull[v];
  // The parts of each whole: the first one and, if there is one, the other.
  std::fill_n(first_part_.begin(), coarse.count, nobody);
  std::fill_n(other_part_.begin(), coarse.count, nobody);
  for (std::uint32_t v = 0; v < fine.count; ++v) {
    std::uint32_t& first = first_part_[fine.whole[v]];
    (first == nobody ? first : other_part_[fine.whole[v]]) = v;
  }
  coarse.listed = fine.listed && coarse.count >= list_from;
  if (fine.listed) {
    shrink_list(fine, coarse);
  } else {
    shrink_rows(fine, coarse);
  }
  return true;
}

void cut_scales::shrink_list(const cut_scale& fine, cut_scale& coarse) {
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
    for (const std::uint32_t part : {first_part_[whole], other_part_[whole]}) {
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

void cut_scales::shrink_rows(const cut_scale& fine, cut_scale& coarse) {
  if (coarse.rows.size() < coarse.count * coarse.stride) {
    coarse.rows.resize(coarse.count * coarse.stride);
  }
  for (std::uint32_t whole = 0; whole < coarse.count; ++whole) {
    const std::int32_t* from = fine.rows.data() + first_part_[whole] * fine.stride;
    if (other_part_[whole] != nobody) {
      add_rows(masked_.data(), from, fine.rows.data() + other_part_[whole] * fine.stride,
               fine.stride);
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

}  // namespace numatch::engine
