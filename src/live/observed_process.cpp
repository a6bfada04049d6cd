// SPDX-License-Identifier: Apache-2.0
#include "live/observed_process.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "live/proc_text.hpp"

namespace numatch::live {

namespace {

std::string where(pid_t pid) {
  return fmt::format("process {}", pid);
}

tl::unexpected<error> ended(pid_t pid) {
  return fail(where(pid), "has ended");
}

std::string user_name(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry != nullptr ? entry->pw_name : fmt::format("number {}", user);
}

/// Why /proc does not show what it would show of an own process.
tl::unexpected<error> forbidden(pid_t pid) {
  const std::optional<std::string> status = read_proc(fmt::format("/proc/{}/status", pid));
  const std::optional<std::string_view> users =
      status ? status_field(*status, "Uid") : std::nullopt;
  uid_t owner = 0;
  if (users) std::from_chars(users->data(), users->data() + users->size(), owner);
  if (!users || owner == ::geteuid()) {
    return fail(where(pid), "may not be observed: it has rights that this user has not",
                "run numatch as root");
  }
  return fail(where(pid), fmt::format("belongs to user {}", user_name(owner)),
              "run numatch as that user or as root");
}

}  // namespace

result<observed_process> observed_process::open(pid_t pid) {
  if (pid <= 0) return fail(where(pid), "no process has this number");
  observed_process process(pid, static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (process.pidfd_ < 0) {
    if (errno == ESRCH) return fail(where(pid), "there is no such process");
    // A task that does not lead its process: EINVAL, from Linux 6.9 on ENOENT.
    if (errno == EINVAL || errno == ENOENT) {
      return fail(where(pid), "is a thread, not a process", "name the process that it belongs to");
    }
    return fail(where(pid), std::strerror(errno));
  }
  // Whoever may not read this may not read page maps or attach either.
  const std::optional<std::string> maps = read_proc(fmt::format("/proc/{}/maps", pid));
  if (!process.alive()) return ended(pid);
  if (!maps) return forbidden(pid);
  if (maps->empty()) return fail(where(pid), "has no memory of its own: it belongs to the kernel");
  return process;
}

observed_process::observed_process(observed_process&& other) noexcept
    : pid_(other.pid_), pidfd_(std::exchange(other.pidfd_, -1)) {}

observed_process& observed_process::operator=(observed_process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  return *this;
}

observed_process::~observed_process() {
  if (pidfd_ >= 0) ::close(pidfd_);
}

bool observed_process::alive() const {
  pollfd end{pidfd_, POLLIN, 0};
  return ::poll(&end, 1, 0) == 0;
}

std::string observed_process::name() const {
  std::string text = read_proc(fmt::format("/proc/{}/comm", pid_)).value_or("");
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return alive() ? text : "";
}

result<std::vector<pid_t>> observed_process::tasks() const {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(
      ::opendir(fmt::format("/proc/{}/task", pid_).c_str()),
      [](DIR* open) { return ::closedir(open); });
  if (!folder) return ended(pid_);
  std::vector<std::pair<std::uint64_t, pid_t>> found;
  while (const dirent* entry = ::readdir(folder.get())) {
    pid_t task = 0;
    const char* name = entry->d_name;
    if (std::from_chars(name, name + std::strlen(name), task).ec != std::errc{}) continue;
    const std::optional<task_stat> stat = read_task_stat(pid_, task);
    if (stat) found.emplace_back(stat->start_time, task);
  }
  // What was read belongs to this process only if it still runs: its number was not reused then.
  if (!alive()) return ended(pid_);
  std::sort(found.begin(), found.end());
  std::vector<pid_t> tasks;
  for (const std::pair<std::uint64_t, pid_t>& entry : found) tasks.push_back(entry.second);
  return tasks;
}

result<std::vector<mapped_range>> observed_process::mappings() const {
  const std::optional<std::string> text = read_proc(fmt::format("/proc/{}/maps", pid_));
  if (!alive()) return ended(pid_);
  if (!text) return forbidden(pid_);
  return parse_mappings(*text);
}

}  // namespace numatch::live
