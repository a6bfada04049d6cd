// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/doctor_text.hpp"
#include "live/concerns.hpp"

namespace numatch::cli {

namespace {

using json = nlohmann::ordered_json;
using live::system_facts;

template <class Value>
json value_or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

json nodes_json(const system_facts& facts) {
  json nodes = json::array();
  for (const live::node_facts& node : facts.nodes) {
    nodes.push_back(
        {{"node", node.os_index}, {"processors", node.cpus}, {"memory_bytes", node.memory_bytes}});
  }
  return nodes;
}

json kernel_json(const system_facts& facts) {
  return {{"release", facts.release},
          {"perf_event_paranoid", value_or_null(facts.perf_event_paranoid)},
          {"perf_buffer_bytes", value_or_null(facts.perf_buffer_bytes)},
          {"perf_page_faults", facts.perf_page_faults},
          {"yama_ptrace_scope", value_or_null(facts.yama_ptrace_scope)},
          {"numa_balancing", value_or_null(facts.numa_balancing)},
          {"soft_dirty", facts.soft_dirty},
          {"userfaultfd_features", value_or_null(facts.userfaultfd_features)},
          {"memory_sampling", value_or_null(facts.memory_sampling)},
          {"transparent_huge_pages", value_or_null(facts.huge_pages)},
          {"lockdown", value_or_null(facts.lockdown)},
          {"secure_boot", value_or_null(facts.secure_boot)},
          {"signed_modules_only", value_or_null(facts.signed_modules_only)}};
}

json user_json(const system_facts& facts) {
  return {{"user", facts.user},
          {"may_trace_all", facts.may_trace_all},
          {"may_sample_all", facts.may_sample_all},
          {"may_renice_all", facts.may_renice_all},
          {"may_administer", facts.may_administer},
          {"processors", facts.limits.cpus},
          {"nodes", facts.limits.nodes},
          {"memory_bytes", value_or_null(facts.limits.memory_bytes)},
          {"processor_time", value_or_null(facts.limits.cpu_time)}};
}

json module_json(const live::kernel_module_facts& module) {
  return {{"loaded", module.loaded},
          {"built", module.built},
          {"headers", module.headers},
          {"usable", module.usable},
          {"trouble", module.trouble}};
}

json sensor_json(const examined_sensor& s) {
  return {{"name", s.name}, {"works", s.here.works},   {"summary", s.summary},
          {"sees", s.sees}, {"reason", s.here.reason}, {"remedy", s.here.remedy}};
}

json concern_json(const live::concern& c) {
  return {{"name", c.name},
          {"state", c.state},
          {"matters", c.matters},
          {"says", c.says},
          {"remedy", c.remedy}};
}

}  // namespace

std::string doctor_json(const system_facts& facts, std::span<const examined_sensor> sensors) {
  json made{
      {"kernel", kernel_json(facts)}, {"you", user_json(facts)}, {"nodes", nodes_json(facts)}};
  made["kernel_module"] = module_json(facts.module);
  made["best_sensor"] = nullptr;
  made["sensors"] = json::array();
  for (const examined_sensor& s : sensors) {
    if (s.here.works && made["best_sensor"].is_null()) made["best_sensor"] = s.name;
    made["sensors"].push_back(sensor_json(s));
  }
  made["concerns"] = json::array();
  for (const live::concern& c : live::concerns_of(facts)) {
    made["concerns"].push_back(concern_json(c));
  }
  return made.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace numatch::cli
