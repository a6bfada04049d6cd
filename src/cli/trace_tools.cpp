// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_tools.hpp"

namespace numatch::cli {

void trace_tools::options(CLI::App& trace) {
  const auto add = [&](const char* name, const char* says, std::unique_ptr<command> work) {
    CLI::App* parser = trace.add_subcommand(name, says);
    work->options(*parser);
    tools_.push_back({parser, std::move(work)});
  };
  add("info", "What is in a trace file", make_trace_info());
  add("check", "Whether a trace file is whole and consistent", make_trace_check());
  add("export", "Write a trace in another tool's format", make_trace_export());
  add("import", "Make a trace of another tool's", make_trace_import());
  trace.require_subcommand(0, 1);
}

command* trace_tools::chosen() const {
  for (const tool& t : tools_) {
    if (t.parser->parsed()) return t.work.get();
  }
  return nullptr;
}

}  // namespace numatch::cli
