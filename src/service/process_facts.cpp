// SPDX-License-Identifier: Apache-2.0
#include "service/process_facts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "live/proc_text.hpp"
#include "live/text_fields.hpp"

namespace numatch::service {

namespace fs = std::filesystem;

namespace {

/// Fields of `stat` by the numbers of proc(5).
bool read_stat(std::string_view text, process_facts& facts) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return false;
  text.remove_prefix(name_end + 2);
  std::uint64_t ticks[2] = {0, 0};
  for (int field = 3; field <= 22; ++field) {
    const std::string_view value = live::take_until(text, ' ');
    const bool read = field == 14   ? live::parse_number(value, 10, ticks[0])
                      : field == 15 ? live::parse_number(value, 10, ticks[1])
                      : field == 20 ? live::parse_number(value, 10, facts.threads)
                      : field == 22 ? live::parse_number(value, 10, facts.start_time)
                                    : true;
    if (!read) return false;
  }
  const long per_second = ::sysconf(_SC_CLK_TCK);
  facts.cpu_seconds = (ticks[0] + ticks[1]) / static_cast<std::uint64_t>(std::max(per_second, 1L));
  return true;
}

/// "Uid: REAL EFFECTIVE ...", "NSpid: OUTER ... INNER".
bool read_status(std::string_view text, process_facts& facts) {
  std::optional<std::string_view> user = live::status_field(text, "Uid");
  if (!user || !live::parse_number(live::take_until(*user, '\t'), 10, facts.user)) return false;
  facts.inner_pid = facts.pid;
  if (const std::optional<std::string_view> numbers = live::status_field(text, "NSpid")) {
    live::parse_number(numbers->substr(numbers->rfind('\t') + 1), 10, facts.inner_pid);
  }
  return true;
}

std::vector<std::string> cgroups_of(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    std::string_view line = live::take_until(text, '\n');
    live::take_until(line, ':');
    live::take_until(line, ':');
    if (!line.empty()) all.emplace_back(line);
  }
  return all;
}

}  // namespace

std::vector<pid_t> all_processes(const std::string& proc) {
  std::vector<pid_t> all;
  std::error_code failed;
  for (fs::directory_iterator entry(proc, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    pid_t pid = 0;
    if (live::parse_number(entry->path().filename().string(), 10, pid)) all.push_back(pid);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::optional<process_facts> read_process(const std::string& proc, pid_t pid,
                                          std::uint64_t least_cpu_seconds) {
  const std::string folder = fmt::format("{}/{}/", proc, pid);
  process_facts facts;
  facts.pid = pid;
  const std::optional<std::string> stat = live::read_proc(folder + "stat");
  if (!stat || !read_stat(*stat, facts) || facts.cpu_seconds < least_cpu_seconds) {
    return std::nullopt;
  }
  std::error_code failed;
  // A kernel thread has none.
  facts.executable = fs::read_symlink(folder + "exe", failed).string();
  if (failed || facts.executable.empty()) return std::nullopt;
  constexpr std::string_view replaced = " (deleted)";
  if (facts.executable.ends_with(replaced)) {
    facts.executable.resize(facts.executable.size() - replaced.size());
  }
  const std::optional<std::string> status = live::read_proc(folder + "status");
  if (!status || !read_status(*status, facts)) return std::nullopt;
  const std::optional<std::string> cgroups = live::read_proc(folder + "cgroup");
  if (cgroups) facts.cgroups = cgroups_of(*cgroups);
  return facts;
}

}  // namespace numatch::service
