// SPDX-License-Identifier: Apache-2.0
#include "live/child_tasks.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "live/observed_process.hpp"
#include "live/proc_text.hpp"
#include "live/text_fields.hpp"

namespace numatch::live {

namespace {

std::vector<pid_t> tasks_of(pid_t process) {
  const result<observed_process> opened = observed_process::open(process);
  return opened ? opened->tasks().value_or(std::vector<pid_t>{}) : std::vector<pid_t>{};
}

std::vector<pid_t> children_of_tasks(pid_t process, const std::vector<pid_t>& tasks) {
  std::vector<pid_t> children;
  for (const pid_t task : tasks) {
    const std::string text = read_proc(task_folder(process, task) + "children").value_or("");
    for (std::string_view rest = text; !rest.empty();) {
      pid_t child = 0;
      if (parse_number(take_until(rest, ' '), 10, child)) children.push_back(child);
    }
  }
  return children;
}

}  // namespace

std::vector<pid_t> children_of(pid_t process) {
  return children_of_tasks(process, tasks_of(process));
}

std::vector<child_task> tasks_below(pid_t process) {
  std::vector<child_task> found;
  std::vector<pid_t> waiting{process};
  std::vector<pid_t> seen;
  while (!waiting.empty()) {
    const pid_t next = waiting.back();
    waiting.pop_back();
    if (std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
    seen.push_back(next);
    const std::vector<pid_t> tasks = tasks_of(next);
    for (const pid_t task : tasks) found.push_back({next, task});
    const std::vector<pid_t> children = children_of_tasks(next, tasks);
    waiting.insert(waiting.end(), children.begin(), children.end());
  }
  return found;
}

}  // namespace numatch::live
