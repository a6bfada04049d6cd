// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <array>
#include <cstdio>
#include <numatch/numa.hpp>
#include <vector>

#include "measure.hpp"
#include "rows.hpp"

namespace bench {

namespace {

constexpr std::size_t nodes_wanted = 2;
constexpr std::size_t turns = 2001;

/// The answer of a part; work of well under a microsecond.
struct part {
  long value = 0;
  long ask(long query) const { return value + query; }
};

/// Keeps who is in an arena on one processor.
class on_cpu : public tbb::task_scheduler_observer {
 public:
  on_cpu(tbb::task_arena& arena, unsigned cpu) : tbb::task_scheduler_observer(arena), cpu_(cpu) {
    observe(true);
  }
  ~on_cpu() override { observe(false); }
  void on_scheduler_entry(bool) override {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu_, &one);
    sched_setaffinity(0, sizeof one, &one);
  }

 private:
  unsigned cpu_;
};

/// An arena per node, and in each a task; the caller waits in them, as oneTBB's documentation does.
class by_hand {
 public:
  explicit by_hand(const numatch::topology& machine)
      : threads_(tbb::global_control::max_allowed_parallelism, machine.size() + 1) {
    for (std::size_t n = 0; n < nodes_wanted; ++n) {
      arenas_[n].initialize(1, 0);
      observers_[n] = std::make_unique<on_cpu>(arenas_[n], machine[n].cpus.front());
    }
  }
  long ask(const std::array<part, nodes_wanted>& parts, long query) {
    std::array<long, nodes_wanted> answers{};
    for (std::size_t n = 0; n < nodes_wanted; ++n) {
      arenas_[n].execute([&, n] {
        groups_[n].run([&answers, &parts, query, n] { answers[n] = parts[n].ask(query); });
      });
    }
    long sum = 0;
    for (std::size_t n = 0; n < nodes_wanted; ++n) {
      arenas_[n].execute([&, n] { groups_[n].wait(); });
      sum += answers[n];
    }
    return sum;
  }

 private:
  tbb::global_control threads_;
  std::array<tbb::task_arena, nodes_wanted> arenas_;
  std::array<tbb::task_group, nodes_wanted> groups_;
  std::array<std::unique_ptr<on_cpu>, nodes_wanted> observers_;
};

long ask(const numatch::partitioned<part>& parts, long query) {
  return parts.map_reduce([query](const part& one) { return one.ask(query); }, std::plus<>());
}

double microseconds(const std::vector<double>& all) {
  return 1e6 * median(all);
}

}  // namespace

void dispatch() {
  const numatch::topology here = numatch::topology::system();
  if (here.cpus() < nodes_wanted) {
    std::printf("dispatch: left out, this process may use one processor only\n");
    return;
  }
  std::vector<unsigned> cpus;
  for (const numatch::topology_node& node : here.nodes()) {
    cpus.insert(cpus.end(), node.cpus.begin(), node.cpus.end());
  }
  const numatch::topology machine =
      numatch::topology::parse(std::to_string(cpus.front()) + ":" + std::to_string(cpus.back()));
  numatch::runtime_options with_arenas;
  with_arenas.run_by = numatch::backend::arenas;
  numatch::runtime pool(machine);
  numatch::runtime arenas(machine, with_arenas);
  const auto make = [](std::size_t p, std::pmr::memory_resource*) {
    return part{static_cast<long>(p)};
  };
  const numatch::partitioned<part> in_pool(pool, make);
  const numatch::partitioned<part> in_arenas(arenas, make);
  by_hand hand(machine);
  const std::array<part, nodes_wanted> parts{part{0}, part{1}};

  std::array<std::vector<double>, 3> times;
  long wrong = 0;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const long query = static_cast<long>(turn);
    const long expected = 2 * query + 1;
    times[0].push_back(
        taken(elapsed_seconds, [&] { wrong += hand.ask(parts, query) != expected; }));
    times[1].push_back(taken(elapsed_seconds, [&] { wrong += ask(in_pool, query) != expected; }));
    times[2].push_back(taken(elapsed_seconds, [&] { wrong += ask(in_arenas, query) != expected; }));
  }
  const double by_hand_takes = microseconds(times[0]);
  std::printf(
      "dispatch and merge over two nodes, median elapsed: oneTBB arenas by hand %.1f us, pinned "
      "pool "
      "%.2f of it, arenas %.2f of it%s (measured)\n",
      by_hand_takes, microseconds(times[1]) / by_hand_takes, microseconds(times[2]) / by_hand_takes,
      wrong == 0 ? "" : ", ANSWERS DIFFER");
}

}  // namespace bench
