// SPDX-License-Identifier: Apache-2.0
#include "layouts.hpp"

namespace vsearch {

std::optional<layout> layout_named(std::string_view word) {
  if (word == "flat") return layout::flat;
  if (word == "interleaved") return layout::interleaved;
  if (word == "replicated") return layout::replicated;
  if (word == "partitioned") return layout::partitioned;
  return std::nullopt;
}

}  // namespace vsearch
