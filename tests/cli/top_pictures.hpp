// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "live/program_picture.hpp"

namespace numatch::cli {

/// A ring of `threads` on two nodes, each sharing with both neighbours; the last thread's pages lie
/// on the other node.
inline live::program_picture ring_picture(std::size_t threads) {
  live::program_picture made;
  made.seconds = 2;
  made.places.pid = 4242;
  made.places.name = "ring";
  made.places.bytes = 6 << 20U;
  for (unsigned n = 0; n < 2; ++n) {
    live::node_share share;
    share.node = n;
    share.threads = threads / 2;
    share.bytes = (4 - 2 * n) << 20U;
    made.places.nodes.push_back(share);
  }
  made.sharing = sharing_matrix(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    live::pictured_thread thread;
    thread.seen.task = static_cast<pid_t>(4242 + t);
    thread.seen.name = "ring";
    thread.seen.cpu = static_cast<unsigned>(t);
    thread.seen.node = static_cast<unsigned>(t % 2);
    thread.cpu_share = t == 1 ? 0.995 : 0.5;
    thread.uses = thread.placed_uses = 100 * (t + 1);
    const bool away = t + 1 == threads;
    thread.local_uses = away ? 0 : thread.uses;
    thread.pages_on = {0, 0};
    thread.pages_on[(t + (away ? 1 : 0)) % 2] = 10 + t;
    made.threads.push_back(thread);
    const std::size_t next = (t + 1) % threads;
    if (next == t) continue;
    made.sharing.set(t, next, t == 0 ? 100 : 30);
    made.sharing.set(next, t, t == 0 ? 100 : 30);
  }
  made.sensing.sensor = "wp";
  made.sensing.sees = "writes";
  made.sensing.totals.watched_pages = 100;
  made.sensing.totals.never_sensed = 40;
  made.sensing.totals.cost = 1e7;
  made.sensing.totals.program_time = 1'000'000'000;
  return made;
}

inline live::machine_picture two_programs() {
  live::machine_picture made;
  made.nodes = 2;
  made.hidden = 3;
  made.programs = {{77, "database", 12, 8 << 20U, 2 << 20U, 0.5}, {5, "init", 1, 1 << 20U, 0, 1}};
  return made;
}

}  // namespace numatch::cli
