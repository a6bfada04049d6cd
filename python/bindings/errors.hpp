// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/result.hpp"

namespace numatch::python {

/// Raises numatch.NumatchError with the parts of the error. Needs the interpreter's lock.
[[noreturn]] void raise(const error& problem);

/// The value, or numatch.NumatchError. Needs the interpreter's lock.
template <class T>
T take(result<T> found) {
  if (!found) raise(found.error());
  if constexpr (!std::is_void_v<T>) return *std::move(found);
}

}  // namespace numatch::python
