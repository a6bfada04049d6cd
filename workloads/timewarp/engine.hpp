// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "timewarp/model.hpp"
#include "timewarp/object.hpp"

namespace timewarp {

struct settings {
  unsigned threads = 8;
  bool share_load = true;     ///< bind objects to threads again as their load changes
  bool resident_set = false;  ///< … and move all pages of an object to its new thread's node
  std::uint64_t work_per_round = 20000;  ///< of a thread; see model::work_of
  ticks window = 400;  ///< how far ahead of the global virtual time events are handled
  unsigned rounds_per_gvt = 4;
  unsigned gvts_per_sharing = 5;
  unsigned save_every = 8;  ///< events of an object
};

struct run_counts {
  object_counts events;
  std::uint64_t rounds = 0;
  std::uint64_t collections = 0;
  std::uint64_t bound_again = 0;  ///< objects that got another thread, each time
  std::uint64_t pages_moved = 0;  ///< by Linux
};

/// Time Warp in rounds, so that every run with the same settings does the same, with the same
/// rollbacks: in a round each thread takes the letters that were sent to its objects in the round
/// before, handles events of its objects, earliest first, up to a measure of work, and sends. A
/// thread whose objects have much work falls behind in simulated time and causes rollbacks in
/// others, as threads of an asynchronous Time Warp do. Between rounds, now and then, the global
/// virtual time is known exactly (no letter is on its way unseen), what is before it is collected,
/// and, where the busiest thread had a third more work than the average, objects are bound to
/// threads again: the cells in their order are cut into parts that had the same work since the last
/// time.
class engine {
 public:
  engine(const model& of, const settings& how);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Makes the first objects of thread `me` and simulates; the simulation is the region of
  /// interest. Called by all threads of an OpenMP team of settings.threads at once.
  void run(unsigned me);

  // After run() returned in all threads.
  const cell_state& state(std::uint32_t cell) const { return objects_[cell]->state(); }
  run_counts counts() const;

 private:
  struct lane;
  struct put_away {
    void operator()(object* made) const;
  };

  void make_objects(unsigned me);
  void adopt(lane& mine, unsigned me);
  void simulate(unsigned me);
  void deliver(lane& mine, unsigned me);
  void work(lane& mine, unsigned me, ticks horizon);
  void send(lane& mine, unsigned me);
  ticks earliest(const lane& mine) const;
  void collect(lane& mine, unsigned me, ticks horizon);
  void bind_again(lane& mine, unsigned me);
  bool is_uneven() const;
  std::vector<std::uint32_t> equal_work() const;
  unsigned owner(std::uint32_t cell) const;

  const model& of_;
  settings how_;
  std::vector<std::unique_ptr<object, put_away>> objects_;
  std::vector<std::unique_ptr<lane>> lanes_;
  std::vector<std::uint32_t> cuts_;  ///< thread t has the cells from cuts_[t] to cuts_[t + 1]
  std::vector<std::uint64_t> work_;  ///< of a cell, since objects were bound the last time
};

}  // namespace timewarp
