// SPDX-License-Identifier: Apache-2.0
#include "report/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace numatch::report {

result<machine_choice> choose_machine(std::string_view spec, std::size_t threads) {
  if (!spec.empty()) {
    result<topology> machine = topology::load(spec);
    if (!machine) return tl::unexpected(machine.error());
    return machine_choice{std::string(spec), "as asked", std::move(*machine)};
  }
  result<topology> live = topology::load("live");
  if (live && live->node_count() >= 2) {
    return machine_choice{"live", "this machine", std::move(*live)};
  }
  constexpr std::size_t nodes = 4;
  const std::size_t cores = std::clamp<std::size_t>((threads + nodes - 1) / nodes, 2, 64);
  const std::string stand_in = fmt::format("numa:{} core:{} pu:1", nodes, cores);
  result<topology> machine = topology::load(stand_in);
  if (!machine) return tl::unexpected(machine.error());
  return machine_choice{stand_in, "an example, because this machine has one NUMA node",
                        std::move(*machine)};
}

}  // namespace numatch::report
