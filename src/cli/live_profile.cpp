// SPDX-License-Identifier: Apache-2.0
#include "cli/live_profile.hpp"

#include <fmt/ranges.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "base/atomic_file.hpp"
#include "cli/profile_summary.hpp"
#include "cli/source_text.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/verb.hpp"
#include "live/launched_program.hpp"

namespace numatch::cli {

namespace {

/// Says before a long watch that the profile could not be written after it.
result<std::filesystem::path> choose_output(const std::string& wanted, const std::string& program) {
  std::filesystem::path output = wanted;
  if (output.empty()) {
    output = std::filesystem::path(program).filename();
    if (output.empty()) output = "program";
    output += ".nmp";
  }
  const result<atomic_file> probe = atomic_file::create(output);
  if (!probe) return tl::unexpected(probe.error());
  return output;
}

double percent(double part, double whole) {
  return whole <= 0 ? 0 : 100 * part / whole;
}

/// Empty when it never rested.
std::string rest_text(const live::sensing_totals& totals) {
  if (totals.rested == 0) return "";
  return fmt::format(
      "  rested    {:.1f} s: seeing the program's own page faults would cost more than the "
      "budget\n",
      static_cast<double>(totals.rested) / 1e9);
}

std::string sensing_text(const live::live_profile& seen) {
  const live::sensing_totals& totals = seen.totals;
  std::string text = fmt::format("  memory    {} pages watched, {} never sensed\n",
                                 totals.watched_pages, totals.never_sensed);
  if (totals.refused != 0) text += fmt::format("  refused   {} pages\n", totals.refused);
  if (totals.lost != 0) text += fmt::format("  lost      {} uses\n", totals.lost);
  const std::string sources = source_text(totals.by_source);
  if (!sources.empty()) text += fmt::format("  source    {} (sampled)\n", sources);
  text += rest_text(totals);
  text += fmt::format("  cost      {:.2f} % of the program's time (estimated)\n",
                      percent(totals.cost, static_cast<double>(totals.program_time)));
  for (const std::string& limit : seen.limits) text += fmt::format("  limit     {}\n", limit);
  return text;
}

nlohmann::ordered_json with_sensing(nlohmann::ordered_json summary,
                                    const live::live_profile& seen) {
  const live::sensing_totals& totals = seen.totals;
  summary["pages_watched"] = totals.watched_pages;
  summary["pages_never_sensed"] = totals.never_sensed;
  summary["pages_refused"] = totals.refused;
  summary["uses_lost"] = totals.lost;
  summary["uses_unwatched"] = totals.unwatched;
  nlohmann::ordered_json sources = nlohmann::ordered_json::object();
  for (std::size_t source = 0; source < live::data_sources; ++source) {
    sources[std::string(to_string(static_cast<live::data_source>(source)))] =
        totals.by_source[source];
  }
  summary["accesses_by_source"] = std::move(sources);
  summary["rested_seconds"] = static_cast<double>(totals.rested) / 1e9;
  summary["estimated_cost_share"] =
      percent(totals.cost, static_cast<double>(totals.program_time)) / 100;
  summary["sensor_limits"] = seen.limits;
  return summary;
}

class watch {
 public:
  watch(const live_request& wanted, console& terminal) : wanted_(wanted), terminal_(terminal) {
    options_ = wanted.options;
    options_.sensing.budget = wanted.budget_percent / 100;
  }

  result<int> running() {
    result<live::observed_process> process = live::observed_process::open(wanted_.pid);
    if (!process) return tl::unexpected(process.error());
    const std::string name = process->name();
    const result<std::filesystem::path> output = choose_output(wanted_.output, name);
    if (!output) return tl::unexpected(output.error());
    stop_on_signal signals;
    const std::string command = fmt::format("{} (process {})", name, wanted_.pid);
    const result<live::live_profile> seen =
        live::profile_process(*process, command, options_, signals.stop(), [] {});
    if (!seen) return tl::unexpected(seen.error());
    if (result<void> told = save(*seen, *output); !told) return tl::unexpected(told.error());
    return fine;
  }

  result<int> launched() {
    const result<std::filesystem::path> output =
        choose_output(wanted_.output, wanted_.command.front());
    if (!output) return tl::unexpected(output.error());
    result<live::launched_program> program = live::launched_program::start(wanted_.command);
    if (!program) return tl::unexpected(program.error());
    if (result<void> watched = until_stopped(*program, *output); !watched) {
      // Nothing of the program has run when nothing can be seen.
      if (!program->is_let_go()) return tl::unexpected(watched.error());
      terminal_.note(watched.error().message());
    }
    return program->wait();
  }

 private:
  result<void> until_stopped(live::launched_program& program, const std::filesystem::path& output) {
    result<live::observed_process> process = live::observed_process::open(program.pid());
    if (!process) return tl::unexpected(process.error());
    const stop_on_signal signals;
    const result<live::live_profile> seen =
        live::profile_process(*process, fmt::format("{}", fmt::join(wanted_.command, " ")),
                              options_, signals.stop(), [&] { program.let_go(); });
    // ^C reached the program, too; what was sent to us alone is meant for it.
    const int signal = signals.signal();
    if (signal == SIGTERM || signal == SIGHUP) ::kill(program.pid(), signal);
    if (!seen) return tl::unexpected(seen.error());
    return save(*seen, output);
  }

  result<void> save(const live::live_profile& seen, const std::filesystem::path& output) {
    if (result<void> saved = save_profile(seen.learned, output); !saved) return saved;
    const profile& p = seen.learned;
    if (wanted_.json) {
      terminal_.out(as_json(with_sensing(summary_of(p, output), seen)));
    } else if (wanted_.command.empty()) {
      terminal_.out(as_text(p, "uses", output, sensing_text(seen)));
    } else {
      // Standard output belongs to the program.
      terminal_.note(fmt::format("wrote {}: {} uses by {} threads ({}, {})", output.string(),
                                 p.total_accesses, p.threads.size(), p.frontend, to_string(p.how)));
      for (const std::string& limit : seen.limits) terminal_.note(limit);
    }
    return {};
  }

  const live_request& wanted_;
  console& terminal_;
  live::live_profile_options options_;
};

}  // namespace

result<int> profile_live(const live_request& wanted, console& terminal) {
  watch watching(wanted, terminal);
  return wanted.command.empty() ? watching.running() : watching.launched();
}

}  // namespace numatch::cli
