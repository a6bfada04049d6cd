// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/top_screen.hpp"

namespace numatch::cli {

namespace {

using json = nlohmann::ordered_json;

json thread_json(const live::pictured_thread& thread) {
  json made{{"task", thread.seen.task},
            {"name", thread.seen.name},
            {"state", std::string(1, thread.seen.state)},
            {"cpu", thread.seen.cpu},
            {"node", nullptr},
            {"cpu_share", nullptr},
            {"uses", thread.uses},
            {"uses_of_known_place", thread.placed_uses},
            {"local_uses", thread.local_uses},
            {"pages_on", thread.pages_on}};
  if (thread.seen.node) made["node"] = *thread.seen.node;
  if (thread.cpu_share) made["cpu_share"] = *thread.cpu_share;
  return made;
}

json sensing_json(const live::pictured_sensing& sensing) {
  const live::sensing_totals& totals = sensing.totals;
  json made{{"sensor", nullptr},
            {"sees", sensing.sees},
            {"note", sensing.note},
            {"evidence", "sampled"},
            {"uses_lost", totals.lost},
            {"pages_watched", totals.watched_pages},
            {"pages_never_sensed", totals.never_sensed},
            {"estimated_cost_share", 0.0}};
  if (!sensing.sensor.empty()) made["sensor"] = sensing.sensor;
  if (totals.program_time != 0) {
    made["estimated_cost_share"] = totals.cost / static_cast<double>(totals.program_time);
  }
  return made;
}

/// Names of threads may be any bytes.
std::string written(const json& made) {
  return made.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string top_json(const live::program_picture& picture) {
  json made{{"pid", picture.places.pid},
            {"name", picture.places.name},
            {"seconds", picture.seconds},
            {"bytes", picture.places.bytes},
            {"local_bytes", picture.places.local_bytes},
            {"sensing", sensing_json(picture.sensing)}};
  made["nodes"] = json::array();
  for (const live::node_share& share : picture.places.nodes) {
    made["nodes"].push_back(
        {{"node", share.node}, {"threads", share.threads}, {"bytes", share.bytes}});
  }
  made["threads"] = json::array();
  for (const live::pictured_thread& thread : picture.threads) {
    made["threads"].push_back(thread_json(thread));
  }
  made["sharing"] = json::array();
  for (std::size_t i = 0; i < picture.sharing.size(); ++i) {
    json row = json::array();
    for (std::size_t j = 0; j < picture.sharing.size(); ++j)
      row.push_back(picture.sharing.at(i, j));
    made["sharing"].push_back(std::move(row));
  }
  return written(made);
}

std::string top_json(const live::machine_picture& picture) {
  json made{{"nodes", picture.nodes}, {"hidden", picture.hidden}, {"programs", json::array()}};
  for (const live::program_row& row : picture.programs) {
    made["programs"].push_back({{"pid", row.pid},
                                {"name", row.name},
                                {"threads", row.threads},
                                {"bytes", row.bytes},
                                {"remote_bytes", row.remote_bytes},
                                {"even_share", row.even_share}});
  }
  return written(made);
}

}  // namespace numatch::cli
