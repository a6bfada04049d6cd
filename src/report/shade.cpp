// SPDX-License-Identifier: Apache-2.0
#include "report/shade.hpp"

namespace numatch::report {

std::string_view shade(double share_of_highest) {
  if (share_of_highest <= 0) return " ";
  if (share_of_highest < 0.05) return "·";
  if (share_of_highest < 0.25) return "░";
  if (share_of_highest < 0.5) return "▒";
  if (share_of_highest < 0.75) return "▓";
  return "█";
}

}  // namespace numatch::report
