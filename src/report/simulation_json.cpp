// SPDX-License-Identifier: Apache-2.0
#include "report/simulation.hpp"
#include "report/simulation_metrics.hpp"
#include "report/simulation_preface.hpp"

namespace numatch::report {

namespace {

using json = nlohmann::ordered_json;

json value_json(const metric_value& value) {
  return std::visit(
      [](const auto& held) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return nullptr;
        else
          return held;
      },
      value);
}

/// value / baseline − 1, or null.
json change_json(const metric_value& value, const metric_value& base) {
  const std::optional<double> number = number_of(value);
  const std::optional<double> against = number_of(base);
  if (!number || !against || *against == 0) return nullptr;
  return *number / *against - 1;
}

json run_json(const sim::run_result& run, std::size_t index, const std::vector<metric>& metrics) {
  json made{{"name", run.mechanism},          {"baseline", index == 0},
            {"parameters", run.parameters},   {"threads_start", run.threads_start},
            {"pages_start", run.pages_start}, {"hertz", run.hertz}};
  json changes = json::object();
  for (const metric& m : metrics) {
    made[m.group][m.key] = value_json(m.values[index]);
    if (index > 0) changes[m.group][m.key] = change_json(m.values[index], m.values.front());
  }
  if (index > 0) made["change"] = std::move(changes);
  return made;
}

json point_json(const sim::timeline_point& p, double hertz) {
  return {{"begin_cycle", p.begin},
          {"end_cycle", p.end},
          {"begin_ms", milliseconds_of(p.begin, hertz)},
          {"end_ms", milliseconds_of(p.end, hertz)},
          {"instructions", p.instructions},
          {"memory_accesses", p.memory_accesses},
          {"remote_accesses", p.remote_accesses},
          {"traffic_bytes", p.traffic_bytes},
          {"pages_moved", p.pages_moved},
          {"threads_moved", p.threads_moved}};
}

}  // namespace

std::string json_simulation(const simulation& done) {
  json made = json_frame(done, "numatch-simulation");
  made["notes"] = done.notes;
  made["runs"] = json::array();
  const std::vector<metric> metrics = metrics_of(done.runs);
  for (std::size_t i = 0; i < done.runs.size(); ++i) {
    made["runs"].push_back(run_json(done.runs[i], i, metrics));
  }
  return json_text(made);
}

std::string json_timeline(const simulation& done) {
  json made = json_frame(done, "numatch-timeline");
  made["runs"] = json::array();
  for (const sim::run_result& run : done.runs) {
    json pieces = json::array();
    for (const sim::timeline_point& p : run.timeline) pieces.push_back(point_json(p, run.hertz));
    json decisions = json::array();
    for (const sim::decision& d : run.decisions) {
      decisions.push_back({{"cycle", d.cycle},
                           {"ms", milliseconds_of(d.cycle, run.hertz)},
                           {"threads_moved", d.threads_moved},
                           {"pages_asked", d.pages_asked}});
    }
    made["runs"].push_back(
        {{"name", run.mechanism}, {"timeline", pieces}, {"decisions", decisions}});
  }
  return json_text(made);
}

}  // namespace numatch::report
