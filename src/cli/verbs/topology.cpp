// SPDX-License-Identifier: Apache-2.0
#include "topology/topology.hpp"

#include <nlohmann/json.hpp>

#include "cli/verb.hpp"
#include "topology/drawing.hpp"

namespace numatch {

namespace {

nlohmann::ordered_json to_json(const topology& machine) {
  nlohmann::ordered_json json;
  json["name"] = machine.name();
  json["pus"] = machine.pu_count();
  json["nodes"] = machine.node_count();
  json["level_names"] = machine.level_names();
  json["arities"] = machine.arities();
  nlohmann::ordered_json pus = nlohmann::ordered_json::array();
  for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) {
    pus.push_back({{"pu", pu},
                   {"os_index", machine.os_index(pu_id(pu))},
                   {"node", machine.node_of(pu_id(pu)).value},
                   {"path", machine.path(pu_id(pu))}});
  }
  json["pu"] = std::move(pus);
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  nlohmann::ordered_json distances = nlohmann::ordered_json::array();
  for (std::uint32_t a = 0; a < machine.node_count(); ++a) {
    nodes.push_back({{"node", a}, {"os_index", machine.os_index(node_id(a))}});
    std::vector<double> row;
    for (std::uint32_t b = 0; b < machine.node_count(); ++b) {
      row.push_back(machine.node_distance(node_id(a), node_id(b)));
    }
    distances.push_back(row);
  }
  json["node"] = std::move(nodes);
  json["node_distances"] = std::move(distances);
  json["node_distances_known"] = machine.distances_known();
  nlohmann::ordered_json caches = nlohmann::ordered_json::array();
  for (const cache_level& cache : machine.caches()) {
    nlohmann::ordered_json group = nlohmann::ordered_json::array();
    for (const unsigned g : cache.group) {
      group.push_back(g == no_cache ? nlohmann::ordered_json() : nlohmann::ordered_json(g));
    }
    caches.push_back({{"level", cache.level},
                      {"bytes", cache.bytes},
                      {"line_bytes", cache.line_bytes},
                      {"ways", cache.ways},
                      {"group", std::move(group)}});
  }
  json["caches"] = std::move(caches);
  nlohmann::ordered_json facts = nlohmann::ordered_json::array();
  for (const topology::fact& fact : machine.facts()) {
    facts.push_back(
        {{"key", fact.key}, {"value", fact.value}, {"unit", fact.unit}, {"source", fact.source}});
  }
  json["facts"] = std::move(facts);
  return json;
}

std::string facts_text(const topology& machine) {
  if (machine.facts().empty()) return {};
  std::string text = "\nfacts, with their sources\n";
  for (const topology::fact& fact : machine.facts()) {
    if (fact.key == "distance.nodes") {
      text += fmt::format("  {:<24} {:<34} {}\n", fact.key, "(above)", fact.source);
      continue;
    }
    const std::string value = fact.unit.empty() ? fact.value : fact.value + " " + fact.unit;
    text += fmt::format("  {:<24} {:<34} {}\n", fact.key, value, fact.source);
  }
  return text;
}

class topology_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("SPEC", spec_,
                   "Machine: live, a name of machines/, an hwloc synthetic string, an "
                   "hwloc XML file")
        ->capture_default_str();
    app.add_flag("--json", json_, "Write JSON");
  }

  result<int> run(cli::console& terminal) override {
    const result<topology> machine = topology::load(spec_);
    if (!machine) return tl::unexpected(machine.error());
    if (json_) {
      terminal.out(to_json(*machine).dump(2) + "\n");
    } else {
      terminal.out(draw_machine(*machine) + draw_node_distances(*machine) + facts_text(*machine));
    }
    return cli::fine;
  }

 private:
  std::string spec_ = "live";
  bool json_ = false;
};

constexpr cli::example examples[] = {
    {"numatch topology", "draws this machine"},
    {"numatch topology xeon64", "draws a machine of the papers, with the source of each number"},
    {"numatch topology 'numa:4 core:2 pu:1' --json", "4 nodes of 2 cores, for a script"},
};

}  // namespace

extern const verb_entry topology_verb{
    "topology",
    60,
    "Draw a machine: nodes, caches, processing units, distances",
    "Draws the machine that SPEC names: its tree of NUMA nodes, caches and processing units (PUs), "
    "and the distances between its nodes. For a machine description it lists every fact with its "
    "source. docs/machines.md explains SPEC.",
    examples,
    [] { return std::unique_ptr<cli::command>(new topology_command); }};

}  // namespace numatch
