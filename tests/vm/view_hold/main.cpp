// SPDX-License-Identifier: Apache-2.0
// Holds a session of the kernel module on a process until SIGTERM or until it has seen enough, or
// starts and stops many.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "live/module_session.hpp"

namespace {

using namespace numatch::live;

int fail(const numatch::error& what) {
  fmt::print(stderr, "view_hold: {}\n", what.message());
  return 1;
}

/// Zaps a tenth every `pause_ms`, until SIGTERM, until the process has given up its memory, or
/// until so many entries were opened.
int hold(module_session& session, unsigned pause_ms, std::uint64_t opened) {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  const timespec pause{pause_ms / 1000, static_cast<long>(pause_ms % 1000) * 1'000'000};
  numatch_stats counted{};
  do {
    if (const auto zapped = session.zap(10); !zapped) return fail(zapped.error());
    session.take_uses();
    const auto now = session.stats();
    if (!now) return fail(now.error());
    counted = *now;
  } while (counted.process_ended == 0 && counted.opened < opened &&
           sigtimedwait(&end, nullptr, &pause) != SIGTERM);
  fmt::print(
      "{} opened, {} reopened, {} zapped, {} invalidated, dropped {} busy {} full {} repeated, {} "
      "threads, {} without view, {} table pages, process {}\n",
      counted.opened, counted.reopened, counted.zapped, counted.invalidated, counted.dropped_busy,
      counted.dropped_full, counted.dropped_repeat, counted.threads, counted.without_view,
      counted.table_pages, counted.process_ended != 0 ? "ended" : "runs");
  return counted.opened > 0 ? 0 : 1;
}

/// What a parameter of the module says of what it holds.
long live(const std::string& what) {
  std::ifstream file("/sys/module/numatch/parameters/live_" + what);
  long held = -1;
  file >> held;
  return held;
}

/// Starts and ends sessions one after the other; the module holds nothing after each.
int cycle(const numatch_start& start, unsigned cycles, unsigned pause_ms) {
  std::uint64_t opened = 0;
  std::uint64_t most_asleep = 0;
  for (unsigned done = 0; done < cycles; ++done) {
    {
      auto session = module_session::open();
      if (!session) return fail(session.error());
      if (const auto started = session->start(start); !started) return fail(started.error());
      if (pause_ms > 0) ::usleep(pause_ms * 1000);
      if (const auto stopped = session->stop(); !stopped) return fail(stopped.error());
      const auto counted = session->stats();
      if (!counted) return fail(counted.error());
      opened += counted->opened;
      most_asleep = std::max<std::uint64_t>(most_asleep, counted->linked);
    }
    if (live("sessions") != 0 || live("pages") != 0) {
      fmt::print("after session {} the module holds {} sessions and {} pages\n", done + 1,
                 live("sessions"), live("pages"));
      return 1;
    }
  }
  // Those that slept must have run first.
  while (live("threads") != 0) ::usleep(10'000);
  fmt::print("{} sessions, {} entries opened; at most {} threads asleep at an end, 0 left\n",
             cycles, opened, most_asleep);
  return opened > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  numatch_start start{};
  std::string mode = "multi";
  unsigned cycles = 1;
  unsigned pause = 50;
  std::uint64_t opened = UINT64_MAX;
  CLI::App app{"Holds a session of the kernel module on a process."};
  app.add_option("--mode", mode)->check(CLI::IsMember({"multi", "single"}));
  app.add_option("--views", start.views);
  app.add_option("--threads", start.threads);
  app.add_option("--table-pages", start.table_pages);
  app.add_option("--zap-share", start.zap_share);
  app.add_option("--pause", pause,
                 "milliseconds between zaps of a tenth; of each of many sessions");
  app.add_option("--until-opened", opened, "ends when so many entries were opened");
  app.add_option("--cycles", cycles, "start and stop so often; holds only when this is 1");
  app.add_option("PID", start.pid)->required();
  CLI11_PARSE(app, argc, argv);
  start.mode = mode == "multi" ? NUMATCH_MULTI : NUMATCH_SINGLE;
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigprocmask(SIG_BLOCK, &end, nullptr);
  if (cycles > 1) return cycle(start, cycles, pause);
  auto session = module_session::open();
  if (!session) return fail(session.error());
  if (const auto started = session->start(start); !started) return fail(started.error());
  fmt::print("started\n");
  std::fflush(stdout);
  return hold(*session, pause, opened);
}
