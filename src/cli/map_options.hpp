// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "mapping/mapper.hpp"

namespace numatch::cli {

/// "0-3,8" as PUs in that order. An error names what is no number or range.
result<std::vector<pu_id>> parse_pus(const std::string& text);
/// "3:0,5:2": thread 3 on PU 0, thread 5 on PU 2. Errors: another form, a thread that does not
/// exist or is there twice.
result<std::vector<std::optional<pu_id>>> parse_pins(const std::string& text, std::size_t threads);
/// Numbers separated by blanks, commas or lines; # starts a comment. Errors name file and line.
result<std::vector<double>> read_numbers(const std::string& path);

/// What the options of `numatch map` say about a request, and the memory that the request refers
/// to: it must outlive the request.
class map_options {
 public:
  void add_to(CLI::App& app);
  /// Everything but matrix, machine, distances: after parsing, when the number of threads is known.
  result<void> fill(mapping_request& request);
  /// An error that names an option that the user gave and none of these algorithms uses.
  result<void> check_used(std::span<const mapping_algorithm* const> algorithms) const;
  /// The same complaint, said of the option or file where the user finds it.
  error in_words_of_the_user(error complaint) const;
  /// A line for standard error about the request, or nothing.
  static std::string note(const mapping_request& request);

 private:
  std::string budget_ = "default";
  std::string policy_ = "auto";
  std::string allowed_text_;
  std::string pins_text_;
  std::string weights_file_;
  std::string current_file_;
  std::optional<double> move_cost_;
  double alpha_ = 0;
  std::uint64_t seed_ = 1;
  const CLI::App* app_ = nullptr;

  std::vector<pu_id> allowed_;
  std::vector<std::optional<pu_id>> pinned_;
  std::vector<double> weights_;
  thread_mapping current_;
};

}  // namespace numatch::cli
