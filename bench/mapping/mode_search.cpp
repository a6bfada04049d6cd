// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/mapping/best_known.hpp"
#include "bench/mapping/contenders.hpp"
#include "bench/mapping/mode.hpp"
#include "bench/mapping/reference.hpp"
#include "bench/mapping/selection.hpp"

namespace numatch::bench {

namespace {

constexpr option_text takes[] = {
    sizes_option,
    families_option,
    machines_option,
    seed_option,
    captures_option,
    {"--proposals", "N", "million exchanges tried per instance (10)"},
    {"--search-seed", "N", "seed of the search (1)"},
    {"--from", "NAME,NAME", "start from these algorithms' mappings, too (none)"},
    {"--file", "FILE", "the best known costs (bench/mapping/best_known.tsv)"},
    {"--improve", "", "write lower costs into the file, after each instance"},
};

result<found_mapping> search(const instance& one, const search_effort& effort,
                             const std::vector<std::string>& from) {
  result<loaded_machine> on = load(*one.machine);
  if (!on) return tl::unexpected(on.error());
  const result<made_pattern> made = one.make();
  if (!made) return tl::unexpected(made.error());
  mapping_request request{made->sharing, on->machine, on->distances};
  request.policy = fill_policy::pack;  // as the search and the runs have it
  std::vector<thread_mapping> starts;
  double planted = 0;
  if (!made->place.empty() && !on->machine.arities().empty()) {
    const found_mapping start = best_planted(request, made->place);
    planted = start.cost;
    starts.push_back(start.mapping);
  }
  for (const std::unique_ptr<contender>& who : all_contenders()) {
    if (std::find(from.begin(), from.end(), who->name()) == from.end()) continue;
    result<measured_run> run = measure(*who, request, 0, 0);
    if (!run) return tl::unexpected(run.error());
    starts.push_back(std::move(run->mapping));
  }
  found_mapping found = search_reference(request, effort, starts);
  if (found.cost == planted) found.how = "planted";
  return found;
}

result<void> run(const options& given) {
  result<std::vector<instance>> chosen = chosen_instances(given);
  result<std::uint64_t> millions = given.number("--proposals", 10);
  result<std::uint64_t> seed = given.number("--search-seed", 1);
  if (!chosen) return tl::unexpected(chosen.error());
  if (!millions) return tl::unexpected(millions.error());
  if (!seed) return tl::unexpected(seed.error());
  const std::vector<std::string> from = given.list("--from");
  const std::filesystem::path file = given.text("--file", best_known::usual_path().string());
  for (const instance& one : *chosen) {
    const double start = thread_cpu_seconds();
    result<found_mapping> found = search(one, {*millions * 1'000'000, *seed}, from);
    if (!found) return tl::unexpected(found.error());
    const double taken = thread_cpu_seconds() - start;
    // Read anew each time: searches of several sizes may run beside each other.
    result<best_known> known = best_known::read(file);
    if (!known) return tl::unexpected(known.error());
    const best_known::entry* old = known->find(one);
    const double before = old != nullptr ? old->cost : 0;
    const bool better = known->improve(one, found->cost, found->how);
    fmt::print("{:<32} {:>14} {:<10} {:>6.2f} CPU-s  {}\n", one.name(), found->cost, found->how,
               taken,
               before == 0 ? "new" : fmt::format("{:+.4f} %", 100 * (found->cost / before - 1)));
    std::fflush(stdout);
    if (!better || !given.has("--improve")) continue;
    if (result<void> r = known->write(file); !r) return r;
  }
  return {};
}

}  // namespace

constinit const mode search_mode{
    "search", "searches long for the lowest cost of the instances, against the file of best known",
    takes, run};

}  // namespace numatch::bench
