// SPDX-License-Identifier: Apache-2.0
#include "report/json.hpp"

#include <nlohmann/json.hpp>

#include "report/format.hpp"

namespace numatch::report {

namespace {

using json = nlohmann::ordered_json;

json ids(const std::vector<thread_id>& list) {
  json out = json::array();
  for (thread_id id : list) out.push_back(id.value);
  return out;
}

json program_json(const profile& p) {
  return {{"command", p.command},         {"mechanism", p.mechanism},
          {"frontend", p.frontend},       {"how", to_string(p.how)},
          {"matrix_unit", p.matrix_unit}, {"time_unit", p.time_unit},
          {"page_bytes", p.page_bytes},   {"total_accesses", p.total_accesses}};
}

json verdict_json(const worth& v) {
  return {{"worth", to_string(v.kind)},
          {"headline", v.headline},
          {"threads", v.threads},
          {"pages", v.pages},
          {"remarks", v.remarks},
          {"volume", v.volume},
          {"thread_gain", v.thread_gain},
          {"page_gain", v.page_gain},
          {"limits",
           {{"volume", worth::least_volume},
            {"thread_gain", worth::least_thread_gain},
            {"page_gain", worth::least_page_gain}}}};
}

json shape_json(const sharing_shape& shape) {
  json measures = json::object();
  for (const shape_measure& m : shape.measures) {
    measures[std::string(m.key)] = {{"value", m.value},
                                    {m.below ? "below" : "at_least", m.limit},
                                    {"met", m.met()},
                                    {"for", m.word}};
  }
  json groups = json::array();
  for (const std::vector<thread_id>& group : shape.groups) groups.push_back(ids(group));
  return {{"kind", to_string(shape.kind)}, {"words", shape.words},
          {"sentence", shape.sentence},    {"taking_part", ids(shape.taking_part)},
          {"order", ids(shape.order)},     {"groups", groups},
          {"measures", measures}};
}

json threads_json(const profile& p, const summary& s) {
  json threads = json::array();
  for (const thread_summary& t : s.threads) {
    json partners = json::array();
    for (const partner& other : t.partners) {
      partners.push_back(
          {{"thread", other.thread.value}, {"amount", other.amount}, {"share", other.share}});
    }
    const profiled_thread& thread = p.threads[t.id.index()];
    threads.push_back({{"thread", t.id.value},
                       {"os_tid", thread.os_tid},
                       {"name", thread.name},
                       {"accesses", t.accesses},
                       {"share_of_accesses", t.share_of_accesses},
                       {"instructions", thread.instructions},
                       {"shared_accesses", t.shared_accesses},
                       {"shared_share", t.shared_share},
                       {"foreign_share", t.foreign_share},
                       {"sharing", t.sharing},
                       {"partners", partners}});
  }
  return threads;
}

json matrix_json(const sharing_matrix& sharing) {
  json rows = json::array();
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    json row = json::array();
    for (std::size_t j = 0; j < sharing.size(); ++j) row.push_back(sharing.at(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

json pages_json(const summary& s) {
  if (!s.pages_known) return nullptr;
  const exclusivity& e = s.pages;
  return {
      {"exclusivity_level", e.level},
      {"private", {{"pages", e.pages_private}, {"accesses", e.accesses_private}}},
      {"shared_read_only", {{"pages", e.pages_read_shared}, {"accesses", e.accesses_read_shared}}},
      {"shared_written", {{"pages", e.pages_write_shared}, {"accesses", e.accesses_write_shared}}},
      {"exclusivity_histogram",
       {{"upper_bounds", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}},
        {"pages", e.pages},
        {"share_of_accesses", e.share_of_accesses}}}};
}

json mappings_json(const summary& s) {
  json rows = json::array();
  for (const mapping_row& row : s.mappings.rows) {
    json pus = json::array();
    json nodes = json::array();
    for (pu_id pu : row.mapping.pu_of) {
      pus.push_back(pu.value);
      nodes.push_back(s.machine.machine.node_of(pu).value);
    }
    json local = nullptr;
    if (s.pages_known) {
      local = {{"best", row.local_best},
               {"first_use", row.local_first_use},
               {"interleave", s.mappings.local_interleave}};
    }
    rows.push_back({{"algorithm", row.algorithm},
                    {"draws", row.draws},
                    {"cost", row.cost},
                    {"share_in_node", row.share_in_node},
                    {"local_accesses", local},
                    {"mapping", pus},
                    {"nodes", nodes}});
  }
  return {{"machine",
           {{"topology", s.machine.spec},
            {"reason", s.machine.reason},
            {"nodes", s.machine.machine.node_count()},
            {"pus", s.machine.machine.pu_count()}}},
          {"how", "calculated"},
          {"algorithms", rows},
          {"failed", s.mappings.failed}};
}

json objects_json(const profile& p, const summary& s) {
  json objects = json::array();
  for (const object_summary& o : s.objects) {
    const data_object& object = p.objects[o.index];
    objects.push_back({{"kind", to_string(object.kind)},
                       {"name", object.name},
                       {"function", object.function},
                       {"file", object.file},
                       {"line", object.line},
                       {"bytes", object.bytes},
                       {"blocks", object.blocks},
                       {"accesses", object.accesses},
                       {"shared_accesses", o.shared_accesses},
                       {"share", o.share},
                       {"shared_pages", object.shared_pages},
                       {"threads", ids(o.threads)}});
  }
  return objects;
}

json false_sharing_json(const profile& p, const summary& s) {
  json lines = json::array();
  for (std::size_t index : s.false_sharing) {
    const false_sharing& line = p.false_shares[index];
    json parts = json::array();
    for (const false_sharing::part& part : line.parts) {
      parts.push_back({{"thread", part.thread.value},
                       {"accesses", part.accesses},
                       {"bytes_read", byte_ranges(part.bytes_read)},
                       {"bytes_written", byte_ranges(part.bytes_written)}});
    }
    json object = nullptr;
    if (line.object >= 0) object = p.objects[static_cast<std::size_t>(line.object)].name;
    lines.push_back({{"address", fmt::format("{:#x}", line.line_address)},
                     {"object", object},
                     {"accesses", line.accesses},
                     {"writes", line.writes},
                     {"threads", parts}});
  }
  return lines;
}

}  // namespace

std::string json_report(const profile& learned, const summary& s) {
  const json report = {{"format", "numatch-report"},
                       {"version", 1},
                       {"program", program_json(learned)},
                       {"verdict", verdict_json(s.verdict)},
                       {"shape", shape_json(s.shape)},
                       {"threads", threads_json(learned, s)},
                       {"sharing", matrix_json(learned.sharing)},
                       {"pages", pages_json(s)},
                       {"mappings", mappings_json(s)},
                       {"objects", objects_json(learned, s)},
                       {"false_sharing", false_sharing_json(learned, s)}};
  return report.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace numatch::report
