// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/metadata.hpp"

#include <nlohmann/json.hpp>

namespace numatch::trace {

std::string to_json(const trace_metadata& metadata) {
  const nlohmann::json text = {{"frontend", metadata.frontend},
                               {"command", metadata.command},
                               {"filter", metadata.filter},
                               {"counts_instructions", metadata.counts_instructions},
                               {"extra", metadata.extra}};
  return text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

result<trace_metadata> metadata_from_json(std::string_view text, const std::string& where) {
  const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return fail(where, "the metadata is not JSON");
  try {
    trace_metadata metadata;
    parsed.at("frontend").get_to(metadata.frontend);
    parsed.at("command").get_to(metadata.command);
    parsed.at("filter").get_to(metadata.filter);
    parsed.at("counts_instructions").get_to(metadata.counts_instructions);
    parsed.at("extra").get_to(metadata.extra);
    return metadata;
  } catch (const nlohmann::json::exception& wrong) {
    return fail(where, fmt::format("the metadata is incomplete: {}", wrong.what()));
  }
}

}  // namespace numatch::trace
