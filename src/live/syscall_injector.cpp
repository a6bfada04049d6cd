// SPDX-License-Identifier: Apache-2.0
#include "live/syscall_injector.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "live/injection_child.hpp"
#include "live/proc_text.hpp"
#include "live/syscall_site.hpp"
#include "live/task_choice.hpp"

namespace numatch::live {

namespace {

std::string where(const observed_process& process) {
  return fmt::format("process {}", process.pid());
}

std::string status_of(const observed_process& process, pid_t task) {
  return read_proc(task_folder(process.pid(), task) + "status").value_or("");
}

bool filters_system_calls(const observed_process& process, pid_t task) {
  return status_field(status_of(process, task), "Seccomp").value_or("0") != "0";
}

tl::unexpected<error> not_permitted(const observed_process& process, pid_t task, bool filtered) {
  const std::string status = status_of(process, task);
  const std::string tracer(status_field(status, "TracerPid").value_or("0"));
  if (tracer != "0") {
    std::string name = read_proc(fmt::format("/proc/{}/comm", tracer)).value_or("unknown\n");
    name.pop_back();
    return fail(where(process), fmt::format("is traced by process {} ({})", tracer, name),
                "end the debugger first");
  }
  if (filtered) {
    return fail(where(process),
                "filters its system calls (seccomp), and a call of ours could end it",
                "run numatch as root, or choose a sensor that makes no calls in the program");
  }
  const std::string scope = read_proc("/proc/sys/kernel/yama/ptrace_scope").value_or("0");
  if (scope[0] != '0') {
    return fail(
        where(process), "may not be attached to by a process that is not its ancestor",
        "start the program with numatch, run as root, or sysctl kernel.yama.ptrace_scope=0");
  }
  return fail(where(process), "may not be attached to", "run numatch as root");
}

tl::unexpected<error> explain(const observed_process& process, pid_t task, bool filtered,
                              injection_trouble trouble, int code) {
  const std::string place = where(process);
  switch (trouble) {
    case injection_trouble::none:
      break;
    case injection_trouble::gone:
      return fail(place,
                  process.alive() ? "lost the thread that was to make a system call" : "has ended");
    case injection_trouble::not_permitted:
      return not_permitted(process, task, filtered);
    case injection_trouble::no_reply:
      return fail(place, fmt::format("thread {} did not stop within ten seconds", task));
    case injection_trouble::other_bits:
      return fail(place, "runs 32-bit code, in which no system calls can be made from outside");
    case injection_trouble::calls_dispatched:
      return fail(place, "catches its system calls itself (PR_SET_SYSCALL_USER_DISPATCH)");
    case injection_trouble::no_instruction:
      return fail(place, "has no system call instruction any more where one was");
    case injection_trouble::no_scratch:
      return fail(place, fmt::format("has no page left for arguments: {}", std::strerror(code)));
    case injection_trouble::fault:
      return fail(place, "a system call instruction ended in a fault");
    case injection_trouble::system:
      break;
  }
  return fail(place, fmt::format("cannot be traced: {}", std::strerror(code)));
}

/// Where a system call instruction is, and the tasks that can be made to run it.
struct means {
  std::uint64_t instruction = 0;
  std::vector<pid_t> tasks;
};

result<means> find_means(const observed_process& process) {
  const result<std::vector<mapped_range>> mappings = process.mappings();
  if (!mappings) return tl::unexpected(mappings.error());
  result<std::vector<pid_t>> tasks = tasks_to_stop(process);
  if (!tasks) return tl::unexpected(tasks.error());
  const owned_fd memory(
      ::open(fmt::format("/proc/{}/mem", process.pid()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!memory && !process.alive()) return fail(where(process), "has ended");
  if (!memory) return not_permitted(process, tasks->front(), false);
  const std::optional<std::uint64_t> site =
      find_syscall_site(*mappings, [&memory](std::uint64_t address, std::size_t bytes) {
        std::string code(bytes, '\0');
        const ssize_t got = ::pread(memory.get(), code.data(), bytes, static_cast<off_t>(address));
        code.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return code;
      });
  if (!site) return fail(where(process), "has no system call instruction in its code");
  return means{*site, std::move(*tasks)};
}

/// Adds what a child did to what those before it did.
void add(injection_reply& sum, injection_reply&& more) {
  sum.trouble = more.trouble;
  sum.code = more.code;
  sum.answers.insert(sum.answers.end(), more.answers.begin(), more.answers.end());
  sum.fd = std::move(more.fd);
  sum.stops += more.stops;
  sum.longest_stop = std::max(sum.longest_stop, more.longest_stop);
}

bool is_traced(const observed_process& process, pid_t task) {
  return status_field(status_of(process, task), "TracerPid").value_or("0") != "0";
}

/// Another numatch, or a guardian of one, may be in the midst of an injection, which takes a
/// millisecond; a debugger stays.
result<injection_reply> send_child_patiently(const observed_process& process,
                                             const injection_orders& orders) {
  constexpr int most_attempts = 100;
  for (int attempt = 1;; ++attempt) {
    result<injection_reply> reply = send_child(orders);
    if (!reply || reply->trouble != injection_trouble::not_permitted || attempt == most_attempts ||
        !is_traced(process, orders.task)) {
      return reply;
    }
    ::usleep(2000);
  }
}

/// Whether another thread may be luckier.
bool depends_on_task(injection_trouble trouble) {
  return trouble == injection_trouble::gone || trouble == injection_trouble::no_reply;
}

result<injection_reply> make_calls(const observed_process& process, injection_orders orders) {
  const result<means> found = find_means(process);
  if (!found) return tl::unexpected(found.error());
  orders.process = process.pid();
  orders.pidfd = process.pidfd();
  orders.instruction = found->instruction;
  constexpr std::size_t most_attempts = 3;
  const std::size_t attempts = std::min(found->tasks.size(), most_attempts);
  injection_reply sum;
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    orders.task = found->tasks[attempt];
    orders.past_filter = filters_system_calls(process, orders.task);
    result<injection_reply> reply = send_child_patiently(process, orders);
    if (!reply) return reply;
    orders.calls = orders.calls.subspan(reply->answers.size());
    add(sum, std::move(*reply));
    if (sum.trouble == injection_trouble::none) return sum;
    if (orders.calls.empty() || !depends_on_task(sum.trouble)) break;
  }
  return explain(process, orders.task, orders.past_filter, sum.trouble, sum.code);
}

}  // namespace

result<injection> syscall_injector::run(std::span<const remote_call> calls) {
  injection done;
  if (calls.empty()) return done;
  injection_orders orders;
  orders.calls = calls;
  result<injection_reply> reply = make_calls(process_, orders);
  if (!reply) return tl::unexpected(reply.error());
  done.answers = std::move(reply->answers);
  done.stops = reply->stops;
  done.longest_stop = reply->longest_stop;
  return done;
}

result<taken_fd> syscall_injector::take(const remote_call& call) {
  injection_orders orders;
  orders.calls = std::span(&call, 1);
  orders.take_fd = true;
  result<injection_reply> reply = make_calls(process_, orders);
  if (!reply) return tl::unexpected(reply.error());
  if (reply->answers.front() < 0) {
    return fail(where(process_),
                fmt::format("cannot make a file descriptor: {}",
                            std::strerror(static_cast<int>(-reply->answers.front()))));
  }
  if (!reply->fd) {
    return fail(where(process_), fmt::format("its file descriptor cannot be taken over: {}",
                                             std::strerror(reply->code)));
  }
  return taken_fd{std::move(reply->fd), reply->longest_stop};
}

}  // namespace numatch::live
