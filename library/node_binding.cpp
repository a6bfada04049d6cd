// SPDX-License-Identifier: Apache-2.0
#include "node_binding.hpp"

#include "numatch/annotate.h"

namespace numatch {
inline namespace numa_v1 {

node_binding::node_binding(const topology& machine, std::size_t node) {
  if (machine.size() == 1) return;
  NUMATCH_RUN_ON(node);
  if (!machine.binds()) return;
  if (sched_getaffinity(0, sizeof before_, before_.data()) != 0) return;
  std::array<cpu_set_t, sets> wanted{};
  for (const unsigned cpu : machine[node].cpus) CPU_SET_S(cpu, sizeof wanted, wanted.data());
  bound_ = sched_setaffinity(0, sizeof wanted, wanted.data()) == 0;
}

node_binding::~node_binding() {
  if (bound_) sched_setaffinity(0, sizeof before_, before_.data());
}

namespace {

struct place {
  const void* executor = nullptr;
  std::size_t node = 0;
};
thread_local place here;

}  // namespace

current_task::current_task(const void* executor, std::size_t node)
    : outer_executor_(here.executor), outer_node_(here.node) {
  here = {executor, node};
}
current_task::~current_task() {
  here = {outer_executor_, outer_node_};
}
bool current_task::of(const void* executor) {
  return here.executor == executor;
}
std::size_t current_task::node_in(const void* executor) {
  return here.executor == executor ? here.node : 0;
}

}  // namespace numa_v1
}  // namespace numatch
