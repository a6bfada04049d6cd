// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include "numatch/numa/executor.hpp"

namespace numatch {
inline namespace numa_v1 {

/// The exceptions of many calls that run at the same time, one slot for each. Slots may be used at
/// the same time; rethrow() after all calls have ended.
class part_failures {
 public:
  /// None has failed yet.
  explicit part_failures(std::size_t parts) : reasons_(parts) {}

  /// Calls f() and keeps what it throws.
  template <class F>
  void guard(std::size_t part, F&& f) noexcept {
    try {
      f();
    } catch (...) {
      reasons_[part] = std::current_exception();
    }
  }

  /// Nothing when nothing failed; the exception when one did; else parts_failed.
  void rethrow() const {
    std::vector<parts_failed::failure> failures;
    for (std::size_t part = 0; part < reasons_.size(); ++part) {
      if (reasons_[part]) failures.push_back({part, reasons_[part]});
    }
    if (failures.size() == 1) std::rethrow_exception(failures.front().reason);
    if (!failures.empty()) throw parts_failed(std::move(failures));
  }

 private:
  std::vector<std::exception_ptr> reasons_;
};

}  // namespace numa_v1
}  // namespace numatch
