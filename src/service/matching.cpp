// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>

#include "service/configuration.hpp"

namespace numatch::service {

namespace {

/// A star stands for no slash.
bool fits(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), FNM_PATHNAME) == 0;
}

bool is_executable(const std::string& pattern, const std::string& path) {
  if (pattern.find('/') != std::string::npos) return fits(pattern, path);
  return fits(pattern, path.substr(path.rfind('/') + 1));
}

/// A group is in all groups above it.
bool is_in_cgroup(const std::string& pattern, std::string group) {
  while (!group.empty()) {
    if (fits(pattern, group)) return true;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
  return pattern == "/";
}

}  // namespace

bool names(const program_rule& rule, const process_facts& process) {
  if (rule.user && *rule.user != process.user) return false;
  if (!rule.executable.empty() && !is_executable(rule.executable, process.executable)) return false;
  return rule.cgroup.empty() ||
         std::any_of(process.cgroups.begin(), process.cgroups.end(),
                     [&](const std::string& group) { return is_in_cgroup(rule.cgroup, group); });
}

bool is_ready(const program_rule& rule, const process_facts& process) {
  return process.threads >= rule.least_threads && process.cpu_seconds >= rule.least_cpu_seconds;
}

}  // namespace numatch::service
