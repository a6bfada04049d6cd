// SPDX-License-Identifier: Apache-2.0
#include "compare/findings.hpp"

namespace numatch::compare {

namespace {

/// Empty when a run lacks the figure.
std::vector<double> values_of(const method_runs& method, figure what) {
  std::vector<double> values;
  for (const run_figures& run : method.runs) {
    if (!run.at(what)) return {};
    values.push_back(*run.at(what));
  }
  return values;
}

std::vector<finding> compare_values(const std::vector<std::vector<double>>& values) {
  const std::vector<double>& base = values.front();
  std::vector<finding> found;
  std::vector<double> probabilities;
  for (std::size_t m = 0; m < values.size(); ++m) {
    finding one;
    one.mean = estimate_mean(values[m], 1 - significance);
    if (m > 0) {
      one.ratio = estimate_ratio(values[m], base, 1 - significance);
      probabilities.push_back(welch_probability(values[m], base));
    }
    found.push_back(one);
  }
  const std::vector<double> corrected = holm_corrected(probabilities);
  for (std::size_t m = 1; m < found.size(); ++m) {
    finding& one = found[m];
    one.probability = corrected[m - 1];
    one.says = verdict::no_difference;
    if (one.probability < significance) {
      one.says = one.mean.mean < found.front().mean.mean ? verdict::less : verdict::more;
    }
  }
  return found;
}

}  // namespace

std::string_view to_string(verdict v) {
  switch (v) {
    case verdict::baseline:
      return "baseline";
    case verdict::no_difference:
      return "no difference";
    case verdict::less:
      return "less";
    case verdict::more:
      return "more";
  }
  return "";
}

std::vector<figure_findings> find(std::span<const method_runs> methods) {
  std::vector<figure_findings> all;
  for (std::size_t f = 0; f < figure_count; ++f) {
    const figure what = static_cast<figure>(f);
    std::vector<std::vector<double>> values;
    for (const method_runs& method : methods) {
      values.push_back(values_of(method, what));
      if (values.back().empty()) break;
    }
    if (values.empty() || values.back().empty()) continue;
    all.push_back({what, compare_values(values)});
  }
  return all;
}

}  // namespace numatch::compare
