// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bench/mapping/instances.hpp"
#include "bench/mapping/options.hpp"

namespace numatch::bench {

/// The options that choose instances, for the list of a mode.
inline constexpr option_text sizes_option = {"--sizes", "N,N", "numbers of threads (32,64)"};
inline constexpr option_text families_option = {"--families", "NAME,NAME", "patterns (all)"};
inline constexpr option_text machines_option = {"--machines", "NAME,NAME",
                                                "machines (those of the table for each size)"};
inline constexpr option_text seed_option = {"--seed", "N", "seed of the instances (1)"};
inline constexpr option_text captures_option = {
    "--captures", "", "instead of these: the matrices captured from real programs"};

/// The instances that the options ask for, in the order of the table. Without --machines a size
/// must be one of the table.
result<std::vector<instance>> chosen_instances(const options& given);

}  // namespace numatch::bench
