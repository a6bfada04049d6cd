// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/format.hpp"

namespace numatch::cli {

namespace {

using json = nlohmann::ordered_json;
using compare::figure_findings;
using compare::finding;

/// As many decimals as the interval has to say: two digits of it, at most six decimals.
int decimals_for(const compare::figure_findings& found) {
  double least = 0;
  for (const finding& one : found.methods) {
    if (one.mean.half_width > 0 && (least == 0 || one.mean.half_width < least)) {
      least = one.mean.half_width;
    }
  }
  if (least == 0) return 0;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(least))), 0, 6);
}

std::string threads_text(std::size_t threads) {
  return threads == 1 ? "1 thread" : fmt::format("{} threads", threads);
}

std::string ratio_text(const finding& one) {
  if (one.says == compare::verdict::baseline) return "";
  if (!one.ratio) return "–";
  if (std::isinf(one.ratio->high)) return fmt::format("{:.3f}  (any)", one.ratio->ratio);
  return fmt::format("{:.3f}  ({:.3f} – {:.3f})", one.ratio->ratio, one.ratio->low,
                     one.ratio->high);
}

std::string verdict_text(const finding& one) {
  if (one.says == compare::verdict::baseline) return "";
  if (one.says == compare::verdict::no_difference || !one.ratio) {
    return std::string(to_string(one.says));
  }
  return fmt::format("{:+.1f} %, {}", (one.ratio->ratio - 1) * 100, to_string(one.says));
}

bool is_zero(const figure_findings& found) {
  return std::all_of(found.methods.begin(), found.methods.end(), [](const finding& one) {
    return one.mean.mean == 0 && one.mean.half_width == 0;
  });
}

std::string figure_text(const figure_findings& found, const shown_comparison& shown,
                        std::size_t name_width) {
  const compare::figure_words words = words_for(found.what);
  const int decimals = decimals_for(found);
  if (is_zero(found)) return fmt::format("\n{} ({}): 0 in every run\n", words.title, words.source);
  std::string text = fmt::format("\n{} ({})\n", words.title, words.source);
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    const finding& one = found.methods[m];
    const std::string mean =
        fmt::format("{:.{}f} ± {:.{}f}", one.mean.mean, decimals, one.mean.half_width, decimals);
    std::string line = fmt::format(
        "  {}  {}  {}  {}", report::pad(shown.methods[m].name, name_width),
        report::pad_left(mean, 24), report::pad(ratio_text(one), 24), verdict_text(one));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// The answer first: which methods changed the time.
std::string answer_text(const shown_comparison& shown) {
  if (shown.findings.empty()) return "nothing could be measured\n";
  const figure_findings& time = shown.findings.front();
  std::vector<std::string> faster;
  std::vector<std::string> slower;
  for (std::size_t m = 1; m < time.methods.size(); ++m) {
    const finding& one = time.methods[m];
    if (!one.ratio || one.says == compare::verdict::no_difference) continue;
    std::string part =
        fmt::format("{} ({:+.1f} %)", shown.methods[m].name, (one.ratio->ratio - 1) * 100);
    (one.says == compare::verdict::less ? faster : slower).push_back(std::move(part));
  }
  if (faster.empty() && slower.empty()) {
    return shown.methods.size() > 1
               ? fmt::format("no difference: no method changed the time of {} runs\n",
                             shown.plan.runs)
               : "there is no method to compare the default with here\n";
  }
  std::string text;
  if (!faster.empty()) text += fmt::format("less time: {}\n", fmt::join(faster, ", "));
  if (!slower.empty()) text += fmt::format("more time: {}\n", fmt::join(slower, ", "));
  return text;
}

json mean_json(const finding& one) {
  return {{"mean", one.mean.mean},
          {"half_width", one.mean.half_width},
          {"deviation", one.mean.deviation},
          {"runs", one.mean.values}};
}

json finding_json(const finding& one) {
  json made = mean_json(one);
  if (one.says == compare::verdict::baseline) return made;
  if (one.ratio) {
    made["ratio"] = {{"value", one.ratio->ratio}, {"low", one.ratio->low}, {"high", nullptr}};
    if (std::isfinite(one.ratio->high)) made["ratio"]["high"] = one.ratio->high;
  } else {
    made["ratio"] = nullptr;
  }
  made["probability"] = one.probability;
  made["verdict"] = to_string(one.says);
  return made;
}

}  // namespace

std::string comparison_text(const shown_comparison& shown) {
  std::size_t width = 0;
  for (const compare::method_runs& m : shown.methods) {
    width = std::max(width, report::columns(m.name));
  }
  std::string text = fmt::format("{}: {}, {} runs of each method in random order (seed {})\n{}\n\n",
                                 fmt::join(shown.command, " "), threads_text(shown.threads),
                                 shown.plan.runs, shown.plan.seed, shown.machine);
  text += answer_text(shown);
  for (const figure_findings& found : shown.findings) text += figure_text(found, shown, width);
  text += fmt::format(
      "\nmean ± 95 % interval (Student's t); ratio to {} with its 95 % interval; verdicts by "
      "Welch's\ntest at 5 % for all methods of a figure together (Holm)\n",
      shown.methods.front().name);
  if (!shown.left_out.empty()) {
    text += "\nleft out\n";
    for (const auto& [name, reason] : shown.left_out) {
      text += fmt::format("  {}: {}\n", name, reason);
    }
  }
  if (!shown.missing.empty()) {
    text += "\nnot measured\n";
    for (const std::string& line : shown.missing) text += fmt::format("  {}\n", line);
  }
  return text;
}

std::string comparison_json(const shown_comparison& shown) {
  json made{{"command", shown.command}, {"machine", shown.machine},
            {"threads", shown.threads}, {"runs", shown.plan.runs},
            {"seed", shown.plan.seed},  {"confidence", 1 - compare::significance},
            {"methods", json::array()}};
  for (std::size_t m = 0; m < shown.methods.size(); ++m) {
    const compare::method_runs& method = shown.methods[m];
    json one{{"name", method.name}, {"summary", method.summary}, {"baseline", m == 0}};
    json figures = json::object();
    for (const figure_findings& found : shown.findings) {
      json figure = finding_json(found.methods[m]);
      json values = json::array();
      for (const compare::run_figures& run : method.runs) {
        values.push_back(run.at(found.what).value_or(0));
      }
      figure["values"] = std::move(values);
      figures[std::string(words_for(found.what).key)] = std::move(figure);
    }
    one["figures"] = std::move(figures);
    made["methods"].push_back(std::move(one));
  }
  json sources = json::object();
  for (const figure_findings& found : shown.findings) {
    sources[std::string(words_for(found.what).key)] = words_for(found.what).source;
  }
  made["sources"] = std::move(sources);
  made["left_out"] = json::array();
  for (const auto& [name, reason] : shown.left_out) {
    made["left_out"].push_back({{"name", name}, {"reason", reason}});
  }
  made["not_measured"] = shown.missing;
  return made.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace numatch::cli
