// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace numatch {

/// A parameter as it is declared, checked, documented and printed.
struct parameter {
  std::string_view name;
  std::string_view fallback;  ///< the paper's value, as text
  std::string_view unit;      ///< "entries", "ms", "" for a plain number or a word
  std::string_view help;
  std::string_view source;  ///< paper and section or equation
};

/// Checked values: every declared parameter has one.
class parameter_set {
 public:
  /// `given` overrides the declared defaults; an unknown name is an error that suggests the nearest
  /// one.
  static result<parameter_set> make(std::span<const parameter> declared,
                                    const std::map<std::string, std::string>& given);
  const std::map<std::string, std::string>& values() const { return values_; }
  /// A whole number in low..high; "4 Ki" style units are not understood.
  result<std::uint64_t> whole(std::string_view name, std::uint64_t low, std::uint64_t high) const;
  /// A finite number in low..high.
  result<double> real(std::string_view name, double low, double high) const;
  /// yes, no, true, false, on, off, 1 or 0.
  result<bool> flag(std::string_view name) const;
  /// One of the known words; else an error that suggests the nearest one.
  result<std::string> word(std::string_view name, std::span<const std::string_view> known) const;

 private:
  const std::string& text(std::string_view name) const;
  std::map<std::string, std::string> values_;
};

/// Reads many parameters into a plain struct and keeps the first error for the end.
class parameter_reader {
 public:
  explicit parameter_reader(const parameter_set& values) : values_(values) {}
  std::uint64_t whole(std::string_view name, std::uint64_t low, std::uint64_t high) {
    return keep(values_.whole(name, low, high));
  }
  double real(std::string_view name, double low, double high) {
    return keep(values_.real(name, low, high));
  }
  bool flag(std::string_view name) { return keep(values_.flag(name)); }
  std::string word(std::string_view name, std::span<const std::string_view> known) {
    return keep(values_.word(name, known));
  }
  const std::optional<error>& problem() const { return problem_; }

 private:
  template <class T>
  T keep(result<T> value) {
    if (value) return *std::move(value);
    if (!problem_) problem_ = std::move(value).error();
    return T{};
  }
  const parameter_set& values_;
  std::optional<error> problem_;
};

}  // namespace numatch
