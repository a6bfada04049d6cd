// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace numatch {

/// What a key of a machine description holds.
enum class fact_kind { word, count, quantity, distances };

/// One known key: where it stands, what it holds, the units it may have.
struct known_fact {
  std::string_view key;  ///< "cache.l1.size"
  fact_kind kind;
  std::span<const std::string_view> units;  ///< empty: no unit
};

/// Every key that a description may have (docs/machines.md explains them).
std::span<const known_fact> known_facts();

/// Null for an unknown key.
const known_fact* find_known_fact(std::string_view key);

}  // namespace numatch
