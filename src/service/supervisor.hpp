// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "service/configuration.hpp"
#include "service/controller_child.hpp"
#include "service/process_facts.hpp"

namespace numatch::service {

struct supervisor_options {
  std::string numatch;         ///< the file of the command that manages one process
  bool act = false;            ///< although the configuration is not enabled
  bool dry_run = false;        ///< although it is
  std::string proc = "/proc";  ///< for the choice of processes
  std::string folder;          ///< the children leave their metrics there; empty: none are kept
};

/// A process that a rule is meant for.
struct matching_process {
  process_facts process;
  const program_rule* rule = nullptr;
};

/// What the rules want managed now; of several rules for a process the first one counts. numatch's
/// own processes are never among them.
std::vector<matching_process> matching_processes(const configuration& wanted,
                                                 const std::string& proc,
                                                 const std::string& numatch);

/// Manages the processes that a configuration names, each by a `numatch run -p PID` of its own:
/// what happens to one of them does not touch the others. Looks at all processes from time to time
/// rather than hearing of each start: whoever is worth placing runs for seconds. Not thread safe.
class supervisor {
 public:
  using telling = std::function<void(const std::string& line)>;
  supervisor(configuration wanted, supervisor_options options, telling tell);
  supervisor(const supervisor&) = delete;
  supervisor& operator=(const supervisor&) = delete;
  /// As stop().
  ~supervisor();

  /// From now on this counts. Whoever is managed in the way that it asks for goes on undisturbed.
  void change(configuration wanted);
  /// Looks who is there: begins and ends managing.
  void look();
  /// What becomes readable when there is something for collect().
  std::vector<pollfd> awaited() const;
  /// Hands on what children said, and takes leave of those that ended.
  void collect();
  /// Ends all managing: threads are free again when it returns. Children that do not end within
  /// `patience` seconds are killed.
  void stop(double patience = 10);

  std::size_t managed() const { return managed_.size(); }
  /// OpenMetrics text: the supervisor's own and what the children left, labelled.
  std::string metrics() const;

 private:
  /// Number, start and file: a process that executes another program is another one.
  using identity = std::tuple<pid_t, std::uint64_t, std::string>;
  struct managed_process {
    program_rule rule;
    bool acts = false;
    bool stopping = false;
    bool said_what_it_would_do = false;
    controller_child child;
  };

  bool acts(const program_rule& rule) const;
  void begin(const matching_process& match);
  void tell_line(const identity& who, managed_process& process, std::string_view line) const;
  std::string metrics_file(pid_t pid) const;
  std::vector<std::string> command_for(const program_rule& rule, pid_t pid) const;

  configuration wanted_;
  supervisor_options options_;
  telling tell_;
  std::map<identity, managed_process> managed_;
  std::map<identity, bool> over_;  ///< managed once and ended: not begun again
  bool full_ = false;              ///< said that there are too many
  std::uint64_t begun_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace numatch::service
