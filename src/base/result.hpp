// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace numatch {

/// What went wrong, for a person: one line `what`, where it happened and what to do about it.
/// A library room returns it; only the command line prints it, as "numatch: WHERE: WHAT; HINT".
struct error {
  std::string what;   ///< "chunk is cut off after 120 of 4096 bytes"
  std::string where;  ///< file, file and offset, process, option; may be empty
  std::string hint;   ///< what the person can do; may be empty

  std::string message() const {
    std::string text = where.empty() ? what : where + ": " + what;
    return hint.empty() ? text : text + "; " + hint;
  }
};

/// Three ways to use it:
///   if (!r) return tl::unexpected(r.error());      // pass it on
///   const T& value = *r;                            // after the check
///   r.value_or(fallback)                            // where a default is right
template <class T>
using result = tl::expected<T, error>;

/// `return fail(path, "is a directory", "name a trace file");`
inline tl::unexpected<error> fail(std::string where, std::string what, std::string hint = {}) {
  return tl::unexpected<error>(error{std::move(what), std::move(where), std::move(hint)});
}

}  // namespace numatch
