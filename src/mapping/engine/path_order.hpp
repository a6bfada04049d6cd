// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// Lines vertices up so that those that share most are neighbours: the heaviest edges that leave
/// every vertex with at most two neighbours and close no ring. Chains, rings and pipelines come out
/// as they are, and cutting the line into slots maps them best.
class path_order {
 public:
  /// An edge as one number, so that sorting compares just that: the heavier the lower, then by the
  /// lower and by the higher of its vertices. For vertices below 2^20 and weights below 2^24: those
  /// of a thread_graph merged up to three times.
  class link {
   public:
    link(std::int32_t weight, std::uint32_t a, std::uint32_t b)
        : key_(static_cast<std::uint64_t>(heaviest - weight) << 40 | std::uint64_t{a} << 20 | b) {}
    std::uint32_t a() const { return static_cast<std::uint32_t>(key_ >> 20) & vertex; }
    std::uint32_t b() const { return static_cast<std::uint32_t>(key_) & vertex; }
    bool operator<(const link& other) const { return key_ < other.key_; }

   private:
    static constexpr std::uint32_t vertex = (1U << 20) - 1;
    static constexpr std::int32_t heaviest = (1 << 24) - 1;
    std::uint64_t key_;
  };

  explicit path_order(std::size_t vertices);
  /// Fills vertex_at[place in the line].
  void line_up(const thread_graph& graph, std::span<std::uint32_t> vertex_at);
  /// The edges that were looked at, the heaviest first; an edge can be there twice.
  std::span<const link> links() const { return links_; }

 private:
  static constexpr std::size_t kept = 4;  ///< edges per vertex that are looked at
  std::uint32_t end_of(std::uint32_t v);
  void collect(const thread_graph& graph);

  std::vector<link> links_;
  std::vector<std::uint32_t> next_;  ///< two per vertex
  std::vector<std::uint32_t> root_;
};

}  // namespace numatch::engine
