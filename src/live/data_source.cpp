// SPDX-License-Identifier: Apache-2.0
#include "live/data_source.hpp"

namespace numatch::live {

std::string_view to_string(data_source where) {
  switch (where) {
    case data_source::unknown:
      return "unknown";
    case data_source::core_cache:
      return "core's caches";
    case data_source::shared_cache:
      return "shared cache";
    case data_source::remote_cache:
      return "remote cache";
    case data_source::local_memory:
      return "local memory";
    case data_source::remote_memory:
      return "remote memory";
    case data_source::other:
      return "devices";
  }
  return "";
}

source_counts known_shares(const source_counts& counts) {
  source_counts shares{};
  double known = 0;
  for (std::size_t i = 1; i < counts.size(); ++i) known += counts[i];
  for (std::size_t i = 1; i < counts.size() && known > 0; ++i) shares[i] = counts[i] / known;
  return shares;
}

}  // namespace numatch::live
