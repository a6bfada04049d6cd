// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/simulation.hpp"
#include "report/simulation_metrics.hpp"

namespace numatch::report {

namespace {

/// A field that has a comma, a quote or a line end stands in quotes (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_timeline(const simulation& done) {
  std::string text =
      "simulated_run,kind,begin_cycle,end_cycle,begin_ms,end_ms,instructions,memory_accesses,"
      "remote_accesses,remote_share,traffic_byte_hops,pages_moved,threads_moved,pages_asked\n";
  for (const sim::run_result& run : done.runs) {
    const std::string name = field(run.mechanism);
    for (const sim::timeline_point& p : run.timeline) {
      const std::string remote =
          p.memory_accesses == 0 ? ""
                                 : fmt::format("{}", static_cast<double>(p.remote_accesses) /
                                                         static_cast<double>(p.memory_accesses));
      text += fmt::format("{},piece,{},{},{},{},{},{},{},{},{},{},{},\n", name, p.begin, p.end,
                          milliseconds_of(p.begin, run.hertz), milliseconds_of(p.end, run.hertz),
                          p.instructions, p.memory_accesses, p.remote_accesses, remote,
                          p.traffic_bytes, p.pages_moved, p.threads_moved);
    }
    for (const sim::decision& d : run.decisions) {
      const double when = milliseconds_of(d.cycle, run.hertz);
      text += fmt::format("{},decision,{},{},{},{},,,,,,,{},{}\n", name, d.cycle, d.cycle, when,
                          when, d.threads_moved, d.pages_asked);
    }
  }
  return text;
}

}  // namespace numatch::report
