// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// libomp: what clang calls for OpenMP constructs.
#include <cstdarg>

#include "openmp.hpp"

using namespace numatch::instrumented;

namespace {

/// A region's function: two pointers to thread numbers, then one pointer per captured variable.
using microtask = void (*)(int*, int*, ...);

struct parallel {
  microtask run;
  std::uint64_t region;
  long count;
  void** captured;
};

}  // namespace

/// Calls run(global, bound, captured[0], ..., captured[count - 1]). C++ cannot make a call with a
/// number of arguments that is known only now.
extern "C" void numatch_call_microtask(microtask run, int* global, int* bound, void** captured,
                                       long count);
__asm__(R"(
    .pushsection .text
    .type numatch_call_microtask, @function
    .hidden numatch_call_microtask
    .globl numatch_call_microtask
numatch_call_microtask:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %r11         # the function
    movq %rcx, %r10         # captured
    movq %r8, %rax
    subq $4, %rax           # the first four travel in registers
    jle 2f
    leaq 1(%rax), %rdi      # room for the others, 16-byte aligned
    andq $-2, %rdi
    shlq $3, %rdi
    subq %rdi, %rsp
1:  movq 24(%r10,%rax,8), %rdi
    movq %rdi, -8(%rsp,%rax,8)
    decq %rax
    jnz 1b
2:  movq %rsi, %rdi
    movq %rdx, %rsi
    movq %r8, %rax
    testq %rax, %rax
    jz 3f
    movq (%r10), %rdx
    cmpq $2, %rax
    jl 3f
    movq 8(%r10), %rcx
    je 3f
    movq 16(%r10), %r8
    cmpq $4, %rax
    jl 3f
    movq 24(%r10), %r9
3:  xorl %eax, %eax         # no vector arguments
    call *%r11
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size numatch_call_microtask, . - numatch_call_microtask
    .popsection
)");

namespace {

void run_part(int* global, int* bound, parallel* region) {
  const parallel held = *region;
  const region_part part(held.region);
  numatch_call_microtask(held.run, global, bound, held.captured, held.count);
}

}  // namespace

extern "C" {
[[gnu::weak]] void __real___kmpc_fork_call(void* where, int count, microtask run, ...);
void __wrap___kmpc_fork_call(void* where, int count, microtask run, ...);
[[gnu::weak]] void __real___kmpc_fork_call_if(void* where, int count, microtask run, int condition,
                                              void* data);
}

NUMATCH_ENTRY void __wrap___kmpc_fork_call(void* where, int count, microtask run, ...) {
  void** const captured =
      static_cast<void**>(__builtin_alloca(sizeof(void*) * static_cast<std::size_t>(count + 1)));
  va_list more;
  va_start(more, run);
  for (int i = 0; i < count; ++i) captured[i] = va_arg(more, void*);
  va_end(more);
  parallel region{run, new_region(), count, captured};
  release(region_begin(region.region));
  __real___kmpc_fork_call(where, 1, reinterpret_cast<microtask>(run_part), &region);
  acquire(region_end(region.region));
  tasks_done_in(region.region);
}

/// A region with an if clause; its variables are in one structure.
NUMATCH_ENTRY void __wrap___kmpc_fork_call_if(void* where, int count, microtask run, int condition,
                                              void* data);
NUMATCH_ENTRY void __wrap___kmpc_fork_call_if(void* where, int, microtask run, int condition,
                                              void* data) {
  parallel region{run, new_region(), 1, &data};
  release(region_begin(region.region));
  __real___kmpc_fork_call_if(where, 1, reinterpret_cast<microtask>(run_part), condition, &region);
  acquire(region_end(region.region));
  tasks_done_in(region.region);
}

NUMATCH_WRAP_WEAK(void, __kmpc_barrier, void* where, int thread) {
  {
    const team_barrier around;
    __real___kmpc_barrier(where, thread);
  }
  tasks_done();
}
NUMATCH_WRAP_WEAK(int, __kmpc_cancel_barrier, void* where, int thread) {
  const team_barrier around;
  const int cancelled = __real___kmpc_cancel_barrier(where, thread);
  return cancelled;
}
NUMATCH_WRAP_WEAK(void, __kmpc_copyprivate, void* where, int thread, std::size_t bytes, void* data,
                  void (*copy)(void*, void*), int did_it) {
  const team_barrier around;
  __real___kmpc_copyprivate(where, thread, bytes, data, copy, did_it);
}

NUMATCH_WRAP_WEAK(void, __kmpc_critical, void* where, int thread, void* lock) {
  __real___kmpc_critical(where, thread, lock);
  acquire(object_at(lock));
}
NUMATCH_WRAP_WEAK(void, __kmpc_critical_with_hint, void* where, int thread, void* lock,
                  unsigned hint) {
  __real___kmpc_critical_with_hint(where, thread, lock, hint);
  acquire(object_at(lock));
}
NUMATCH_WRAP_WEAK(void, __kmpc_end_critical, void* where, int thread, void* lock) {
  release(object_at(lock));
  __real___kmpc_end_critical(where, thread, lock);
}
NUMATCH_WRAP_WEAK(void, __kmpc_ordered, void* where, int thread) {
  __real___kmpc_ordered(where, thread);
  acquire(object_of(nameless::ordered));
}
NUMATCH_WRAP_WEAK(void, __kmpc_end_ordered, void* where, int thread) {
  release(object_of(nameless::ordered));
  __real___kmpc_end_ordered(where, thread);
}

// Reductions. 1: the caller combines everybody's part and reports the end, on which the others
// wait inside the first call; 2: each adds its own part atomically; 0: nothing left to do.
namespace {

using combine = void (*)(void*, void*);

}  // namespace

NUMATCH_WRAP_WEAK(int, __kmpc_reduce, void* where, int thread, int count, std::size_t bytes,
                  void* data, combine function, void* lock) {
  const std::uint64_t parts = next_barrier();
  const std::uint64_t whole = next_barrier();
  reach(parts);
  const int role = __real___kmpc_reduce(where, thread, count, bytes, data, function, lock);
  leave(role == 0 ? whole : parts);
  return role;
}
NUMATCH_WRAP_WEAK(void, __kmpc_end_reduce, void* where, int thread, void* lock) {
  const std::uint64_t whole =
      this_thread.region == 0 ? 0 : region_object(this_thread.region, this_thread.barriers - 1);
  reach(whole);
  __real___kmpc_end_reduce(where, thread, lock);
  leave(whole);
}
NUMATCH_WRAP_WEAK(int, __kmpc_reduce_nowait, void* where, int thread, int count, std::size_t bytes,
                  void* data, combine function, void* lock) {
  const std::uint64_t parts = next_barrier();
  reach(parts);
  const int role = __real___kmpc_reduce_nowait(where, thread, count, bytes, data, function, lock);
  if (role == 1) leave(parts);
  return role;
}

// Tasks. The block that the library allocates has the task itself, then the variables that it
// shares, to which the task points: so a header between the two can always be found.
namespace {

struct task;
using task_routine = int (*)(int, task*);

/// The beginning of libomp's kmp_task_t, which compilers know.
struct task {
  char* shared;
  task_routine run;
};

struct alignas(8) task_header {
  task_routine run;
  task_origin origin;
};

task_header& header_of(const task* t) {
  return *reinterpret_cast<task_header*>(t->shared - sizeof(task_header));
}

int run_task(int thread, task* t) {
  const task_header header = header_of(t);
  const task_part part(header.origin);
  return header.run(thread, t);
}

void submitted(const task* t) {
  if (t->run == run_task) release(header_of(t).origin.begin);
}

}  // namespace

NUMATCH_WRAP_WEAK(task*, __kmpc_omp_task_alloc, void* where, int thread, int flags,
                  std::size_t bytes, std::size_t shared_bytes, task_routine run) {
  if (!recording_on())
    return __real___kmpc_omp_task_alloc(where, thread, flags, bytes, shared_bytes, run);
  // Without shared variables there would be no pointer to them.
  task* const made =
      __real___kmpc_omp_task_alloc(where, thread, flags, bytes + sizeof(task_header),
                                   shared_bytes == 0 ? sizeof(void*) : shared_bytes, run_task);
  header_of(made) = {run, new_task()};
  return made;
}
NUMATCH_WRAP_WEAK(int, __kmpc_omp_task, void* where, int thread, task* made) {
  submitted(made);
  return __real___kmpc_omp_task(where, thread, made);
}
NUMATCH_WRAP_WEAK(int, __kmpc_omp_task_with_deps, void* where, int thread, task* made, int count,
                  void* depend, int other_count, void* other) {
  submitted(made);
  return __real___kmpc_omp_task_with_deps(where, thread, made, count, depend, other_count, other);
}
NUMATCH_WRAP_WEAK(int, __kmpc_omp_taskwait, void* where, int thread) {
  const int outcome = __real___kmpc_omp_taskwait(where, thread);
  tasks_done();
  return outcome;
}
NUMATCH_WRAP_WEAK(void, __kmpc_end_taskgroup, void* where, int thread) {
  __real___kmpc_end_taskgroup(where, thread);
  tasks_done();
}
