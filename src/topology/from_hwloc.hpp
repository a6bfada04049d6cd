// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "topology/builder.hpp"

namespace numatch {

/// The machine that this process runs on, without what its cgroup forbids.
result<topology_parts> live_parts();
/// An hwloc synthetic string: "numa:4 core:2 pu:1".
result<topology_parts> synthetic_parts(const std::string& text);
/// A file written by `lstopo machine.xml` or hwloc_topology_export_xml().
result<topology_parts> xml_parts(const std::filesystem::path& path);

}  // namespace numatch
