// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <csignal>

namespace numatch {

/// The signals that are passed on to a program that numatch runs (INT, QUIT, TERM, HUP, USR1, USR2,
/// WINCH), and CHLD, which tells of its end: the set to wait for.
sigset_t watched_signals();

/// Sends an arrived signal on to the program, unless the program has it already: what a terminal
/// sends (^C) reaches every member of the foreground group.
void pass_on(const siginfo_t& arrived, pid_t program);

/// Holds back the watched signals, so that they can be waited for and a ^C cannot end numatch
/// between making something and cleaning it up; makes sure that ended children can be waited for.
/// Undone at its end. For a process with one thread.
class signals_held {
 public:
  signals_held();
  ~signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  /// In a forked child, before exec: the program starts with what numatch was started with.
  void restore() const;

 private:
  sigset_t mask_;
  struct sigaction child_action_;
};

}  // namespace numatch
