// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"

namespace numatch {

/// What an operating system decides by itself: where threads and pages start. Nothing is detected
/// and nothing moves later. A world without a machine is asked for nothing.
class start_policy : public mechanism {
 public:
  struct choice {
    std::optional<page_placing> pages{};  ///< nullopt: as the world does it anyway
    std::optional<thread_placing> threads{};
  };
  explicit start_policy(const choice& chosen) : chosen_(chosen) {}

  void on_begin(world& where) override {
    if (where.machine() == nullptr) return;
    if (chosen_.pages) where.place_new_pages(*chosen_.pages);
    if (chosen_.threads) where.place_new_threads(*chosen_.threads);
  }
  sharing_matrix sharing() const override { return {}; }

 private:
  choice chosen_;
};

/// For mechanisms that keep no thread ids.
inline constexpr std::size_t any_number_of_threads = 0xffffffff;

/// What the entries of mechanisms that only say where threads, or pages, start have in common.
namespace start_entries {

inline constexpr std::array acts{action_kind::place_new};
inline constexpr std::array thread_parameters{acts_on_threads_parameter};
inline constexpr std::array page_parameters{acts_on_pages_parameter};

template <thread_placing How>
result<std::unique_ptr<mechanism>> make_for_threads(const parameter_set& values) {
  parameter_reader read(values);
  const bool acting = acts_on_named(read.word("act-on", acts_on_threads_words)).threads;
  if (read.problem()) return tl::unexpected(*read.problem());
  start_policy::choice chosen;
  if (acting) chosen.threads = How;
  return std::make_unique<start_policy>(chosen);
}

template <page_placing How>
result<std::unique_ptr<mechanism>> make_for_pages(const parameter_set& values) {
  parameter_reader read(values);
  const bool acting = acts_on_named(read.word("act-on", acts_on_pages_words)).pages;
  if (read.problem()) return tl::unexpected(*read.problem());
  start_policy::choice chosen;
  if (acting) chosen.pages = How;
  return std::make_unique<start_policy>(chosen);
}

constexpr mechanism_entry entry(std::string_view name, std::string_view summary,
                                std::string_view source, std::span<const parameter> parameters,
                                result<std::unique_ptr<mechanism>> (*make)(const parameter_set&)) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .matrix_unit = "",
          .needs = {},
          .acts = acts,
          .tables = {},
          .parameters = parameters,
          .max_threads = any_number_of_threads,
          .make = make};
}

template <thread_placing How>
constexpr mechanism_entry of_threads(std::string_view name, std::string_view summary,
                                     std::string_view source) {
  return entry(name, summary, source, thread_parameters, make_for_threads<How>);
}

template <page_placing How>
constexpr mechanism_entry of_pages(std::string_view name, std::string_view summary,
                                   std::string_view source) {
  return entry(name, summary, source, page_parameters, make_for_pages<How>);
}

}  // namespace start_entries

}  // namespace numatch
