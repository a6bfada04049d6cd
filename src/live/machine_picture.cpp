// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <tuple>

#include "live/proc_text.hpp"
#include "live/program_picture.hpp"

namespace numatch::live {

namespace {

std::vector<pid_t> all_processes() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"),
                                                   [](DIR* open) { return ::closedir(open); });
  std::vector<pid_t> found;
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    pid_t number = 0;
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    const std::from_chars_result read = std::from_chars(entry->d_name, end, number);
    if (read.ec == std::errc{} && read.ptr == end) found.push_back(number);
  }
  return found;
}

/// Kernel threads have no memory of their own: this file of theirs is there and empty.
bool is_hidden(pid_t pid) {
  const std::optional<std::string> status = read_proc(fmt::format("/proc/{}/status", pid));
  return status && status_field(*status, "VmRSS").has_value();
}

}  // namespace

machine_picture picture_machine(const system_facts& machine) {
  machine_picture picture;
  picture.nodes = machine.nodes.size();
  for (const pid_t pid : all_processes()) {
    const result<observed_process> process = observed_process::open(pid);
    if (!process) {
      if (is_hidden(pid)) ++picture.hidden;
      continue;
    }
    const result<process_view> view = view_process(*process, machine);
    if (!view) continue;
    picture.programs.push_back({pid, view->name, view->tasks.size(), view->bytes,
                                view->bytes - view->local_bytes, view->even_share});
  }
  std::sort(picture.programs.begin(), picture.programs.end(),
            [](const program_row& a, const program_row& b) {
              return std::tuple(b.remote_bytes, b.bytes, a.pid) <
                     std::tuple(a.remote_bytes, a.bytes, b.pid);
            });
  return picture;
}

}  // namespace numatch::live
