// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace numatch {

/// What a key of a machine description holds.
enum class fact_kind { word, count, quantity, distances };

/// One known key: where it stands, what it holds, the units it may have.
struct known_fact {
  std::string_view key;  ///< "cache.l1.size"
  fact_kind kind;
  std::span<const std::string_view> units;       ///< empty: no unit
  std::span<const std::string_view> words = {};  ///< of a word; empty: any text
  bool may_be_zero = false;                      ///< of a count or quantity
};

/// No number of a description is larger.
inline constexpr double largest_fact = 1e9;

/// Every key that a description may have (docs/machines.md explains them).
std::span<const known_fact> known_facts();

/// Null for an unknown key.
const known_fact* find_known_fact(std::string_view key);

/// "did you mean 'cache.l2.size'?" or where the keys are explained; `also` are known too.
std::string suggest_key(std::string_view key, std::span<const std::string_view> also = {});

// What a fact must be like; each gives an error without a place.
result<void> check_unit(const known_fact& known, std::string_view unit);
result<void> check_word(const known_fact& known, std::string_view word);
result<void> check_number(const known_fact& known, double value);

}  // namespace numatch
