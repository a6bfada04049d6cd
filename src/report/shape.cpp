// SPDX-License-Identifier: Apache-2.0
#include "report/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/format.hpp"
#include "report/shape_measures.hpp"

namespace numatch::report {

namespace {

// The limits of docs/report.md.
constexpr double least_volume = 0.001;
constexpr double least_part = 0.05;
constexpr double all_to_all_variation = 0.5;
constexpr double least_hub = 0.6;
constexpr double least_band = 0.5;
constexpr double least_grid = 0.6;
constexpr double most_weak_links = 0.1001;
constexpr double least_ring_wrap = 0.5;
constexpr double least_coherence = 0.4;
constexpr double least_next_stage = 0.6;
constexpr int least_stages = 3;
constexpr double least_modularity = 0.5;

constexpr std::string_view neighbour_word = "nearest neighbour";

/// The threads that take part and what is between them, symmetric.
struct core {
  std::vector<std::size_t> threads;
  sharing_matrix weights;
  sharing_matrix flow;
};

core take_core(const shape_input& input) {
  const std::size_t n = input.sharing.size();
  std::vector<double> degree(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) degree[i] += input.sharing.between(i, j);
    }
  }
  const double mean = std::accumulate(degree.begin(), degree.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(n, 1));
  core taken;
  for (std::size_t i = 0; i < n; ++i) {
    if (degree[i] > 0 && degree[i] >= least_part * mean) taken.threads.push_back(i);
  }
  const std::size_t m = taken.threads.size();
  taken.weights = sharing_matrix(m);
  taken.flow = sharing_matrix(m);
  const bool flow_known = input.flow.size() == n;
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      if (a == b) continue;
      taken.weights.set(a, b, input.sharing.between(taken.threads[a], taken.threads[b]));
      if (flow_known) taken.flow.set(a, b, input.flow.at(taken.threads[a], taken.threads[b]));
    }
  }
  return taken;
}

std::vector<thread_id> as_threads(const core& c, const std::vector<std::size_t>& members) {
  std::vector<thread_id> threads;
  for (std::size_t member : members) {
    threads.emplace_back(static_cast<std::uint32_t>(c.threads[member]));
  }
  return threads;
}

/// Members by group, inside a group as in `order`.
std::vector<std::vector<std::size_t>> by_group(const std::vector<std::size_t>& order,
                                               const std::vector<std::size_t>& group_of,
                                               std::size_t groups) {
  std::vector<std::vector<std::size_t>> members(groups);
  for (std::size_t member : order) members[group_of[member]].push_back(member);
  return members;
}

void order_by_groups(const core& c, const std::vector<std::vector<std::size_t>>& groups,
                     sharing_shape& shape) {
  shape.order.clear();
  for (const std::vector<std::size_t>& members : groups) {
    if (members.empty()) continue;
    shape.groups.push_back(as_threads(c, members));
    shape.order.insert(shape.order.end(), shape.groups.back().begin(), shape.groups.back().end());
  }
}

/// All measures once; decide() reads them.
struct findings {
  double variation;
  hub star;
  band line;
  grid mesh;
  pipeline flow;
  communities groups;
};

findings measure(const core& c) {
  return {heterogeneity(c.weights),
          measure_hub(c.weights),
          measure_band(c.weights),
          measure_grid(c.weights),
          measure_pipeline(c.weights, c.flow),
          find_communities(c.weights)};
}

std::vector<shape_measure> list_measures(const findings& f, double volume) {
  return {
      {"volume", volume, least_volume, true, "none"},
      {"heterogeneity", f.variation, all_to_all_variation, true, "all-to-all"},
      {"hub_mass", f.star.mass, least_hub, false, "master/worker"},
      {"flow_coherence", f.flow.levels.coherence, least_coherence, false, "pipeline"},
      {"flow_stages", static_cast<double>(f.flow.levels.stages), least_stages, false, "pipeline"},
      {"next_stage_mass", f.flow.next_stage_mass, least_next_stage, false, "pipeline"},
      {"band_mass", f.line.mass, least_band, false, neighbour_word},
      {"weak_links", f.line.weak_links, most_weak_links, true, neighbour_word},
      {"ring_wrap", f.line.wrap, least_ring_wrap, false, "ring"},
      {"grid_mass", f.mesh.mass, least_grid, false, "grid"},
      {"grid_weak_links", f.mesh.weak_links, most_weak_links, true, "grid"},
      {"relative_modularity", relative_modularity(f.groups), least_modularity, false, "clusters"}};
}

bool is_pipeline(const findings& f) {
  return f.flow.levels.coherence >= least_coherence && f.flow.levels.stages >= least_stages &&
         f.flow.next_stage_mass >= least_next_stage;
}
bool is_line(const findings& f) {
  return f.line.mass >= least_band && f.line.weak_links < most_weak_links;
}
bool is_grid(const findings& f, std::size_t threads) {
  return threads >= 6 && f.mesh.mass >= least_grid && f.mesh.weak_links < most_weak_links &&
         f.mesh.mass > f.line.mass;
}

void say_pipeline(const core& c, const findings& f, sharing_shape& shape) {
  std::vector<std::size_t> stage(f.flow.levels.stage.begin(), f.flow.levels.stage.end());
  order_by_groups(c, by_group(f.line.order, stage, static_cast<std::size_t>(f.flow.levels.stages)),
                  shape);
  shape.kind = shape_kind::pipeline;
  shape.words = fmt::format("pipeline ({} stages)", shape.groups.size());
  shape.sentence = fmt::format(
      "data flow one way through {} stages; {:.0f} % of the sharing is between one stage and the "
      "next",
      shape.groups.size(), 100 * f.flow.next_stage_mass);
}

void say_hub(const core& c, const findings& f, sharing_shape& shape) {
  const std::size_t master = c.threads[f.star.thread];
  const thread_id id(static_cast<std::uint32_t>(master));
  std::erase(shape.order, id);
  shape.order.insert(shape.order.begin(), id);
  shape.kind = shape_kind::master_worker;
  shape.words = fmt::format("master/worker (thread {})", master);
  shape.sentence =
      fmt::format("every thread shares with thread {} and little with the others (hub mass {:.2f})",
                  master, f.star.mass);
}

/// A ring starts anywhere: with the lowest thread here, on towards its lower neighbour.
void start_at_lowest(std::vector<thread_id>& ring) {
  std::rotate(ring.begin(), std::min_element(ring.begin(), ring.end()), ring.end());
  if (ring.back() < ring[1]) std::reverse(ring.begin() + 1, ring.end());
}

void say_line(const findings& f, sharing_shape& shape) {
  const bool ring = f.line.wrap >= least_ring_wrap;
  if (ring) start_at_lowest(shape.order);
  shape.kind = shape_kind::nearest_neighbour;
  shape.words = fmt::format("nearest neighbour ({})", ring ? "ring" : "chain");
  shape.sentence = fmt::format(
      "threads form a {}: each shares mostly with the one before and the one after it (band mass "
      "{:.2f})",
      ring ? "ring" : "chain", f.line.mass);
}

void say_grid(const core& c, const findings& f, sharing_shape& shape) {
  std::vector<std::size_t> natural(c.threads.size());
  std::iota(natural.begin(), natural.end(), std::size_t{0});
  shape.order = as_threads(c, natural);
  shape.kind = shape_kind::nearest_neighbour;
  shape.words = fmt::format("nearest neighbour (grid {} × {})", c.threads.size() / f.mesh.width,
                            f.mesh.width);
  shape.sentence = fmt::format(
      "threads form a grid with rows of {}: each shares mostly with the ones beside, above and "
      "below "
      "it (grid mass {:.2f})",
      f.mesh.width, f.mesh.mass);
}

void say_clusters(const core& c, const findings& f, sharing_shape& shape) {
  order_by_groups(c, by_group(f.line.order, f.groups.of, f.groups.count), shape);
  std::size_t smallest = c.threads.size();
  std::size_t largest = 0;
  for (const std::vector<thread_id>& group : shape.groups) {
    smallest = std::min(smallest, group.size());
    largest = std::max(largest, group.size());
  }
  const std::string size =
      smallest == largest ? fmt::format("{}", largest) : fmt::format("{} to {}", smallest, largest);
  shape.kind = shape_kind::clusters;
  shape.words = shape.groups.size() == 1
                    ? fmt::format("clusters (one of {} threads)", size)
                    : fmt::format("clusters ({} of {} threads)", shape.groups.size(), size);
  shape.sentence = fmt::format("{:.0f} % of the sharing is inside groups of {} threads",
                               100 * f.groups.inside, size);
}

void decide(const core& c, const findings& f, sharing_shape& shape) {
  const std::size_t n = c.threads.size();
  if (n == 2) return say_clusters(c, f, shape);
  if (is_pipeline(f)) return say_pipeline(c, f, shape);
  if (n >= 4 && f.star.mass >= least_hub) return say_hub(c, f, shape);
  if (f.variation < all_to_all_variation) {
    shape.kind = shape_kind::all_to_all;
    std::sort(shape.order.begin(), shape.order.end());
    shape.words = "all-to-all";
    shape.sentence = fmt::format(
        "every thread shares about as much with each of the others (heterogeneity {:.2f})",
        f.variation);
    return;
  }
  // A grid has a path through all of its threads too, so it is asked for first.
  if (is_grid(f, n)) return say_grid(c, f, shape);
  if (is_line(f)) return say_line(f, shape);
  if (relative_modularity(f.groups) >= least_modularity) return say_clusters(c, f, shape);
  shape.kind = shape_kind::mixed;
  shape.words = "mixed";
  shape.sentence = fmt::format(
      "uneven, but no single pattern explains it (band mass {:.2f}, relative modularity {:.2f}, "
      "hub "
      "mass {:.2f}, heterogeneity {:.2f})",
      f.line.mass, relative_modularity(f.groups), f.star.mass, f.variation);
}

void add_the_others(std::size_t threads, sharing_shape& shape) {
  std::vector<bool> placed(threads);
  for (thread_id t : shape.order) placed[t.index()] = true;
  for (std::size_t t = 0; t < threads; ++t) {
    if (!placed[t]) shape.order.emplace_back(static_cast<std::uint32_t>(t));
  }
}

}  // namespace

std::string_view to_string(shape_kind kind) {
  switch (kind) {
    case shape_kind::none:
      return "none";
    case shape_kind::nearest_neighbour:
      return neighbour_word;
    case shape_kind::clusters:
      return "clusters";
    case shape_kind::pipeline:
      return "pipeline";
    case shape_kind::master_worker:
      return "master/worker";
    case shape_kind::all_to_all:
      return "all-to-all";
    case shape_kind::mixed:
      return "mixed";
  }
  return "mixed";
}

sharing_shape find_shape(const shape_input& input) {
  sharing_shape shape;
  const core c = take_core(input);
  std::vector<std::size_t> everyone(c.threads.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  shape.taking_part = as_threads(c, everyone);
  if (c.threads.size() < 2 || input.volume < least_volume) {
    shape.kind = shape_kind::none;
    shape.words = "none";
    shape.sentence = fmt::format(
        "threads share next to nothing: {} of the accesses are not made by their page's main "
        "thread",
        percent(input.volume));
    shape.measures = {{"volume", input.volume, least_volume, true, "none"}};
  } else {
    const findings f = measure(c);
    shape.measures = list_measures(f, input.volume);
    shape.order = as_threads(c, f.line.order);
    decide(c, f, shape);
  }
  add_the_others(input.sharing.size(), shape);
  return shape;
}

}  // namespace numatch::report
