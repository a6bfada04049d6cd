// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cli/verb.hpp"

namespace numatch::cli {

std::unique_ptr<command> make_trace_info();
std::unique_ptr<command> make_trace_check();
std::unique_ptr<command> make_trace_export();
std::unique_ptr<command> make_trace_import();

/// The sub-commands of the verb `trace` that work on trace files that exist. Only words before "--"
/// name them, so a program may be called `info`.
class trace_tools {
 public:
  void options(CLI::App& trace);
  /// The sub-command that was named, or null.
  command* chosen() const;

 private:
  struct tool {
    CLI::App* parser;
    std::unique_ptr<command> work;
  };
  std::vector<tool> tools_;
};

}  // namespace numatch::cli
