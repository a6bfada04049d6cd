// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_preface.hpp"

#include <fmt/format.h>

#include "report/format.hpp"

namespace numatch::report {

std::string paragraph(const std::string& says) {
  std::string text;
  for (const std::string& line : wrap(says, table_width - 2)) text += fmt::format("  {}\n", line);
  return text;
}

std::string preface(const simulation& done) {
  const sim::run_result& base = done.runs.front();
  std::string text =
      fit(fmt::format("Simulated on {}: {}", done.machine, done.program), table_width) + "\n";
  text += paragraph(fmt::format(
      "{} {}, {} accesses{}; seed {}, phases of {} cycles.", done.threads,
      done.threads == 1 ? "thread" : "threads", amount(static_cast<double>(base.accesses)),
      done.region_of_interest ? " (region of interest)" : "", done.seed, done.phase_cycles));
  text += paragraph(fmt::format("Every run starts with threads: {}; pages: {}.", base.threads_start,
                                base.pages_start));
  if (!done.settings.empty()) {
    std::string changed;
    for (const auto& [key, value] : done.settings) changed += fmt::format(" {}={}", key, value);
    text += paragraph("Machine changed:" + changed + ".");
  }
  if (done.time_scale != 1) {
    text += paragraph(fmt::format(
        "Time scale {}: the mechanisms' intervals are so many times shorter than stated; software "
        "cycles and their share are given at the unscaled rate.",
        done.time_scale));
  }
  for (const std::string& note : done.notes) text += paragraph(note);
  text += paragraph(done.runs.size() == 1
                        ? std::string("All figures are simulated.")
                        : fmt::format("All figures are simulated; beside them the change against "
                                      "the first run, {}.",
                                      base.mechanism));
  return text;
}

std::string decimal(double value) {
  if (value == 0) return "0";
  if (value >= 999.5) return amount(value);
  if (value < 0.0995) return fmt::format("{:.2g}", value);
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

nlohmann::ordered_json json_frame(const simulation& done, const char* format) {
  return {{"format", format},
          {"version", 1},
          {"evidence", "simulated"},
          {"program", done.program},
          {"threads", done.threads},
          {"machine", done.machine},
          {"settings", done.settings},
          {"seed", done.seed},
          {"phase_cycles", done.phase_cycles},
          {"time_scale", done.time_scale},
          {"region_of_interest", done.region_of_interest}};
}

std::string json_text(const nlohmann::ordered_json& made) {
  return made.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace numatch::report
