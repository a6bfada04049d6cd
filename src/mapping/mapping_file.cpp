// SPDX-License-Identifier: Apache-2.0
#include "mapping/mapping_file.hpp"

#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"

namespace numatch {

namespace {

using json = nlohmann::ordered_json;

json pages_to_json(const page_placement& pages, bool with_runs) {
  json out;
  out["policy"] = to_string(pages.policy);
  out["page_bytes"] = pages.page_bytes;
  out["pages_on_node"] = pages.pages_on_node;
  out["local_mapped"] = pages.local_mapped;
  out["local_first_touch"] = pages.local_first_touch;
  out["local_interleave"] = pages.local_interleave;
  if (!with_runs) return out;
  json runs = json::array();
  for (const placed_run& run : pages.runs) {
    runs.push_back({run.first_page.value, run.pages, run.node.value});
  }
  out["runs"] = std::move(runs);
  return out;
}

json compared_to_json(const std::vector<compared_algorithm>& compared) {
  json rows = json::array();
  for (const compared_algorithm& row : compared) {
    json out;
    out["algorithm"] = row.algorithm;
    if (row.answer) {
      out["cost"] = row.answer->cost;
      out["share_in_node"] = row.share_in_node;
      out["cpu_seconds"] = row.answer->cpu_seconds;
      out["gain"] = row.answer->gain;
      out["moved"] = row.answer->moved;
    } else {
      out["no_answer"] = row.problem;
    }
    out["capacity_kept"] = row.answer.has_value();
    rows.push_back(std::move(out));
  }
  return rows;
}

tl::unexpected<error> no_mapping(const std::filesystem::path& path, std::string what) {
  return fail(path.string(), std::move(what), "write a mapping with `numatch map … -o FILE`");
}

/// The array "mapping": one PU number per thread.
result<thread_mapping> read_places(const std::filesystem::path& path, const json& root) {
  const auto found = root.find("mapping");
  if (found == root.end() || !found->is_array()) {
    return no_mapping(path, "has no list 'mapping'");
  }
  if (found->empty()) return no_mapping(path, "maps no thread");
  thread_mapping mapping;
  for (const json& place : *found) {
    if (!place.is_number_unsigned() || place.get<std::uint64_t>() > 0xffffffffU) {
      return no_mapping(path, fmt::format("'mapping' has {}, which is no PU number", place.dump()));
    }
    mapping.pu_of.emplace_back(place.get<std::uint32_t>());
  }
  return mapping;
}

result<std::optional<page_placement>> read_pages(const std::filesystem::path& path,
                                                 const json& root) {
  const auto found = root.find("pages");
  if (found == root.end()) return std::nullopt;
  const json policy = found->is_object() ? found->value("policy", json()) : json();
  page_placement pages;
  if (policy == "interleave") {
    pages.policy = page_policy::interleave;
  } else if (policy != "local") {
    return no_mapping(path, "'pages.policy' must be 'local' or 'interleave'");
  }
  return pages;
}

}  // namespace

std::string mapping_to_json(const saved_mapping& mapping, bool with_page_runs) {
  json out;
  out["algorithm"] = mapping.answer.algorithm;
  out["cost"] = mapping.answer.cost;
  out["seconds"] = mapping.answer.seconds;
  out["cpu_seconds"] = mapping.answer.cpu_seconds;
  out["gain"] = mapping.answer.gain;
  out["moved"] = mapping.answer.moved;
  json places = json::array();
  for (const pu_id pu : mapping.answer.mapping.pu_of) places.push_back(pu.value);
  out["mapping"] = std::move(places);
  json nodes = json::array();
  for (const node_id node : mapping.nodes) nodes.push_back(node.value);
  out["nodes"] = std::move(nodes);
  out["machine"] = mapping.machine;
  out["share_in_node"] = mapping.share_in_node;
  if (mapping.pages) out["pages"] = pages_to_json(*mapping.pages, with_page_runs);
  if (!mapping.compared.empty()) out["compared"] = compared_to_json(mapping.compared);
  std::string text = "{\n";
  for (const auto& [key, value] : out.items()) {
    text += fmt::format("{}  {}: {}", text.size() > 2 ? ",\n" : "", json(key).dump(), value.dump());
  }
  return text + "\n}\n";
}

result<saved_mapping> read_mapping(const std::filesystem::path& path) {
  const result<std::string> text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  const json root = json::parse(*text, nullptr, false);
  if (root.is_discarded() || !root.is_object()) return no_mapping(path, "is not a JSON object");
  saved_mapping mapping;
  const result<thread_mapping> places = read_places(path, root);
  if (!places) return tl::unexpected(places.error());
  mapping.answer.mapping = *places;
  const result<std::optional<page_placement>> pages = read_pages(path, root);
  if (!pages) return tl::unexpected(pages.error());
  mapping.pages = *pages;
  const json machine = root.value("machine", json());
  if (machine.is_string()) mapping.machine = machine.get<std::string>();
  const json algorithm = root.value("algorithm", json());
  if (algorithm.is_string()) mapping.answer.algorithm = algorithm.get<std::string>();
  return mapping;
}

}  // namespace numatch
