// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include "state.hpp"

// OpenMP's order between threads, the same for libgomp and libomp. The libraries are not
// instrumented; their entry points are wrapped.
//
// A region's threads begin after the fork and end before the join. A thread that leaves a barrier
// late must not wait, in a replay, for threads that have reached the next barrier already: every
// barrier of a region is an object of its own. All threads of a team meet the same barriers in the
// same order, so each can count them by itself.

namespace numatch::instrumented {

/// A number that no other region of the program has.
std::uint64_t new_region();

/// The n-th synchronisation of a region; 0 and 1 are its begin and end.
inline std::uint64_t region_object(std::uint64_t region, std::uint64_t n) {
  return 1ULL << 62 | (region << 24 & ((1ULL << 61) - 1)) | (n & 0xffffff);
}
inline std::uint64_t region_begin(std::uint64_t region) {
  return region_object(region, 0);
}
inline std::uint64_t region_end(std::uint64_t region) {
  return region_object(region, 1);
}

/// The calling thread's part of a region, from the beginning to the end of this object's life.
class region_part {
 public:
  explicit region_part(std::uint64_t region);
  ~region_part();
  region_part(const region_part&) = delete;
  region_part& operator=(const region_part&) = delete;

 private:
  std::uint64_t region_;
  std::uint64_t outer_region_;
  std::uint64_t outer_barriers_;
};

/// The object of the barrier that the calling thread reaches now; 0 outside of regions.
std::uint64_t next_barrier();

inline void reach(std::uint64_t barrier) {
  if (barrier != 0) release(barrier);
}
inline void leave(std::uint64_t barrier) {
  if (barrier != 0) acquire(barrier);
}

/// A team's barrier around the real call.
class team_barrier {
 public:
  team_barrier() : object_(next_barrier()) { reach(object_); }
  ~team_barrier() { leave(object_); }
  team_barrier(const team_barrier&) = delete;
  team_barrier& operator=(const team_barrier&) = delete;

 private:
  std::uint64_t object_;
};

/// What a task needs: where it was made, and the object that its maker released.
struct task_origin {
  std::uint64_t region;
  std::uint64_t begin;
};
/// Called by the maker; the release is separate because the task's data may come later.
task_origin new_task();

/// A task's execution, by whichever thread, from the beginning to the end of this object's life.
/// The tasks of a region end before its next barrier, taskwait or end of taskgroup: one object per
/// region stands for all of them.
class task_part {
 public:
  explicit task_part(const task_origin& origin);
  ~task_part();
  task_part(const task_part&) = delete;
  task_part& operator=(const task_part&) = delete;

 private:
  std::uint64_t region_;
  std::uint64_t outer_region_;
};

/// After such a synchronisation. Does nothing in programs without tasks.
void tasks_done();
void tasks_done_in(std::uint64_t region);

/// Locks without a variable of the program.
enum class nameless : std::uint64_t { critical = 1, atomic = 2, ordered = 3 };
inline std::uint64_t object_of(nameless lock) {
  return static_cast<std::uint64_t>(lock) * 2;
}

}  // namespace numatch::instrumented
