// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/passed_signals.hpp"
#include "base/result.hpp"
#include "cli/console.hpp"
#include "reproduce/results.hpp"
#include "reproduce/store.hpp"

namespace numatch::cli {

/// What `numatch reproduce` was asked for, checked.
struct reproduce_request {
  reproduce::suite of;
  reproduce::suite_class size;
  std::vector<std::string> papers;    ///< names
  std::vector<std::string> programs;  ///< of the suite; empty: all
  std::filesystem::path sources;  ///< the user's directory for the suite's layouts; may be empty
  std::filesystem::path store;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
};

struct reproduced {
  int signal = 0;  ///< what ended it early; then the results are not complete
  reproduce::suite_results results;
  std::size_t recorded = 0;   ///< programs that were recorded now and not before
  std::size_t simulated = 0;  ///< runs …
  std::size_t stored = 0;     ///< runs that the store had
};

/// Records the programs that the store has no trace of, one after the other, then simulates the
/// runs that it has no result of. A program or a run that fails is part of the results. Errors: the
/// store cannot be written, a mechanism or machine of the suite does not exist.
result<reproduced> reproduce_suite(const reproduce_request& request, console& terminal);

}  // namespace numatch::cli
