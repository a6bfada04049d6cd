// SPDX-License-Identifier: Apache-2.0
#include "live/task_choice.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "live/proc_text.hpp"

namespace numatch::live {

namespace {

constexpr std::size_t most_tasks = 64;

/// Calls that the kernel ends with EINTR instead of restarting them (signal(7)).
bool ends_when_woken(long call) {
  switch (call) {
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_rt_sigtimedwait:
    case SYS_io_getevents:
    case SYS_io_uring_enter:
    case SYS_read:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_connect:
      return true;
    default:
      return false;
  }
}

}  // namespace

stop_manners manners_of(char state, std::string_view system_call) {
  switch (state) {
    case 'R':
    case 'S':
      break;
    case 'T':
    case 't':  // traced: to be refused with the tracer's name
      return stop_manners::stopped;
    default:
      return stop_manners::unfit;
  }
  long call = -1;
  const std::from_chars_result read =
      std::from_chars(system_call.data(), system_call.data() + system_call.size(), call);
  if (read.ec != std::errc{} || call < 0) return stop_manners::in_user_space;
  return ends_when_woken(call) ? stop_manners::starts_anew : stop_manners::restarts;
}

result<std::vector<pid_t>> tasks_to_stop(const observed_process& process) {
  const result<std::vector<pid_t>> tasks = process.tasks();
  if (!tasks) return tl::unexpected(tasks.error());
  std::vector<std::pair<stop_manners, pid_t>> fit;
  for (const pid_t task : *tasks) {
    const std::optional<task_stat> stat = read_task_stat(process.pid(), task);
    if (!stat) continue;
    const std::string call =
        read_proc(task_folder(process.pid(), task) + "syscall").value_or("running");
    const stop_manners manners = manners_of(stat->state, call);
    if (manners != stop_manners::unfit) fit.emplace_back(manners, task);
    if (manners == stop_manners::in_user_space || fit.size() == most_tasks) break;
  }
  if (fit.empty()) {
    return fail(fmt::format("process {}", process.pid()),
                "has no thread that could be stopped: all wait for a device");
  }
  std::stable_sort(
      fit.begin(), fit.end(),
      [](const std::pair<stop_manners, pid_t>& one, const std::pair<stop_manners, pid_t>& other) {
        return one.first < other.first;
      });
  std::vector<pid_t> chosen;
  for (const std::pair<stop_manners, pid_t>& task : fit) chosen.push_back(task.second);
  return chosen;
}

}  // namespace numatch::live
