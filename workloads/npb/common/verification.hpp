// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdio>

#include "npb/common/problem.hpp"

namespace npb {

/// Compares results with the official values, one line each, and says at the end whether all hold.
class verification {
 public:
  explicit verification(const problem& of) : of_(of) {}

  /// Right where the relative difference is at most `tolerance`; a result that is no number is
  /// wrong.
  void check(const char* what, double is, double official, double tolerance) {
    const double off = std::fabs((is - official) / official);
    const bool right = off <= tolerance;
    std::printf("  %-24s %22.14e  official %22.14e  off by %.1e%s\n", what, is, official, off,
                right ? "" : "  WRONG");
    if (!right) ++wrong_;
  }

  /// A property that holds or not, such as sorted keys.
  void check(const char* what, std::size_t wrong) {
    std::printf("  %-24s %s", what, wrong == 0 ? "right\n" : "");
    if (wrong != 0) std::printf("%zu are WRONG\n", wrong);
    if (wrong != 0) ++wrong_;
  }

  /// The last line, and the program's exit code.
  int result() const {
    std::printf("%s: class %c, %u threads: %s\n", of_.name, of_.size, of_.threads,
                wrong_ == 0 ? "verified" : "NOT verified");
    return wrong_ == 0 ? 0 : 1;
  }

 private:
  problem of_;
  unsigned wrong_ = 0;
};

}  // namespace npb
