// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mapping/engine/cut_scales.hpp"

namespace numatch::engine {

/// So few vertices have so few sides that all of them are looked at.
inline constexpr std::size_t few_to_cut = 8;

/// Leaves the best of all sides a of size_a of a set of at most `few_to_cut` in its `side`; of
/// those that are equally good, one by chance. Wants rows.
void cut_few(cut_scale& set, std::size_t size_a, random_source& random);

}  // namespace numatch::engine
