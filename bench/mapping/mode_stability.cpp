// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/mode.hpp"
#include "bench/mapping/selection.hpp"
#include "bench/mapping/stability.hpp"

namespace numatch::bench {

namespace {

constexpr option_text takes[] = {
    {"--sizes", "N,N", "numbers of threads (64)"},
    families_option,
    {"--machines", "NAME,NAME", "machines (4x8x2)"},
    seed_option,
    {"--noise", "N,N", "change of every amount, per cent (5,10,20)"},
};

/// The table's instances are 19; another draw of the last family makes them 20.
result<std::vector<instance>> twenty(const options& given) {
  options with_defaults = given;
  with_defaults.set_if_missing("--sizes", "64");
  with_defaults.set_if_missing("--machines", "4x8x2");
  result<std::vector<instance>> chosen = chosen_instances(with_defaults);
  if (!chosen || given.has("--families")) return chosen;
  instance more = chosen->front();
  more.pattern = *find_family("random-sparse");
  more.seed += 1;
  chosen->push_back(more);
  return chosen;
}

result<void> run(const options& given) {
  result<std::vector<instance>> instances = twenty(given);
  result<std::vector<std::size_t>> levels = given.numbers("--noise", "5,10,20");
  if (!instances) return tl::unexpected(instances.error());
  if (!levels) return tl::unexpected(levels.error());
  const std::vector<remapping> ways = usual_remappings();
  for (const std::size_t per_cent : *levels) {
    if (per_cent > 100) return fail("--noise", "choose 0 to 100 per cent");
    result<std::vector<stability_row>> rows =
        measure_stability(*instances, static_cast<double>(per_cent) / 100, ways);
    if (!rows) return tl::unexpected(rows.error());
    fmt::print(
        "\n## Amounts changed by up to {} %, {} matrices\n\n"
        "| {:<24} | {:>13} | {:>16} | {:>13} | {:>12} |\n"
        "|{:-<26}|{:->15}|{:->18}|{:->15}|{:->14}|\n",
        per_cent, instances->size(), "", "threads moved", "cost above fresh", "nothing moved",
        "moves unpaid", "", ":", ":", ":", ":");
    for (const stability_row& row : *rows) {
      fmt::print("| {:<24} | {:>11.1f} % | {:>14.3f} % | {:>13} | {:>12} |\n", row.name,
                 100 * row.moved, 100 * row.above_fresh, row.stayed, row.unpaid);
    }
  }
  return {};
}

}  // namespace

constinit const mode stability_mode{
    "stability", "maps again after small changes of the matrix: threads moved, cost", takes, run};

}  // namespace numatch::bench
