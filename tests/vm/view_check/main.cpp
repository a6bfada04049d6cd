// SPDX-License-Identifier: Apache-2.0
// Observes a running ring_program through the kernel module, and compares what the module saw with
// what the program itself has recorded.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "live/module_session.hpp"
#include "ring_places/report_file.hpp"

namespace {

using namespace numatch::live;
using ring_places::report;

struct options {
  std::string mode = "multi";
  std::string file;
  unsigned rounds = 1;
  std::uint64_t most_uses = 1'000'000;
  numatch_start start{};
};

/// What does not go on as it should; one line.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Value>
Value need(numatch::result<Value> got) {
  if (!got) throw failure(got.error().message());
  if constexpr (!std::is_void_v<Value>) return std::move(*got);
}

report read(const std::string& file) {
  std::ifstream in(file);
  return ring_places::read_report(in);
}

/// The report of now; ring_program writes it under another name and renames it.
report ask(const std::string& file, pid_t process) {
  std::filesystem::remove(file);
  if (::kill(process, SIGUSR1) != 0) throw failure("ring_program has ended");
  while (!std::filesystem::exists(file)) {
    if (::kill(process, 0) != 0) throw failure("ring_program has ended");
    ::usleep(20'000);
  }
  return read(file);
}

using pair = std::pair<std::uint64_t, pid_t>;  // page, task

/// Uses of each pair that was used at all.
std::map<pair, std::uint64_t> uses_of(const report& from) {
  std::map<pair, std::uint64_t> found;
  for (const auto& [page, threads] : from.uses) {
    for (const auto& [thread, count] : threads) {
      found[{page, from.task_of_thread.at(thread)}] = count;
    }
  }
  return found;
}

bool is_in_regions(const report& of, std::uint64_t page) {
  return std::any_of(of.regions.begin(), of.regions.end(), [page](const auto& region) {
    return page >= region.address && page < region.address + region.pages * 4096;
  });
}

struct verdict {
  std::size_t pairs = 0;  ///< that the program has used
  std::size_t seen = 0;
  std::size_t wrong = 0;          ///< seen, never used
  std::uint64_t most_unseen = 0;  ///< uses of the most used pair that was not seen
};

/// The module's pairs against a report from before the session and one from after the snapshot.
verdict judge(const std::vector<numatch_pair>& told, const report& before, const report& after) {
  const std::map<pair, std::uint64_t> earlier = uses_of(before);
  const std::map<pair, std::uint64_t> uses = uses_of(after);
  std::set<pair> seen;
  verdict found;
  for (const numatch_pair& one : told) {
    if (!is_in_regions(after, one.page)) continue;
    seen.insert({one.page, one.thread});
    if (!uses.contains({one.page, one.thread})) ++found.wrong;
  }
  found.pairs = uses.size();
  for (const auto& [key, count] : uses) {
    const auto old = earlier.find(key);
    const std::uint64_t since = count - (old == earlier.end() ? 0 : old->second);
    if (seen.contains(key)) {
      ++found.seen;
    } else {
      found.most_unseen = std::max(found.most_unseen, since);
    }
  }
  return found;
}

void show(const options& chosen, const verdict& found, const numatch_stats& counted) {
  fmt::print(
      "{}: {} of {} pairs seen, {} wrong; {} faults, {} opened, {} reopened, {} upgraded, {} left "
      "to the kernel, {} of huge pages, {} zapped, {} invalidations, dropped {} busy {} full {} "
      "repeated, {} threads, {} without view, {} table pages, lost {} in the ring {} pairs\n",
      chosen.mode, found.seen, found.pairs, found.wrong, counted.faults, counted.opened,
      counted.reopened, counted.upgraded, counted.left_to_kernel, counted.split_huge,
      counted.zapped, counted.invalidations, counted.dropped_busy, counted.dropped_full,
      counted.dropped_repeat, counted.threads, counted.without_view, counted.table_pages,
      counted.ring_lost, counted.pairs_lost);
}

/// Until all is seen, or a pair was used so often and was not. In one view for all, threads hide
/// each other's faults, so there the end is when the program has gone on so far.
bool observe(const options& chosen, pid_t process) {
  module_session session = need(module_session::open());
  const report before = ask(chosen.file, process);
  numatch_start start = chosen.start;
  start.pid = process;
  need(session.start(start));
  verdict found;
  do {
    ::usleep(50'000);
    const std::vector<numatch_pair> told = need(session.snapshot());
    found = judge(told, before, ask(chosen.file, process));
  } while (found.wrong == 0 && found.seen < found.pairs && found.most_unseen < chosen.most_uses);
  need(session.stop());
  const numatch_stats counted = need(session.stats());
  show(chosen, found, counted);
  if (counted.linked != 0) {
    fmt::print("{} threads asleep when the session ended\n", counted.linked);
  }
  const bool exact = found.seen == found.pairs || chosen.mode == "single";
  return found.pairs > 0 && found.seen > 0 && found.wrong == 0 && exact;
}

int run(const options& chosen) {
  const pid_t process = read(chosen.file).process;
  unsigned good = 0;
  for (unsigned round = 0; round < chosen.rounds; ++round) {
    good += observe(chosen, process) ? 1 : 0;
    std::fflush(stdout);
  }
  fmt::print("{} of {} rounds as they must be\n", good, chosen.rounds);
  return good == chosen.rounds ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  options chosen;
  CLI::App app{
      "Compares what the kernel module sees of a running ring_program with its own record."};
  app.add_option("--mode", chosen.mode, "a view per thread, or one for all")
      ->check(CLI::IsMember({"multi", "single"}));
  app.add_option("--rounds", chosen.rounds, "sessions, one after the other");
  app.add_option("--most-uses", chosen.most_uses,
                 "a pair that was used so often since the session began must have been seen");
  app.add_option("--views", chosen.start.views);
  app.add_option("--threads", chosen.start.threads);
  app.add_option("--table-pages", chosen.start.table_pages);
  app.add_option("--zap-share", chosen.start.zap_share);
  app.add_option("--pairs", chosen.start.pairs);
  app.add_option("REPORT", chosen.file, "of ring_program")->required();
  CLI11_PARSE(app, argc, argv);
  chosen.start.mode = chosen.mode == "multi" ? NUMATCH_MULTI : NUMATCH_SINGLE;
  ::setpriority(PRIO_PROCESS, 0, -10);  // the observed threads never sleep
  try {
    return run(chosen);
  } catch (const std::exception& wrong) {
    fmt::print(stderr, "view_check: {}\n", wrong.what());
    return 2;
  }
}
