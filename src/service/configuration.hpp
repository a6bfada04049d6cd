// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "service/process_facts.hpp"

namespace numatch::service {

/// Which processes to manage, and how: one [[program]] of the file. What a process must be is a
/// pattern or a number; what is not said does not matter, but one of executable and cgroup is
/// there.
struct program_rule {
  std::string name;
  std::string executable;  ///< pattern of a path; without a slash, of the file's name alone
  std::string cgroup;      ///< pattern of a control group: it, or one above the process's
  std::optional<uid_t> user;
  std::uint64_t least_threads = 2;
  std::uint64_t least_cpu_seconds = 5;

  bool dry_run = false;  ///< never acts, whatever the rest of the file says
  std::string mechanism = "numatch";
  std::vector<std::string> parameters;  ///< NAME=VALUE
  std::string sensor = "auto";
  double budget_percent = 2;
  double page_megabytes = 256;  ///< MiB per second
  std::optional<std::uint64_t> cached_bytes{};

  bool operator==(const program_rule&) const = default;
};

/// The configuration of the service (docs/service.md).
struct configuration {
  bool enabled = false;  ///< false: dry run
  double interval_seconds = 2;
  std::uint64_t most_programs = 32;
  std::string metrics;  ///< an address to listen at; empty: none
  std::vector<program_rule> programs;
};

/// An error has the file, the line and, for an unknown key, the nearest known one.
result<configuration> parse_configuration(std::string_view text, const std::string& file);
result<configuration> read_configuration(const std::filesystem::path& file);

/// Whether the rule is meant for this process at all, and whether the process is worth it by now.
bool names(const program_rule& rule, const process_facts& process);
bool is_ready(const program_rule& rule, const process_facts& process);

}  // namespace numatch::service
