// SPDX-License-Identifier: Apache-2.0
#include "cli/source_text.hpp"

#include <fmt/format.h>

namespace numatch::cli {

std::string source_text(const live::source_counts& counts) {
  const live::source_counts shares = live::known_shares(counts);
  std::string text;
  for (std::size_t source = 1; source < shares.size(); ++source) {
    if (shares[source] == 0) continue;
    text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ",
                        to_string(static_cast<live::data_source>(source)), 100 * shares[source]);
  }
  return text;
}

}  // namespace numatch::cli
