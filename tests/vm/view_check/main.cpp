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
#include "view_check/sharing.hpp"

namespace {

using namespace numatch::live;
using ring_places::report;

struct options {
  std::string mode = "multi";
  std::string file;
  unsigned rounds = 1;
  std::uint64_t most_uses = 1'000'000;
  unsigned periods = 1;
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
  std::size_t pages = 0;          ///< that were used
  std::size_t pages_seen = 0;
  std::size_t shared = 0;   ///< pages used by several threads
  std::size_t sharers = 0;  ///< of all of these together
  std::size_t sharers_seen = 0;
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
  for (const auto& [page, threads] : after.uses) {
    std::size_t users = 0;
    for (const auto& [thread, count] : threads) {
      users += seen.contains({page, after.task_of_thread.at(thread)}) ? 1 : 0;
    }
    ++found.pages;
    found.pages_seen += users > 0 ? 1 : 0;
    if (threads.size() < 2) continue;
    ++found.shared;
    found.sharers += threads.size();
    found.sharers_seen += users;
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

/// Whether the share of openings that a zap has induced is the one that was asked for: within one
/// per cent below it, and never above.
bool share_is_kept(const numatch_stats& counted, unsigned share) {
  return counted.reopened * 100 >= (share - 1) * counted.opened &&
         counted.reopened * 100 <= share * counted.opened;
}

/// All is seen, or a pair was used so often and was not. In one view for all, threads hide each
/// other's faults, so there the end is when each page is seen and the zaps have had their share;
/// or, without zaps, when the program has gone on so far.
bool is_enough(const options& chosen, const verdict& found, const numatch_stats& counted) {
  if (found.wrong > 0) return true;
  if (chosen.mode == "multi") {
    return found.seen == found.pairs || found.most_unseen >= chosen.most_uses;
  }
  if (chosen.start.zap_share == 0) return found.most_unseen >= chosen.most_uses;
  return found.pages_seen == found.pages && share_is_kept(counted, chosen.start.zap_share);
}

/// Sessions with several periods begin with empty views in each.
bool observe(const options& chosen, pid_t process) {
  module_session session = need(module_session::open());
  report after = ask(chosen.file, process);
  const report before = after;
  sharing_matrix matrix(before);
  numatch_start start = chosen.start;
  start.pid = process;
  need(session.start(start));
  verdict found;
  for (unsigned period = 0; period < chosen.periods && found.wrong == 0; ++period) {
    if (period > 0) need(session.trace(true, false));
    do {
      ::usleep(50'000);
      matrix.add(session.take_uses());
      const std::vector<numatch_pair> told = need(session.snapshot());
      after = ask(chosen.file, process);
      found = judge(told, before, after);
    } while (!is_enough(chosen, found, need(session.stats())));
  }
  need(session.stop());
  const numatch_stats counted = need(session.stats());
  matrix.add(session.take_uses());
  const sharing_matrix::verdict increments = matrix.judge(ask(chosen.file, process));
  show(chosen, found, counted);
  fmt::print("sharers seen {} of {} on {} shared pages; {} increments, {} wrong; share {} of {}\n",
             found.sharers_seen, found.sharers, found.shared, increments.increments,
             increments.wrong, counted.reopened, counted.opened);
  fmt::print("{}", matrix.text());
  if (counted.linked != 0) {
    fmt::print("{} threads asleep when the session ended\n", counted.linked);
  }
  const bool exact = found.seen == found.pairs || chosen.mode == "single";
  const bool kept = chosen.start.zap_share == 0 ||
                    counted.reopened * 100 <= chosen.start.zap_share * counted.opened;
  return found.pairs > 0 && found.seen > 0 && found.wrong == 0 && exact && kept &&
         increments.wrong == 0;
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
  app.add_option("--periods", chosen.periods, "of a session; each begins with empty views");
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
