// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "base/passed_signals.hpp"

namespace numatch {

namespace {
constexpr int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH};
}  // namespace

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : passed_on) sigaddset(&set, signal);
  sigaddset(&set, SIGCHLD);
  return set;
}

void pass_on(const siginfo_t& arrived, pid_t program) {
  // The kernel signs what a terminal sends with pid 0.
  if (arrived.si_code == SI_KERNEL || arrived.si_pid == 0) return;
  ::kill(program, arrived.si_signo);
}

signals_held::signals_held() {
  const sigset_t set = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, &mask_);
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &plain, &child_action_);
}

signals_held::~signals_held() {
  restore();
}

void signals_held::restore() const {
  ::sigaction(SIGCHLD, &child_action_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace numatch
