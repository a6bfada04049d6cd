// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "base/result.hpp"

namespace numatch::cli {

/// The terminal, as the verbs see it. Results go to standard output, everything else to standard
/// error.
class console {
 public:
  explicit console(bool quiet) : quiet_(quiet) {}
  /// Standard error is a terminal and the user did not ask for silence: progress may be drawn.
  bool shows_progress() const;
  /// Replaces the progress line; nothing happens where shows_progress() is false.
  void progress(std::string_view text);
  void clear_progress();
  void out(std::string_view text);
  /// A note that is no result: "numatch: text".
  void note(std::string_view text);
  void problem(const error& e);

 private:
  bool quiet_ = false;
  bool drawn_ = false;
};

}  // namespace numatch::cli
