// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/results.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

namespace numatch::bench {

namespace {

/// Costs that differ less are the same mapping summed in another order.
constexpr double same_cost = 1e-9;

using row_filter = std::function<bool(const result_row&)>;

struct column_summary {
  std::size_t runs = 0;
  double gap = 0;  ///< geometric mean of the cost ratios less 1
  double greatest_gap = 0;
  std::string greatest_on;
  std::size_t over_capacity = 0;
  double cpu = 0;  ///< geometric mean of the medians, seconds
  double first = 0;
};

column_summary summarize(const result_table& table, std::size_t contender,
                         const row_filter& wanted) {
  column_summary sum;
  for (const result_row& row : table.rows) {
    const std::optional<result_cell>& cell = row.cells[contender];
    if (!cell || !wanted(row)) continue;
    ++sum.runs;
    const double gap = row.gap(contender);
    sum.gap += std::log1p(gap);
    if (gap > sum.greatest_gap) {
      sum.greatest_gap = gap;
      sum.greatest_on = row.on.name();
    }
    if (!cell->keeps_capacity) ++sum.over_capacity;
    sum.cpu += std::log(std::max(cell->cpu_seconds, 1e-9));
    sum.first += std::log(std::max(cell->first_cpu_seconds, 1e-9));
  }
  if (sum.runs == 0) return sum;
  const double runs = static_cast<double>(sum.runs);
  sum.gap = std::expm1(sum.gap / runs);
  sum.cpu = std::exp(sum.cpu / runs);
  sum.first = std::exp(sum.first / runs);
  return sum;
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

/// Rows that are told together: the instances of a size, or the captured matrices.
std::string group_of(const instance& one) {
  return one.pattern == nullptr ? "Captured matrices" : fmt::format("{} threads", one.threads);
}

std::string table_of_group(const result_table& table, const std::string& group) {
  const auto here = [&](const result_row& row) { return group_of(row.on) == group; };
  const auto sparse = [&](const result_row& row) { return here(row) && row.on.sparse(); };
  const auto dense = [&](const result_row& row) { return here(row) && !row.on.sparse(); };
  const std::ptrdiff_t instances = std::count_if(table.rows.begin(), table.rows.end(), here);
  std::string text = fmt::format(
      "\n## {}, {} instances\n\n"
      "| {:<18} | {:>9} | {:>9} | {:>13} | {:>9} | {:>9} | {:>9} | {:>10} | {} |\n"
      "|{:-<20}|{:->11}|{:->11}|{:->15}|{:->11}|{:->11}|{:->11}|{:->12}|{}|\n",
      group, instances, "algorithm", "mean gap", "max gap", "over capacity", "CPU time", "sparse",
      "dense", "first call", "greatest gap on", "", ":", ":", ":", ":", ":", ":", ":", "---");
  for (std::size_t c = 0; c < table.contenders.size(); ++c) {
    const column_summary all = summarize(table, c, here);
    if (all.runs == 0) continue;
    const column_summary few = summarize(table, c, sparse);
    const column_summary many = summarize(table, c, dense);
    const std::string name = static_cast<std::ptrdiff_t>(all.runs) == instances
                                 ? table.contenders[c]
                                 : fmt::format("{} ({})", table.contenders[c], all.runs);
    text += fmt::format(
        "| {:<18} | {:>7.3f} % | {:>7.2f} % | {:>13} | {:>9} | {:>9} | {:>9} | {:>10} | {} |\n",
        name, 100 * all.gap, 100 * all.greatest_gap, all.over_capacity, time_text(all.cpu),
        few.runs > 0 ? time_text(few.cpu) : "-", many.runs > 0 ? time_text(many.cpu) : "-",
        time_text(all.first), all.greatest_on);
  }
  return text;
}

/// One contender against several, and on which instances it is worse than the best of them.
std::string comparison(const result_table& table, const std::string& group, std::size_t ours,
                       const std::vector<std::size_t>& others, std::string_view called) {
  std::size_t instances = 0;
  std::size_t better = 0;
  std::vector<std::string> worse;
  for (const result_row& row : table.rows) {
    if (group_of(row.on) != group || !row.cells[ours]) continue;
    std::size_t least = table.contenders.size();
    for (const std::size_t other : others) {
      if (!row.cells[other]) continue;
      if (least == table.contenders.size() || row.cells[other]->cost < row.cells[least]->cost) {
        least = other;
      }
    }
    if (least == table.contenders.size()) continue;
    ++instances;
    const double cost = row.cells[ours]->cost;
    const double theirs = row.cells[least]->cost;
    if (cost < theirs * (1 - same_cost)) ++better;
    if (cost > theirs * (1 + same_cost)) {
      worse.push_back(fmt::format("{} (+{:.2f} %, {})", row.on.name(), 100 * (cost / theirs - 1),
                                  table.contenders[least]));
    }
  }
  if (instances == 0) return "";
  std::string text =
      fmt::format("- {} against the best of {}: worse on {}, better on {} of {} instances",
                  table.contenders[ours], called, worse.size(), better, instances);
  for (std::size_t i = 0; i < worse.size(); ++i) text += (i == 0 ? ": " : ", ") + worse[i];
  return text + "\n";
}

std::string comparisons_of_group(const result_table& table, const std::string& group) {
  std::vector<std::size_t> scotch;
  std::vector<std::size_t> all;
  std::size_t ours = table.contenders.size();
  std::size_t ours_best = ours;
  for (std::size_t c = 0; c < table.contenders.size(); ++c) {
    const std::string& name = table.contenders[c];
    if (name == "numatch") ours = c;
    if (name == "numatch/best") ours_best = c;
    if (name == "scotch" || name.starts_with("Scotch")) scotch.push_back(c);
    if (name != "numatch/best") all.push_back(c);
  }
  std::string text;
  if (ours < table.contenders.size()) {
    text += comparison(table, group, ours, scotch, "all Scotch strategies");
  }
  if (ours_best < table.contenders.size()) {
    text += comparison(table, group, ours_best, all, "all others");
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

double result_row::gap(std::size_t contender) const {
  const double cost = cells[contender]->cost;
  return best_cost > 0 ? cost / best_cost - 1 : (cost > 0 ? 1 : 0);
}

std::string summary_of(const result_table& table) {
  std::vector<std::string> groups;
  for (const result_row& row : table.rows) {
    const std::string group = group_of(row.on);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  std::string text;
  for (const std::string& group : groups) {
    text += table_of_group(table, group) + comparisons_of_group(table, group);
  }
  return text;
}

std::string tsv_of(const result_table& table) {
  std::string text =
      "family\tthreads\tmachine\tseed\tsparse\talgorithm\tcost\tbest_known\tgap\tkeeps_capacity\t"
      "cpu_seconds\tfirst_cpu_seconds\n";
  for (const result_row& row : table.rows) {
    for (std::size_t c = 0; c < table.contenders.size(); ++c) {
      if (!row.cells[c]) continue;
      text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.8f}\t{}\t{:.3e}\t{:.3e}\n",
                          row.on.pattern_name(), row.on.threads, row.on.machine->name, row.on.seed,
                          row.on.sparse() ? 1 : 0, table.contenders[c], row.cells[c]->cost,
                          row.best_cost, row.gap(c), row.cells[c]->keeps_capacity ? 1 : 0,
                          row.cells[c]->cpu_seconds, row.cells[c]->first_cpu_seconds);
    }
  }
  return text;
}

std::string json_of(const result_table& table) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const result_row& row : table.rows) {
    for (std::size_t c = 0; c < table.contenders.size(); ++c) {
      if (!row.cells[c]) continue;
      all.push_back({{"family", row.on.pattern_name()},
                     {"threads", row.on.threads},
                     {"machine", row.on.machine->name},
                     {"seed", row.on.seed},
                     {"sparse", row.on.sparse()},
                     {"algorithm", table.contenders[c]},
                     {"cost", row.cells[c]->cost},
                     {"best_known", row.best_cost},
                     {"gap", row.gap(c)},
                     {"keeps_capacity", row.cells[c]->keeps_capacity},
                     {"cpu_seconds", row.cells[c]->cpu_seconds},
                     {"first_cpu_seconds", row.cells[c]->first_cpu_seconds}});
    }
  }
  return all.dump(1) + "\n";
}

}  // namespace numatch::bench
