// SPDX-License-Identifier: Apache-2.0
// Time Warp: a mobile network is simulated optimistically by threads that share its cells, and once
// more event by event; both have to end with the same state of every cell, to the bit.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/crew.hpp"
#include "common/options.hpp"
#include "timewarp/engine.hpp"
#include "timewarp/sequential.hpp"

namespace {

struct wish {
  char size = 'S';
  unsigned threads = 8;
  bool share_load = true;
  bool resident_set = false;
};

void usage(std::FILE* where) {
  std::fputs(
      "usage: timewarp [--threads N] [--class S|W|A] [--resident-set] [--fixed]\n"
      "  --threads N     threads, at least 1 (default 8)\n"
      "  --class C       size of the network and length of the run (default S)\n"
      "  --resident-set  move all pages of a cell to the node of its new thread\n"
      "  --fixed         no load sharing: cells stay with their first threads\n",
      where);
}

/// Ends the program with exit code 2 where it was called wrongly.
wish parse(int argc, char** argv) {
  wish chosen;
  const workload::description about{"timewarp", "", {}};
  for (int i = 1; i < argc; ++i) {
    const char* const word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (std::strcmp(word, "--resident-set") == 0) {
      chosen.resident_set = true;
      continue;
    }
    if (std::strcmp(word, "--fixed") == 0) {
      chosen.share_load = false;
      continue;
    }
    if (std::strcmp(word, "--threads") == 0) {
      chosen.threads = static_cast<unsigned>(workload::whole(about, word, value, 1));
    } else if (std::strcmp(word, "--class") == 0) {
      if (value == nullptr || std::strlen(value) != 1 || std::strchr("SWA", *value) == nullptr) {
        std::fprintf(stderr, "timewarp: --class needs S, W or A, not '%s'\n",
                     value == nullptr ? "" : value);
        std::exit(2);
      }
      chosen.size = *value;
    } else {
      const bool help = std::strcmp(word, "--help") == 0;
      usage(help ? stdout : stderr);
      std::exit(help ? 0 : 2);
    }
    ++i;
  }
  return chosen;
}

timewarp::model model_of(char size) {
  timewarp::model of;
  of.width = size == 'S' ? 32 : 64;
  of.height = size == 'S' ? 16 : size == 'W' ? 32 : 64;
  of.end = size == 'S' ? 8000 : size == 'W' ? 16000 : 32000;
  return of;
}

}  // namespace

int main(int argc, char** argv) {
  const wish chosen = parse(argc, argv);
  const timewarp::model of = model_of(chosen.size);
  timewarp::settings how;
  how.threads = chosen.threads;
  how.share_load = chosen.share_load;
  how.resident_set = chosen.resident_set;
  timewarp::engine engine(of, how);
  workload::on_all_threads(chosen.threads, [&](unsigned me) {
    engine.run(me);
    return std::size_t{0};
  });

  const timewarp::run_counts counts = engine.counts();
  const timewarp::sequential_result right = timewarp::run_sequentially(of);
  std::size_t wrong = counts.events.lost;
  if (counts.events.executed - counts.events.undone != right.events) ++wrong;
  for (std::uint32_t cell = 0; cell < of.cells(); ++cell) {
    wrong += engine.state(cell) == right.cells[cell] ? 0 : 1;
  }
  std::printf("  %llu events, %llu more undone in %llu rollbacks, %llu rounds\n",
              static_cast<unsigned long long>(right.events),
              static_cast<unsigned long long>(counts.events.undone),
              static_cast<unsigned long long>(counts.events.rollbacks),
              static_cast<unsigned long long>(counts.rounds));
  std::printf("  %llu times a cell of %u got another thread",
              static_cast<unsigned long long>(counts.bound_again), of.cells());
  if (chosen.resident_set) {
    std::printf(", %llu pages moved by Linux", static_cast<unsigned long long>(counts.pages_moved));
  }
  std::printf("\ntimewarp: class %c, %u threads: %s\n", chosen.size, chosen.threads,
              wrong == 0 ? "as the sequential run" : "NOT as the sequential run");
  return wrong == 0 ? 0 : 1;
}
