// SPDX-License-Identifier: Apache-2.0
#include "command_words.hpp"

#include <algorithm>
#include <charconv>

namespace vsearch {

std::size_t whole(std::string_view text) {
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value == 0) {
    throw usage_error("'" + std::string(text) + "' is no positive number");
  }
  return value;
}

std::array<std::size_t, 3> three(std::string_view text) {
  const std::string all(text);
  std::array<std::size_t, 3> found{};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t end = i + 1 < found.size() ? text.find(',') : text.size();
    if (end == std::string_view::npos)
      throw usage_error("'" + all + "' is not three numbers A,B,C");
    found[i] = whole(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

}  // namespace vsearch
