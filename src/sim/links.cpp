// SPDX-License-Identifier: Apache-2.0
#include "sim/links.hpp"

#include <map>
#include <utility>

namespace numatch::sim {

namespace {

/// Collects routes and the links that they need.
class network_builder {
 public:
  network_builder(unsigned nodes, const link_config& link) : link_(link) {
    made_.route.assign(nodes, std::vector<std::vector<unsigned>>(nodes));
  }

  unsigned link(unsigned from, unsigned to) {
    const unsigned next = static_cast<unsigned>(made_.links.size());
    const auto [found, is_new] = number_.try_emplace({from, to}, next);
    if (is_new) {
      made_.links.push_back(link_);
      made_.links.back().from = from;
      made_.links.back().to = to;
    }
    return found->second;
  }
  std::vector<unsigned>& route(unsigned from, unsigned to) { return made_.route[from][to]; }
  link_config& last_link() { return made_.links.back(); }
  connections take() { return std::move(made_); }

 private:
  link_config link_;
  connections made_;
  std::map<std::pair<unsigned, unsigned>, unsigned> number_;
};

}  // namespace

connections ring(unsigned nodes, const link_config& link) {
  network_builder build(nodes, link);
  for (unsigned node = 0; node < nodes && nodes > 1; ++node) {
    build.link(node, (node + 1) % nodes);
    build.link((node + 1) % nodes, node);
  }
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      const unsigned up = (to + nodes - from) % nodes;
      const unsigned step = up < nodes - up ? 1 : nodes - 1;
      for (unsigned at = from; at != to; at = (at + step) % nodes) {
        build.route(from, to).push_back(build.link(at, (at + step) % nodes));
      }
    }
  }
  return build.take();
}

connections mesh(const std::vector<unsigned>& dimensions, const link_config& link) {
  unsigned nodes = 1;
  for (const unsigned extent : dimensions) nodes *= extent;
  network_builder build(nodes, link);
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      unsigned at = from;
      unsigned stride = 1;
      for (const unsigned extent : dimensions) {
        const unsigned target = to / stride % extent;
        while (at / stride % extent != target) {
          const unsigned next = at / stride % extent < target ? at + stride : at - stride;
          build.route(from, to).push_back(build.link(at, next));
          at = next;
        }
        stride *= extent;
      }
    }
  }
  return build.take();
}

connections full(const std::vector<std::vector<unsigned>>& latency, const link_config& link) {
  const unsigned nodes = static_cast<unsigned>(latency.size());
  network_builder build(nodes, link);
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      if (from == to) continue;
      build.route(from, to).push_back(build.link(from, to));
      build.last_link().latency = latency[from][to];
    }
  }
  return build.take();
}

}  // namespace numatch::sim
