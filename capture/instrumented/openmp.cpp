// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "openmp.hpp"

#include <atomic>

namespace numatch::instrumented {

namespace {

constinit std::atomic<std::uint64_t> regions{1};

}  // namespace

std::uint64_t new_region() {
  return regions.fetch_add(1, std::memory_order_relaxed);
}

region_part::region_part(std::uint64_t region)
    : region_(region), outer_region_(this_thread.region), outer_barriers_(this_thread.barriers) {
  this_thread.region = region;
  this_thread.barriers = 2;
  acquire(region_begin(region));
}

region_part::~region_part() {
  release(region_end(region_));
  this_thread.region = outer_region_;
  this_thread.barriers = outer_barriers_;
}

std::uint64_t next_barrier() {
  if (this_thread.region == 0) return 0;
  return region_object(this_thread.region, this_thread.barriers++);
}

namespace {

constinit std::atomic<bool> has_tasks{false};

std::uint64_t tasks_of(std::uint64_t region) {
  return 1ULL << 62 | 1ULL << 61 | (region & ((1ULL << 60) - 1));
}

}  // namespace

task_origin new_task() {
  has_tasks.store(true, std::memory_order_relaxed);
  return {this_thread.region, region_begin(new_region())};
}

task_part::task_part(const task_origin& origin)
    : region_(origin.region), outer_region_(this_thread.region) {
  this_thread.region = region_;
  acquire(origin.begin);
}

task_part::~task_part() {
  release(tasks_of(region_));
  this_thread.region = outer_region_;
}

void tasks_done_in(std::uint64_t region) {
  if (has_tasks.load(std::memory_order_relaxed)) acquire(tasks_of(region));
}
void tasks_done() {
  tasks_done_in(this_thread.region);
}

}  // namespace numatch::instrumented

using namespace numatch::instrumented;

// The lock routines have the same names and arguments in both libraries. A nestable lock that its
// owner takes again makes an acquire too, which orders nothing new.
#define NUMATCH_OMP_LOCK(kind)                            \
  NUMATCH_WRAP_WEAK(void, omp_set_##kind, void* lock) {   \
    __real_omp_set_##kind(lock);                          \
    acquire(object_at(lock));                             \
  }                                                       \
  NUMATCH_WRAP_WEAK(void, omp_unset_##kind, void* lock) { \
    release(object_at(lock));                             \
    __real_omp_unset_##kind(lock);                        \
  }                                                       \
  NUMATCH_WRAP_WEAK(int, omp_test_##kind, void* lock) {   \
    const int taken = __real_omp_test_##kind(lock);       \
    if (taken != 0) acquire(object_at(lock));             \
    return taken;                                         \
  }
NUMATCH_OMP_LOCK(lock)
NUMATCH_OMP_LOCK(nest_lock)
// Fortran's names.
NUMATCH_OMP_LOCK(lock_)
NUMATCH_OMP_LOCK(nest_lock_)
