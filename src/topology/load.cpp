// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/suggest.hpp"
#include "topology/builder.hpp"
#include "topology/from_description.hpp"
#include "topology/from_hwloc.hpp"
#include "topology/machine_folders.hpp"
#include "topology/topology.hpp"

namespace numatch {

namespace fs = std::filesystem;

namespace {

std::string what_a_spec_is() {
  return fmt::format(
      "a machine is 'live', a name ({}), an hwloc synthetic string like 'numa:4 core:2 pu:1', or "
      "the path of an hwloc XML or machine .toml file",
      fmt::join(machine_names(), ", "));
}

/// Synthetic strings have a number in every level ("numa:4", "4 2").
bool looks_synthetic(std::string_view spec) {
  const bool has_level = spec.find(':') != std::string_view::npos;
  const bool starts_with_number = std::isdigit(static_cast<unsigned char>(spec.front())) != 0;
  return has_level || starts_with_number;
}

bool looks_like_a_path(std::string_view spec) {
  std::error_code ignored;
  return spec.find('/') != std::string_view::npos || spec.ends_with(".xml") ||
         spec.ends_with(".toml") || fs::exists(fs::path(spec), ignored);
}

result<topology_parts> parts_of(std::string_view spec) {
  if (spec == "live") return live_parts();
  if (const std::optional<fs::path> file = find_machine(spec); file) {
    return description_parts(*file);
  }
  if (!spec.empty() && looks_like_a_path(spec)) {
    const fs::path path(spec);
    return path.extension() == ".toml" ? description_parts(path) : xml_parts(path);
  }
  if (!spec.empty() && looks_synthetic(spec)) {
    result<topology_parts> parts = synthetic_parts(std::string(spec));
    if (!parts) return fail(parts.error().where, parts.error().what, what_a_spec_is());
    return parts;
  }
  const std::vector<std::string> names = machine_names();
  std::vector<std::string_view> known(names.begin(), names.end());
  known.emplace_back("live");
  const std::string near = nearest_name(spec, known);
  const std::string question = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
  return fail("", fmt::format("unknown machine '{}'", spec), question + what_a_spec_is());
}

}  // namespace

result<topology> topology::load(std::string_view spec) {
  result<topology_parts> parts = parts_of(spec);
  if (!parts) return tl::unexpected(parts.error());
  if (parts->name.empty()) parts->name = spec;
  return topology_builder::build(std::move(*parts));
}

}  // namespace numatch
