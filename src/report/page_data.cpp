// SPDX-License-Identifier: Apache-2.0
#include "report/page_data.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "report/strip.hpp"

namespace numatch::report {

namespace {

using json = nlohmann::ordered_json;

/// A picture of more threads would be finer than a screen, and the file larger than a mail.
constexpr std::size_t most_drawn_threads = 1024;

json matrix_data(const sharing_matrix& sharing) {
  if (sharing.size() > most_drawn_threads) return nullptr;
  json cells = json::array();
  for (double cell : sharing.cells()) cells.push_back(cell);
  return cells;
}

/// PUs of a node by core: where cores branch, the PUs that differ only in the last level are one.
json machine_data(const topology& machine) {
  const std::vector<std::string>& names = machine.level_names();
  const bool smt = names.size() >= 2 && names.back() == "PU" && names[names.size() - 2] == "Core";
  std::map<unsigned, std::map<std::vector<unsigned>, std::vector<unsigned>>> cores;
  for (std::uint32_t i = 0; i < machine.pu_count(); ++i) {
    const pu_id pu(i);
    std::vector<unsigned> core = machine.path(pu);
    if (smt) core.pop_back();
    cores[machine.node_of(pu).value][core].push_back(i);
  }
  json nodes = json::array();
  for (std::uint32_t n = 0; n < machine.node_count(); ++n) {
    json list = json::array();
    for (const auto& [path, pus] : cores[n]) list.push_back(pus);
    nodes.push_back(std::move(list));
  }
  return nodes;
}

json mappings_data(const summary& s) {
  json mappings = json::array();
  for (const mapping_row& row : s.mappings.rows) {
    json pus = json::array();
    json nodes = json::array();
    for (pu_id pu : row.mapping.pu_of) {
      pus.push_back(pu.value);
      nodes.push_back(s.machine.machine.node_of(pu).value);
    }
    mappings.push_back({{"name", row.algorithm}, {"pu", pus}, {"node", nodes}});
  }
  return mappings;
}

json strip_data(const profile& p, const page_strip& strip) {
  json rows = json::array();
  for (const page_strip::row& row : strip.rows) {
    rows.push_back({fmt::format("{:#x}", row.first.value * p.page_bytes),
                    fmt::format("{:#x}", (row.last.value + 1) * p.page_bytes - 1), row.pages});
  }
  json gaps = json::array();  // rows above which at least 1 MiB of address space is unused
  for (std::size_t i = 1; i < strip.rows.size(); ++i) {
    const std::uint64_t unused = strip.rows[i].first.value - strip.rows[i - 1].last.value - 1;
    if (unused * p.page_bytes >= std::uint64_t{1} << 20) gaps.push_back(i);
  }
  json columns = json::array();
  for (const page_strip::column& c : strip.columns) columns.push_back({c.start, c.end});
  json cells = json::array();
  for (const page_strip::cell& c : strip.cells) {
    cells.push_back({c.row, c.column, c.thread.value, c.share, c.accesses, c.threads});
  }
  return {{"rows", rows}, {"gaps", gaps}, {"columns", columns}, {"cells", cells}};
}

json false_sharing_data(const profile& p, const summary& s) {
  json lines = json::array();
  for (std::size_t index : s.false_sharing) {
    json parts = json::array();
    for (const false_sharing::part& part : p.false_shares[index].parts) {
      parts.push_back({part.thread.value, fmt::format("{:016x}", part.bytes_read),
                       fmt::format("{:016x}", part.bytes_written)});
    }
    lines.push_back(std::move(parts));
  }
  return lines;
}

json order_data(const std::vector<thread_id>& order) {
  json ids = json::array();
  for (thread_id id : order) ids.push_back(id.value);
  return ids;
}

}  // namespace

std::string page_data(const profile& learned, const summary& s) {
  json names = json::array();
  for (const profiled_thread& thread : learned.threads) names.push_back(thread.name);
  const json data = {{"unit", learned.matrix_unit},
                     {"how", to_string(learned.how)},
                     {"timeUnit", learned.time_unit},
                     {"threads", names},
                     {"matrix", matrix_data(learned.sharing)},
                     {"patternOrder", order_data(s.shape.order)},
                     {"mappings", mappings_data(s)},
                     {"machine", machine_data(s.machine.machine)},
                     {"strips",
                      {{"all", strip_data(learned, draw_strip(learned, s.runs, false))},
                       {"shared", strip_data(learned, draw_strip(learned, s.runs, true))}}},
                     {"falseSharing", false_sharing_data(learned, s)}};
  std::string text;
  for (char c : data.dump(-1, ' ', true, json::error_handler_t::replace)) {
    if (c == '<' || c == '>' || c == '&') {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace numatch::report
