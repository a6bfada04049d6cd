// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "reproduce/run_facts.hpp"

namespace numatch::reproduce {

/// A folder that keeps what was computed under a description of everything that it depends on, so
/// that a second run computes only what is new, and one that was interrupted goes on. A description
/// is a text; it is kept beside what it describes and compared in full, its hash only names the
/// file. Two processes may use one folder: files appear whole or not at all.
class store {
 public:
  /// Makes the folder where it is missing.
  static result<store> open(const std::filesystem::path& folder);

  /// Where the trace of this description is to be, and whether it is there.
  std::filesystem::path trace_file(const std::string& description) const;
  bool has_trace(const std::string& description) const;
  /// Says that trace_file() holds the trace of the description; call it when the file is whole.
  result<void> keep_trace(const std::string& description) const;

  /// Nothing where it is not there, or where what is there cannot be read.
  std::optional<run_facts> run(const std::string& description) const;
  result<void> keep_run(const std::string& description, const run_facts& facts) const;

  /// The same for any text.
  std::optional<std::string> text(const std::string& description) const;
  result<void> keep_text(const std::string& description, const std::string& text) const;

 private:
  explicit store(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file(const std::string& description, const char* ending) const;
  std::filesystem::path folder_;
};

/// A hash of a text (FNV-1a, 64 bits).
std::uint64_t hash_of(std::string_view text);
/// The size and hash of a file, as a text for descriptions.
result<std::string> content_of(const std::filesystem::path& file);

}  // namespace numatch::reproduce
