// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vsearch {

/// A command line that nobody understands.
class usage_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What an option's word says; each throws usage_error when it does not.

/// A whole number above 0.
std::size_t whole(std::string_view text);
/// Three of them: A,B,C.
std::array<std::size_t, 3> three(std::string_view text);
/// One of the words that somebody has looked up.
template <class Value>
Value known(std::optional<Value> value, const char* word) {
  if (!value) throw usage_error("'" + std::string(word) + "' is none of the words");
  return *value;
}

}  // namespace vsearch
