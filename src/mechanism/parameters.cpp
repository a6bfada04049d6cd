// SPDX-License-Identifier: Apache-2.0
#include "mechanism/parameters.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/suggest.hpp"

namespace numatch {

namespace {

tl::unexpected<error> bad_value(std::string_view name, std::string_view value, std::string wanted) {
  return fail(fmt::format("parameter {}", name), fmt::format("'{}' is not {}", value, wanted));
}

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number value{};
  const std::from_chars_result parsed =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

result<parameter_set> parameter_set::make(std::span<const parameter> declared,
                                          const std::map<std::string, std::string>& given) {
  parameter_set set;
  std::vector<std::string_view> known;
  for (const parameter& p : declared) {
    set.values_.emplace(p.name, p.fallback);
    known.push_back(p.name);
  }
  for (const auto& [name, value] : given) {
    const auto place = set.values_.find(name);
    if (place == set.values_.end()) {
      return fail("", fmt::format("unknown parameter '{}'", name),
                  known.empty() ? "there are none" : suggest(name, known));
    }
    place->second = value;
  }
  return set;
}

const std::string& parameter_set::text(std::string_view name) const {
  const auto place = values_.find(std::string(name));
  if (place == values_.end()) {
    throw std::logic_error(fmt::format("parameter {} is not declared", name));
  }
  return place->second;
}

result<std::uint64_t> parameter_set::whole(std::string_view name, std::uint64_t low,
                                           std::uint64_t high) const {
  const std::string_view value = text(name);
  const std::optional<std::uint64_t> number = parse<std::uint64_t>(value);
  if (!number || *number < low || *number > high) {
    return bad_value(name, value, fmt::format("a whole number from {} to {}", low, high));
  }
  return *number;
}

result<double> parameter_set::real(std::string_view name, double low, double high) const {
  const std::string_view value = text(name);
  const std::optional<double> number = parse<double>(value);
  if (!number || !std::isfinite(*number) || *number < low || *number > high) {
    return bad_value(name, value, fmt::format("a number from {} to {}", low, high));
  }
  return *number;
}

result<bool> parameter_set::flag(std::string_view name) const {
  const std::string_view value = text(name);
  for (const std::string_view yes : {"yes", "true", "on", "1"}) {
    if (value == yes) return true;
  }
  for (const std::string_view no : {"no", "false", "off", "0"}) {
    if (value == no) return false;
  }
  return bad_value(name, value, "yes or no");
}

result<std::string> parameter_set::word(std::string_view name,
                                        std::span<const std::string_view> known) const {
  const std::string_view value = text(name);
  for (const std::string_view candidate : known) {
    if (value == candidate) return std::string(value);
  }
  return fail(fmt::format("parameter {}", name), fmt::format("unknown word '{}'", value),
              suggest(value, known));
}

}  // namespace numatch
