// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "live/system_facts.hpp"

namespace numatch::live {

/// Something of this machine that helps or hinders placing a program's threads and pages.
struct concern {
  std::string name;      ///< "NUMA Balancing"
  std::string state;     ///< "on", "off", "2 of 8 processors"
  bool matters = false;  ///< it may interfere
  std::string says;      ///< what that means, one sentence without its full stop; may be empty
  std::string remedy;    ///< what a person can do about it; may be empty
};

/// In a fixed order, all of them, those that do not matter included.
std::vector<concern> concerns_of(const system_facts& here);

}  // namespace numatch::live
