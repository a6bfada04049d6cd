// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/read_config.hpp"
#include "topology/set_facts.hpp"

namespace numatch::sim {

using settings = std::map<std::string, std::string>;

/// The simulated machine of a SPEC with facts of one's own.
inline result<machine_config> config_of(const std::string& spec, const settings& set = {}) {
  const result<topology> machine = topology::load(spec);
  if (!machine) return tl::unexpected(machine.error());
  const result<topology> changed = set_facts(*machine, set);
  if (!changed) return tl::unexpected(changed.error());
  return read_config(*changed);
}

inline machine_config good(const std::string& spec, const settings& set = {}) {
  result<machine_config> config = config_of(spec, set);
  EXPECT_TRUE(config) << spec << ": " << (config ? "" : config.error().message());
  return config ? *config : machine_config{};
}

/// The error, or "no error".
inline std::string message_of(const std::string& spec, const settings& set = {}) {
  const result<machine_config> config = config_of(spec, set);
  return config ? "no error" : config.error().message();
}

}  // namespace numatch::sim
