// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "base/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace numatch {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows are enough for the optimal string alignment distance.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest_name(std::string_view word, std::span<const std::string_view> known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(word, name);
    const bool prefix = word.size() >= 3 && name.starts_with(word);
    if (distance < best_distance || (prefix && best.empty())) {
      best_distance = std::min(distance, best_distance);
      best = name;
    }
  }
  return best;
}

std::string suggest(std::string_view word, std::span<const std::string_view> known) {
  const std::string near = nearest_name(word, known);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  return fmt::format("known: {}", fmt::join(known, ", "));
}

}  // namespace numatch
