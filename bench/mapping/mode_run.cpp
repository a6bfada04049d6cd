// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>

#include "base/atomic_file.hpp"
#include "base/suggest.hpp"
#include "bench/mapping/best_known.hpp"
#include "bench/mapping/contenders.hpp"
#include "bench/mapping/mode.hpp"
#include "bench/mapping/reference.hpp"
#include "bench/mapping/results.hpp"
#include "bench/mapping/scotch_direct.hpp"
#include "bench/mapping/selection.hpp"

namespace numatch::bench {

namespace {

constexpr option_text takes[] = {
    sizes_option,
    families_option,
    machines_option,
    seed_option,
    captures_option,
    {"--algorithms", "NAME,NAME", "contenders as the table names them (all)"},
    {"--repeats", "N", "runs after the first one; the median counts (9)"},
    {"--reference-seconds", "N", "search where nothing is stored, about this long each (0)"},
    {"--file", "FILE", "the best known costs (bench/mapping/best_known.tsv)"},
    {"--improve", "", "write lower costs into that file"},
    {"--tsv", "FILE", "write every run"},
    {"--json", "FILE", "write every run"},
};

/// Proposals of the reference search in a second on a processor of 2023, so that an option in
/// seconds still gives the same answer everywhere.
constexpr std::uint64_t proposals_per_second = 10'000'000;

result<std::vector<std::unique_ptr<contender>>> chosen_contenders(const options& given) {
  std::vector<std::unique_ptr<contender>> all = all_contenders();
  if (!given.has("--algorithms")) return all;
  std::vector<std::string_view> known;
  for (const std::unique_ptr<contender>& one : all) known.push_back(one->name());
  std::vector<std::unique_ptr<contender>> chosen;
  for (const std::string& name : given.list("--algorithms")) {
    const std::size_t at =
        static_cast<std::size_t>(std::find(known.begin(), known.end(), name) - known.begin());
    if (at == known.size()) {
      return fail("--algorithms", fmt::format("unknown '{}'", name), suggest(name, known));
    }
    if (all[at] != nullptr) chosen.push_back(std::move(all[at]));
  }
  return chosen;
}

struct run_plan {
  std::vector<instance> instances;
  std::vector<std::unique_ptr<contender>> contenders;
  unsigned repeats = 9;
  std::uint64_t reference_seconds = 0;
};

/// One line on a terminal, nothing in a pipe.
class progress_line {
 public:
  void show(std::size_t done, std::size_t all, const std::string& name) const {
    if (terminal_) fmt::print(stderr, "\r\033[K{} of {}: {}", done + 1, all, name);
  }
  ~progress_line() {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }
  progress_line() : terminal_(::isatty(STDERR_FILENO) == 1) {}
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

 private:
  bool terminal_;
};

result<result_row> measure_row(const instance& one, const run_plan& plan, best_known& known) {
  constexpr double most_seconds = 2;
  result<loaded_machine> on = load(*one.machine);
  if (!on) return tl::unexpected(on.error());
  const result<made_pattern> made = one.make();
  if (!made) return tl::unexpected(made.error());
  mapping_request request{made->sharing, on->machine, on->distances};
  request.policy = fill_policy::pack;  // cost alone decides, as it does for Scotch and the search
  result_row row{one, 0, false, {}};
  std::vector<thread_mapping> found;
  std::string by;
  for (const std::unique_ptr<contender>& who : plan.contenders) {
    row.cells.emplace_back();
    if (!who->declines(request).empty()) continue;
    result<measured_run> run = measure(*who, request, plan.repeats, most_seconds);
    if (!run) return fail(who->name() + " on " + one.name(), run.error().message());
    row.cells.back() =
        result_cell{run->cost, run->keeps_capacity, run->cpu_seconds, run->first_cpu_seconds};
    if (by.empty() || run->cost < row.best_cost) {
      row.best_cost = run->cost;
      by = who->name();
    }
    found.push_back(std::move(run->mapping));
  }
  const best_known::entry* stored = known.find(one);
  if (stored == nullptr && plan.reference_seconds > 0) {
    if (!made->place.empty() && !on->machine.arities().empty()) {
      found.push_back(best_planted(request, made->place).mapping);
    }
    const search_effort effort{plan.reference_seconds * proposals_per_second, 1};
    const found_mapping searched = search_reference(request, effort, found);
    if (by.empty() || searched.cost < row.best_cost) {
      row.best_cost = searched.cost;
      by = searched.how;
    }
  }
  if (stored != nullptr && (by.empty() || stored->cost <= row.best_cost)) {
    row.best_cost = stored->cost;
  } else {
    std::replace(by.begin(), by.end(), ' ', '-');
    row.best_is_new = known.improve(one, row.best_cost, by) && stored != nullptr;
  }
  return row;
}

/// What Scotch's own choice of threads costs, on the first instance.
result<std::string> scotch_threads_line(const instance& one) {
  const unsigned calls = one.threads <= 256 ? 200 : 20;
  result<loaded_machine> on = load(*one.machine);
  const result<made_pattern> made = one.make();
  if (!on) return tl::unexpected(on.error());
  if (!made) return tl::unexpected(made.error());
  const mapping_request request{made->sharing, on->machine, on->distances};
  result<scotch_wall_times> single = scotch_wall(request, true, calls);
  result<scotch_wall_times> own = scotch_wall(request, false, calls);
  if (!single) return tl::unexpected(single.error());
  if (!own) return tl::unexpected(own.error());
  return fmt::format(
      "\nScotch with as many threads as it chooses by itself takes {:.0f} us of wall time (median "
      "of "
      "{} calls on {}; 90th percentile {:.0f} us),\nwith one thread {:.0f} us ({:.0f} us). All "
      "rows "
      "above have one thread.\n",
      own->median * 1e6, calls, one.name(), own->slowest_tenth * 1e6, single->median * 1e6,
      single->slowest_tenth * 1e6);
}

result<run_plan> plan_of(const options& given) {
  result<std::vector<instance>> instances = chosen_instances(given);
  result<std::vector<std::unique_ptr<contender>>> contenders = chosen_contenders(given);
  result<std::uint64_t> repeats = given.number("--repeats", 9);
  result<std::uint64_t> seconds = given.number("--reference-seconds", 0);
  if (!instances) return tl::unexpected(instances.error());
  if (!contenders) return tl::unexpected(contenders.error());
  if (!repeats) return tl::unexpected(repeats.error());
  if (!seconds) return tl::unexpected(seconds.error());
  if (instances->empty()) return fail("", "no instance has these families and sizes");
  if (*repeats > 1000) return fail("--repeats", "choose 0 to 1000");
  return run_plan{std::move(*instances), std::move(*contenders), static_cast<unsigned>(*repeats),
                  *seconds};
}

result<void> run(const options& given) {
  result<run_plan> plan = plan_of(given);
  if (!plan) return tl::unexpected(plan.error());
  const std::filesystem::path file = given.text("--file", best_known::usual_path().string());
  result<best_known> known = best_known::read(file);
  if (!known) return tl::unexpected(known.error());
  result_table table;
  bool with_scotch = false;
  for (const std::unique_ptr<contender>& one : plan->contenders) {
    table.contenders.push_back(one->name());
    with_scotch = with_scotch || one->name().starts_with("Scotch");
  }
  std::size_t lower = 0;
  {
    const progress_line progress;
    for (const instance& one : plan->instances) {
      progress.show(table.rows.size(), plan->instances.size(), one.name());
      result<result_row> row = measure_row(one, *plan, *known);
      if (!row) return tl::unexpected(row.error());
      lower += row->best_is_new ? 1 : 0;
      table.rows.push_back(std::move(*row));
    }
  }
  fmt::print("{}", summary_of(table));
  if (with_scotch) {
    result<std::string> line = scotch_threads_line(plan->instances.front());
    if (!line) return tl::unexpected(line.error());
    fmt::print("{}", *line);
  }
  if (lower > 0) fmt::print("\n{} instances got a lower cost than any stored one.\n", lower);
  if (given.has("--improve")) {
    // A search may have written meanwhile.
    result<best_known> latest = best_known::read(file);
    if (!latest) return tl::unexpected(latest.error());
    latest->merge(*known);
    if (result<void> r = latest->write(file); !r) return r;
  }
  if (given.has("--tsv")) {
    if (result<void> r = write_file(given.text("--tsv"), tsv_of(table)); !r) return r;
  }
  if (given.has("--json")) return write_file(given.text("--json"), json_of(table));
  return {};
}

}  // namespace

constinit const mode run_mode{
    "run", "runs the algorithms: gap to the best known cost, capacity kept, CPU time of one thread",
    takes, run};

}  // namespace numatch::bench
