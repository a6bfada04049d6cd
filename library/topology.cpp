// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/topology.hpp"

#include <cstdlib>

#include "cpu_lists.hpp"
#include "hwloc_machine.hpp"
#include "topology_maker.hpp"

namespace numatch {
inline namespace numa_v1 {

topology topology_maker::done(std::vector<unsigned> distances, std::string why) {
  const std::size_t count = made_.nodes_.size();
  if (count == 0) throw topology_error("no processor to run on: " + why);
  if (distances.empty()) {
    distances.assign(count * count, 20);
    for (std::size_t n = 0; n < count; ++n) distances[n * count + n] = 10;
  }
  made_.distances_ = std::move(distances);
  made_.why_ = std::move(why);
  return std::move(made_);
}

topology topology::system(node_unit unit) {
  const char* const instead = std::getenv("NUMATCH_TOPOLOGY");
  if (instead != nullptr && *instead != '\0') {
    try {
      return parse(instead);
    } catch (const topology_error& wrong) {
      throw topology_error(std::string("NUMATCH_TOPOLOGY: ") + wrong.what());
    }
  }
  return hwloc_machine::here().nodes(unit);
}

topology topology::parse(std::string_view text) {
  // hwloc's words have letters, processor lists do not.
  if (text.find_first_not_of("0123456789,-: \t") != std::string_view::npos) {
    return hwloc_machine::synthetic(std::string(text)).nodes(node_unit::numa);
  }
  return hwloc_machine::here().nodes_of(parse_cpu_lists(text));
}

topology topology::from_hwloc_xml(const std::string& path, node_unit unit) {
  return hwloc_machine::xml(path).nodes(unit);
}

std::size_t topology::cpus() const {
  std::size_t all = 0;
  for (const topology_node& node : nodes_) all += node.cpus.size();
  return all;
}

std::string topology::str() const {
  std::string text;
  for (const topology_node& node : nodes_) {
    if (!text.empty()) text += ':';
    text += cpu_list_text(node.cpus);
  }
  return text;
}

}  // namespace numa_v1
}  // namespace numatch
