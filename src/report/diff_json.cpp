// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/diff.hpp"

namespace numatch::report {

namespace {

using json = nlohmann::ordered_json;

json side_json(const diff_side& side) {
  json level = nullptr;
  if (side.pages_known) level = side.exclusivity_level;
  return {{"profile", side.name},
          {"command", side.command},
          {"mechanism", side.mechanism},
          {"frontend", side.frontend},
          {"how", side.how},
          {"threads", side.threads},
          {"total_accesses", side.accesses},
          {"shape", {{"kind", to_string(side.shape.kind)}, {"words", side.shape.words}}},
          {"volume", side.volume},
          {"exclusivity_level", level}};
}

json rows_json(const std::vector<diff_row>& rows) {
  json list = json::array();
  for (const diff_row& row : rows) list.push_back({{"name", row.name}, {"a", row.a}, {"b", row.b}});
  return list;
}

}  // namespace

std::string json_diff(const profile_diff& d) {
  json correlation = nullptr;
  if (d.a.threads == d.b.threads) correlation = d.correlation;
  json pages = nullptr;
  if (d.pages_comparable) {
    pages = {{"both", d.pages_both},
             {"only_a", d.pages_only_a},
             {"only_b", d.pages_only_b},
             {"other_main_thread", d.pages_moved},
             {"other_main_thread_accesses", d.moved_accesses}};
  }
  const json report = {{"format", "numatch-diff"},
                       {"version", 1},
                       {"alike", d.alike},
                       {"reason", d.reason},
                       {"correlation", correlation},
                       {"limit", d.limit},
                       {"a", side_json(d.a)},
                       {"b", side_json(d.b)},
                       {"pages", pages},
                       {"threads",
                        {{"share_of_accesses", rows_json(d.thread_accesses)},
                         {"share_of_sharing", rows_json(d.thread_sharing)}}},
                       {"objects", rows_json(d.objects)}};
  return report.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace numatch::report
