// SPDX-License-Identifier: Apache-2.0
#include "service/supervisor.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <utility>

#include "base/atomic_file.hpp"
#include "service/child_line.hpp"
#include "service/merged_metrics.hpp"

namespace numatch::service {

namespace {

const program_rule* rule_for(const configuration& wanted, const process_facts& process) {
  const auto found = std::find_if(wanted.programs.begin(), wanted.programs.end(),
                                  [&](const program_rule& rule) { return names(rule, process); });
  return found == wanted.programs.end() ? nullptr : &*found;
}

std::uint64_t least_seconds(const configuration& wanted) {
  std::uint64_t least = UINT64_MAX;
  for (const program_rule& rule : wanted.programs) least = std::min(least, rule.least_cpu_seconds);
  return least;
}

std::string shown(const process_facts& process) {
  std::string text = fmt::format("process {}", process.pid);
  if (process.inner_pid != process.pid) {
    text += fmt::format(" ({} in its own PID namespace)", process.inner_pid);
  }
  return text + fmt::format(", {}, {} threads", process.executable, process.threads);
}

void gauge(std::string& text, std::string_view name, std::string_view help, std::uint64_t value) {
  text += fmt::format("# TYPE numatch_{0} gauge\n# HELP numatch_{0} {1}\nnumatch_{0} {2}\n", name,
                      help, value);
}

void counter(std::string& text, std::string_view name, std::string_view help, std::uint64_t value) {
  text += fmt::format("# TYPE numatch_{0} counter\n# HELP numatch_{0} {1}\nnumatch_{0}_total {2}\n",
                      name, help, value);
}

}  // namespace

std::vector<matching_process> matching_processes(const configuration& wanted,
                                                 const std::string& proc,
                                                 const std::string& numatch) {
  std::vector<matching_process> all;
  const std::uint64_t least = least_seconds(wanted);
  for (const pid_t pid : all_processes(proc)) {
    if (pid == ::getpid()) continue;
    std::optional<process_facts> process = read_process(proc, pid, least);
    if (!process || process->executable == numatch) continue;
    if (const program_rule* rule = rule_for(wanted, *process)) {
      all.push_back({std::move(*process), rule});
    }
  }
  return all;
}

supervisor::supervisor(configuration wanted, supervisor_options options, telling tell)
    : wanted_(std::move(wanted)), options_(std::move(options)), tell_(std::move(tell)) {}

supervisor::~supervisor() {
  stop();
}

void supervisor::change(configuration wanted) {
  wanted_ = std::move(wanted);
  // What failed may have failed for what was changed.
  over_.clear();
  full_ = false;
}

bool supervisor::acts(const program_rule& rule) const {
  return !options_.dry_run && !rule.dry_run && (wanted_.enabled || options_.act);
}

void supervisor::look() {
  std::map<identity, matching_process> there;
  for (matching_process& match : matching_processes(wanted_, options_.proc, options_.numatch)) {
    const process_facts& process = match.process;
    there.emplace(identity{process.pid, process.start_time, process.executable}, std::move(match));
  }
  for (auto& [who, managed] : managed_) {
    const auto found = there.find(who);
    const bool as_wanted = found != there.end() && *found->second.rule == managed.rule &&
                           acts(managed.rule) == managed.acts;
    if (as_wanted || managed.stopping) continue;
    managed.stopping = true;
    managed.child.stop();
  }
  std::erase_if(over_, [&](const auto& ended) { return !there.contains(ended.first); });
  for (const auto& [who, match] : there) {
    if (managed_.contains(who) || over_.contains(who) || !is_ready(*match.rule, match.process)) {
      continue;
    }
    if (managed_.size() < wanted_.most_programs) {
      begin(match);
    } else if (!std::exchange(full_, true)) {
      tell_(fmt::format("{} programs are managed, and more match: most_programs is reached",
                        managed_.size()));
    }
  }
}

std::string supervisor::metrics_file(pid_t pid) const {
  return fmt::format("{}/{}.prom", options_.folder, pid);
}

std::vector<std::string> supervisor::command_for(const program_rule& rule, pid_t pid) const {
  std::vector<std::string> words{options_.numatch,
                                 "--quiet",
                                 "run",
                                 "--pid",
                                 std::to_string(pid),
                                 "--mechanism",
                                 rule.mechanism,
                                 "--sensor",
                                 rule.sensor,
                                 "--budget",
                                 fmt::format("{}", rule.budget_percent),
                                 "--page-rate",
                                 fmt::format("{}", rule.page_megabytes),
                                 "--log",
                                 "/proc/self/fd/1"};
  for (const std::string& given : rule.parameters) words.insert(words.end(), {"--param", given});
  if (rule.cached_bytes) {
    words.insert(words.end(), {"--cached", std::to_string(*rule.cached_bytes)});
  }
  if (!options_.folder.empty()) words.insert(words.end(), {"--metrics", metrics_file(pid)});
  if (!acts(rule)) words.emplace_back("--dry-run");
  return words;
}

void supervisor::begin(const matching_process& match) {
  const process_facts& process = match.process;
  const program_rule& rule = *match.rule;
  identity who{process.pid, process.start_time, process.executable};
  result<controller_child> child = controller_child::start(command_for(rule, process.pid));
  if (!child) {
    tell_(fmt::format("{}[{}]: {}", rule.name, process.pid, child.error().message()));
    over_[who] = true;
    ++failed_;
    return;
  }
  ++begun_;
  tell_(fmt::format("{}[{}]: {}{}", rule.name, process.pid, shown(process),
                    acts(rule) ? ": managed" : ": watched, nothing is moved (dry run)"));
  managed_.emplace(std::move(who),
                   managed_process{rule, acts(rule), false, false, std::move(*child)});
}

std::vector<pollfd> supervisor::awaited() const {
  std::vector<pollfd> all;
  for (const auto& [who, managed] : managed_) {
    all.push_back({managed.child.end_fd(), POLLIN, 0});
    // Whoever closed its output and goes on would wake us without end.
    all.push_back({managed.child.output_open() ? managed.child.output_fd() : -1, POLLIN, 0});
  }
  return all;
}

void supervisor::tell_line(const identity& who, managed_process& process,
                           std::string_view line) const {
  const std::string said = shown_child_line(line);
  if (said.empty()) return;
  // A dry run would say so at each decision, for days.
  if (said.starts_with("would move") && std::exchange(process.said_what_it_would_do, true)) return;
  tell_(fmt::format("{}[{}]: {}", process.rule.name, std::get<pid_t>(who), said));
}

void supervisor::collect() {
  for (auto at = managed_.begin(); at != managed_.end();) {
    auto& [who, managed] = *at;
    const std::optional<int> code = managed.child.ended();
    for (const std::string& line : managed.child.take_lines()) tell_line(who, managed, line);
    if (!code) {
      ++at;
      continue;
    }
    const pid_t pid = std::get<pid_t>(who);
    // Asked to end before it had begun to listen: nothing was done yet.
    const bool ended_early = managed.stopping && *code == 128 + SIGTERM;
    if (*code != 0 && !ended_early) {
      ++failed_;
      tell_(fmt::format("{}[{}]: managing ended with {}", managed.rule.name, pid, *code));
    } else {
      tell_(fmt::format("{}[{}]: no longer managed", managed.rule.name, pid));
    }
    // Whoever was stopped may be begun again, in another way.
    if (!managed.stopping) over_[who] = true;
    if (!options_.folder.empty()) {
      std::error_code ignored;
      std::filesystem::remove(metrics_file(pid), ignored);
    }
    at = managed_.erase(at);
  }
}

void supervisor::stop(double patience) {
  using clock = std::chrono::steady_clock;
  for (auto& [who, managed] : managed_) {
    managed.stopping = true;
    managed.child.stop();
  }
  const clock::time_point end = clock::now() + std::chrono::duration_cast<clock::duration>(
                                                   std::chrono::duration<double>(patience));
  while (!managed_.empty() && clock::now() < end) {
    std::vector<pollfd> waited = awaited();
    constexpr int milliseconds = 100;
    ::poll(waited.data(), waited.size(), milliseconds);
    collect();
  }
  for (auto& [who, managed] : managed_) {
    tell_(fmt::format("{}[{}]: did not end in {} s and is killed", managed.rule.name,
                      std::get<pid_t>(who), patience));
    managed.child.stop(true);
  }
  while (!managed_.empty()) {
    std::vector<pollfd> waited = awaited();
    ::poll(waited.data(), waited.size(), -1);
    collect();
  }
}

std::string supervisor::metrics() const {
  std::string text;
  gauge(text, "managed_programs", "Processes that are managed now.", managed_.size());
  counter(text, "programs_begun", "Processes that were managed.", begun_);
  counter(text, "programs_failed", "Processes whose managing ended with an error.", failed_);
  std::vector<labelled_metrics> programs;
  for (const auto& [who, managed] : managed_) {
    const pid_t pid = std::get<pid_t>(who);
    if (result<std::string> read = read_file(metrics_file(pid)); read && !options_.folder.empty()) {
      programs.push_back(
          {fmt::format("program=\"{}\",process=\"{}\"", escaped_label(managed.rule.name), pid),
           std::move(*read)});
    }
  }
  return text + merge_metrics(programs) + "# EOF\n";
}

}  // namespace numatch::service
