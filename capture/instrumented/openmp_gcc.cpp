// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// libgomp: what gcc and gfortran call for OpenMP constructs. Loops with a static schedule make no
// calls but their barriers; work sharing itself orders nothing.
#include <cstring>
#include <new>

#include "openmp.hpp"

using namespace numatch::instrumented;

namespace {

using body = void (*)(void*);

/// What the library passes to each thread of the team instead of the program's own data.
struct parallel {
  body run;
  void* data;
  std::uint64_t region;
};

void run_part(void* argument) {
  const parallel region = *static_cast<const parallel*>(argument);
  const region_part part(region.region);
  region.run(region.data);
}

/// The fork, and at the end of this object's life the join with the region's tasks.
class team {
 public:
  team(body run, void* data) : region_{run, data, new_region()} {
    release(region_begin(region_.region));
  }
  ~team() {
    acquire(region_end(region_.region));
    tasks_done_in(region_.region);
  }
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  void* argument() { return &region_; }

 private:
  parallel region_;
};

}  // namespace

NUMATCH_WRAP_WEAK(void, GOMP_parallel, body run, void* data, unsigned threads, unsigned flags) {
  team made(run, data);
  __real_GOMP_parallel(run_part, made.argument(), threads, flags);
}
NUMATCH_WRAP_WEAK(void, GOMP_parallel_sections, body run, void* data, unsigned threads,
                  unsigned count, unsigned flags) {
  team made(run, data);
  __real_GOMP_parallel_sections(run_part, made.argument(), threads, count, flags);
}

#define NUMATCH_PARALLEL_LOOP(name)                                                               \
  NUMATCH_WRAP_WEAK(void, GOMP_parallel_loop_##name, body run, void* data, unsigned threads,      \
                    long start, long end, long step, long chunk, unsigned flags) {                \
    team made(run, data);                                                                         \
    __real_GOMP_parallel_loop_##name(run_part, made.argument(), threads, start, end, step, chunk, \
                                     flags);                                                      \
  }
#define NUMATCH_PARALLEL_LOOP_RUNTIME(name)                                                        \
  NUMATCH_WRAP_WEAK(void, GOMP_parallel_loop_##name, body run, void* data, unsigned threads,       \
                    long start, long end, long step, unsigned flags) {                             \
    team made(run, data);                                                                          \
    __real_GOMP_parallel_loop_##name(run_part, made.argument(), threads, start, end, step, flags); \
  }
NUMATCH_PARALLEL_LOOP(static)
NUMATCH_PARALLEL_LOOP(dynamic)
NUMATCH_PARALLEL_LOOP(guided)
NUMATCH_PARALLEL_LOOP(nonmonotonic_dynamic)
NUMATCH_PARALLEL_LOOP(nonmonotonic_guided)
NUMATCH_PARALLEL_LOOP_RUNTIME(runtime)
NUMATCH_PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
NUMATCH_PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

// Barriers. Pending tasks run inside them.
#define NUMATCH_BARRIER(name)           \
  NUMATCH_WRAP_WEAK(void, name, void) { \
    {                                   \
      const team_barrier around;        \
      __real_##name();                  \
    }                                   \
    tasks_done();                       \
  }
#define NUMATCH_BARRIER_CANCEL(name)        \
  NUMATCH_WRAP_WEAK(bool, name, void) {     \
    const team_barrier around;              \
    const bool cancelled = __real_##name(); \
    return cancelled;                       \
  }
NUMATCH_BARRIER(GOMP_barrier)
NUMATCH_BARRIER(GOMP_loop_end)
NUMATCH_BARRIER(GOMP_sections_end)
NUMATCH_BARRIER_CANCEL(GOMP_barrier_cancel)
NUMATCH_BARRIER_CANCEL(GOMP_loop_end_cancel)
NUMATCH_BARRIER_CANCEL(GOMP_sections_end_cancel)

// One thread computes, the others wait for its values.
NUMATCH_WRAP_WEAK(void*, GOMP_single_copy_start, void) {
  const std::uint64_t object = next_barrier();
  void* const values = __real_GOMP_single_copy_start();
  if (values != nullptr) leave(object);
  return values;
}
NUMATCH_WRAP_WEAK(void, GOMP_single_copy_end, void* values) {
  // next_barrier() was called by this thread's single_copy_start.
  if (this_thread.region != 0) release(region_object(this_thread.region, this_thread.barriers - 1));
  __real_GOMP_single_copy_end(values);
}

// Mutual exclusion.
#define NUMATCH_GOMP_LOCK(begin, end, object) \
  NUMATCH_WRAP_WEAK(void, begin, void) {      \
    __real_##begin();                         \
    acquire(object_of(nameless::object));     \
  }                                           \
  NUMATCH_WRAP_WEAK(void, end, void) {        \
    release(object_of(nameless::object));     \
    __real_##end();                           \
  }
NUMATCH_GOMP_LOCK(GOMP_critical_start, GOMP_critical_end, critical)
NUMATCH_GOMP_LOCK(GOMP_atomic_start, GOMP_atomic_end, atomic)
NUMATCH_GOMP_LOCK(GOMP_ordered_start, GOMP_ordered_end, ordered)
NUMATCH_WRAP_WEAK(void, GOMP_critical_name_start, void** name) {
  __real_GOMP_critical_name_start(name);
  acquire(object_at(static_cast<void*>(name)));
}
NUMATCH_WRAP_WEAK(void, GOMP_critical_name_end, void** name) {
  release(object_at(static_cast<void*>(name)));
  __real_GOMP_critical_name_end(name);
}

// Tasks. The program's data is copied into each task by the library; the copy gets a header that
// says which function to run and what it waits for.
namespace {

struct alignas(16) task_header {
  body run;
  void (*copy)(void*, void*);
  void* original;  ///< the program's data while the task is being made
  task_origin origin;
  std::size_t distance;  ///< from here to the data
};

void run_task(void* argument) {
  task_header& header = *static_cast<task_header*>(argument);
  const task_part part(header.origin);
  header.run(static_cast<char*>(argument) + header.distance);
}

/// Called by the library to fill the task's copy.
void copy_task(void* to, void* from) {
  const task_header& header = *static_cast<task_header*>(from);
  *static_cast<task_header*>(to) = header;
  header.copy(static_cast<char*>(to) + header.distance, header.original);
}

}  // namespace

NUMATCH_WRAP_WEAK(void, GOMP_task, body run, void* data, void (*copy)(void*, void*), long bytes,
                  long alignment, bool deferred, unsigned flags, void** depend, int priority,
                  void* detach) {
  // A detached task's event is completed through its data: it keeps its own.
  constexpr unsigned detach_flag = 1U << 13;
  constexpr long most_bytes = 16384;
  if (!recording_on() || (flags & detach_flag) != 0 || bytes > most_bytes || alignment > 4096) {
    __real_GOMP_task(run, data, copy, bytes, alignment, deferred, flags, depend, priority, detach);
    return;
  }
  const std::size_t align = static_cast<std::size_t>(alignment < 16 ? 16 : alignment);
  const std::size_t distance = (sizeof(task_header) + align - 1) / align * align;
  const std::size_t whole = distance + static_cast<std::size_t>(bytes);
  char* const room = static_cast<char*>(__builtin_alloca(whole + align));
  char* const block = room + (align - reinterpret_cast<std::uintptr_t>(room) % align) % align;
  const task_origin origin = new_task();
  ::new (block) task_header{run, copy, data, origin, distance};
  if (copy == nullptr && bytes > 0)
    __builtin_memcpy(block + distance, data, static_cast<std::size_t>(bytes));
  release(origin.begin);
  __real_GOMP_task(run_task, block, copy == nullptr ? nullptr : copy_task, static_cast<long>(whole),
                   static_cast<long>(align), deferred, flags, depend, priority, detach);
}
NUMATCH_WRAP_WEAK(void, GOMP_taskwait, void) {
  __real_GOMP_taskwait();
  tasks_done();
}
NUMATCH_WRAP_WEAK(void, GOMP_taskgroup_end, void) {
  __real_GOMP_taskgroup_end();
  tasks_done();
}
