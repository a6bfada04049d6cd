// SPDX-License-Identifier: Apache-2.0
#include "sim/result.hpp"

namespace numatch::sim {

std::string_view to_string(traffic why) {
  switch (why) {
    case traffic::request:
      return "requests";
    case traffic::forward:
      return "forwards";
    case traffic::invalidation:
      return "invalidations";
    case traffic::data:
      return "data";
    case traffic::write_back:
      return "write-backs";
    case traffic::page_copy:
      return "page copies";
    case traffic::table:
      return "mechanism's tables";
  }
  return "?";
}

}  // namespace numatch::sim
