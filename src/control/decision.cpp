// SPDX-License-Identifier: Apache-2.0
#include "control/decision.hpp"

namespace numatch::control {

std::string_view to_string(deed what) {
  switch (what) {
    case deed::stayed:
      return "stayed";
    case deed::moved:
      return "moved";
    case deed::would_move:
      return "would move";
    case deed::kept:
      return "kept";
    case deed::took_back:
      break;
  }
  return "took back";
}

}  // namespace numatch::control
