// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "cli/console.hpp"
#include "pattern/sharing_matrix.hpp"
#include "profiler/profile_builder.hpp"
#include "reproduce/store.hpp"

namespace numatch::cli {

/// A program that was recorded.
struct recorded_program {
  std::string name;
  std::filesystem::path trace;
  bool region_of_interest = true;
};

/// What `numatch profile` would find in recorded programs, as far as the papers' tables need it;
/// kept in the store. Errors: those of the trace and of profiling, a store that cannot be written.
class trace_looks {
 public:
  /// `build` says what computes: what another one found is not taken.
  trace_looks(const reproduce::store& kept, std::string build, console& terminal)
      : store_(kept), build_(std::move(build)), terminal_(terminal) {}

  /// Who shares with whom, as a mechanism's detector counts it.
  result<sharing_matrix> sharing(const recorded_program& program,
                                 const std::string& detector) const;
  /// The exclusivity level with pages of this size, 0..1.
  result<double> exclusivity(const recorded_program& program, std::uint64_t page_bytes) const;

 private:
  result<profile> learn(const recorded_program& program, const std::string& detector,
                        const profile_options& options) const;
  const reproduce::store& store_;
  std::string build_;
  console& terminal_;
};

}  // namespace numatch::cli
