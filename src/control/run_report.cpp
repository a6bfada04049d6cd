// SPDX-License-Identifier: Apache-2.0
#include "control/run_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace numatch::control {

namespace {

using json = nlohmann::ordered_json;

json share_or_null(const std::optional<double>& share) {
  return share ? json(*share) : json();
}

std::uint64_t count_of(const run_status& status, deed what) {
  return status.control.decisions[static_cast<std::size_t>(what)];
}

std::uint64_t pages_stayed(const run_status& status) {
  std::uint64_t sum = 0;
  for (const std::uint64_t pages : status.pages.stayed) sum += pages;
  return sum;
}

/// "12 busy, 3 not in memory"
std::string reasons_of(const live::page_mover_totals& pages) {
  std::string text;
  for (std::size_t reason = 0; reason < pages.stayed.size(); ++reason) {
    if (pages.stayed[reason] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", pages.stayed[reason],
                        to_string(static_cast<live::page_stays>(reason)));
  }
  return text;
}

double cost_share(const live::sensing_totals& totals) {
  return totals.program_time == 0 ? 0 : totals.cost / static_cast<double>(totals.program_time);
}

class metrics_text {
 public:
  void counter(std::string_view name, std::string_view help, std::uint64_t value) {
    head(name, "counter", help);
    text_ += fmt::format("numatch_{}_total {}\n", name, value);
  }
  void gauge(std::string_view name, std::string_view help, double value) {
    head(name, "gauge", help);
    text_ += fmt::format("numatch_{} {}\n", name, value);
  }
  void head(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# TYPE numatch_{} {}\n# HELP numatch_{} {}\n", name, type, name, help);
  }
  void labelled(std::string_view name, std::string_view label, std::string_view value,
                std::uint64_t count) {
    text_ += fmt::format("numatch_{}_total{{{}=\"{}\"}} {}\n", name, label, value, count);
  }
  std::string end() { return std::move(text_) + "# EOF\n"; }

 private:
  std::string text_;
};

}  // namespace

std::string as_json_line(const decision& told) {
  return json{{"seconds", told.seconds},
              {"what", to_string(told.what)},
              {"why", told.why},
              {"threads", told.threads},
              {"pages", told.pages},
              {"uses", told.uses},
              {"remote_before", told.remote_before},
              {"remote_planned", share_or_null(told.remote_planned)},
              {"remote_after", share_or_null(told.remote_after)}}
      .dump();
}

std::string as_json(const run_status& status) {
  json decisions;
  for (std::size_t what = 0; what < deeds; ++what) {
    decisions[std::string(to_string(static_cast<deed>(what)))] = status.control.decisions[what];
  }
  json stayed;
  for (std::size_t reason = 0; reason < live::page_stays_reasons; ++reason) {
    stayed[std::string(to_string(static_cast<live::page_stays>(reason)))] =
        status.pages.stayed[reason];
  }
  json sources = json::object();
  for (std::size_t source = 0; source < live::data_sources; ++source) {
    sources[std::string(to_string(static_cast<live::data_source>(source)))] =
        status.sensing.by_source[source];
  }
  return json{{"seconds", status.seconds},
              {"nodes", status.nodes},
              {"sensor", status.sensor},
              {"uses_sampled", status.sensing.uses},
              {"uses_lost", status.sensing.lost},
              {"accesses_by_source", sources},
              {"rested_seconds", static_cast<double>(status.sensing.rested) / 1e9},
              {"sensor_limits", status.limits},
              {"estimated_cost_share", cost_share(status.sensing)},
              {"remote_first", share_or_null(status.control.remote_first)},
              {"remote_last", share_or_null(status.control.remote_last)},
              {"decisions", decisions},
              {"threads_moved", status.control.threads_moved},
              {"threads_refused", status.control.threads_refused},
              {"pages_moved", status.pages.moved_pages},
              {"bytes_moved", status.pages.moved_bytes},
              {"pages_taken_back", status.control.pages_taken_back},
              {"pages_stayed", stayed},
              {"longest_page_call_nanoseconds", status.pages.longest_call},
              {"last_why", status.control.last_why}}
             .dump(2) +
         "\n";
}

std::string as_open_metrics(const run_status& status) {
  metrics_text text;
  text.counter("uses", "Uses of memory that were seen, sampled.", status.sensing.uses);
  text.counter("uses_lost", "Uses for which the kernel had no room.", status.sensing.lost);
  text.head("accesses", "counter", "Accesses by where their data came from, sampled.");
  for (std::size_t source = 0; source < live::data_sources; ++source) {
    text.labelled("accesses", "source", to_string(static_cast<live::data_source>(source)),
                  static_cast<std::uint64_t>(status.sensing.by_source[source]));
  }
  text.gauge("sensing_cost_ratio", "Share of the program's time that sensing took, estimated.",
             cost_share(status.sensing));
  if (status.control.remote_last) {
    text.gauge("remote_ratio", "Share of the uses that were remote lately, sampled.",
               *status.control.remote_last);
  }
  text.head("decisions", "counter", "Decisions of the controller.");
  for (std::size_t what = 0; what < deeds; ++what) {
    text.labelled("decisions", "what", to_string(static_cast<deed>(what)),
                  status.control.decisions[what]);
  }
  text.counter("threads_moved", "Threads that were sent to another node.",
               status.control.threads_moved);
  text.counter("threads_refused", "Threads that could not be bound.",
               status.control.threads_refused);
  text.counter("pages_moved", "Pages that moved, huge ones once.", status.pages.moved_pages);
  text.counter("pages_moved_bytes", "Bytes of these.", status.pages.moved_bytes);
  text.head("pages_stayed", "counter", "Pages that could not be moved.");
  for (std::size_t reason = 0; reason < live::page_stays_reasons; ++reason) {
    text.labelled("pages_stayed", "reason", to_string(static_cast<live::page_stays>(reason)),
                  status.pages.stayed[reason]);
  }
  return text.end();
}

std::string as_text(const run_status& status, bool dry_run) {
  if (status.nodes < 2) return "  this machine has one NUMA node: there is nothing to place\n";
  std::string text = fmt::format("  saw        {} uses in {:.1f} s (sampled by {})",
                                 status.sensing.uses, status.seconds, status.sensor);
  if (status.sensing.lost != 0) text += fmt::format(", {} lost", status.sensing.lost);
  if (status.sensing.rested != 0) {
    text += fmt::format("\n  rested     {:.1f} s, to keep the budget",
                        static_cast<double>(status.sensing.rested) / 1e9);
  }
  text += fmt::format("\n  cost       {:.2f} % of the program's time (estimated)\n",
                      100 * cost_share(status.sensing));
  for (const std::string& limit : status.limits) text += fmt::format("  limit      {}\n", limit);
  if (status.control.remote_first && status.control.remote_last) {
    text += fmt::format("  remote     {:.1f} % of the uses at first, {:.1f} % at last (sampled)\n",
                        100 * *status.control.remote_first, 100 * *status.control.remote_last);
  }
  if (dry_run) {
    text += fmt::format("  would have moved something {} times, and did nothing (dry run)\n",
                        count_of(status, deed::would_move));
  } else {
    text += fmt::format("  moved      {} threads, {} pages ({:.1f} MiB)\n",
                        status.control.threads_moved, status.pages.moved_pages,
                        static_cast<double>(status.pages.moved_bytes) / (1024.0 * 1024.0));
  }
  if (pages_stayed(status) != 0) {
    text +=
        fmt::format("  stayed     {} pages: {}\n", pages_stayed(status), reasons_of(status.pages));
  }
  if (status.control.threads_refused != 0) {
    text +=
        fmt::format("  refused    {} threads could not be bound\n", status.control.threads_refused);
  }
  if (count_of(status, deed::took_back) != 0) {
    text +=
        fmt::format("  took back  {} times what did not help\n", count_of(status, deed::took_back));
  }
  if (!status.control.last_why.empty()) {
    text += fmt::format("  at last    {}\n", status.control.last_why);
  }
  return text;
}

}  // namespace numatch::control
