// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_on_signal.hpp"

#include <ctime>

namespace numatch::cli {

stop_on_signal::stop_on_signal() {
  sigemptyset(&awaited_);
  for (const int awaited : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction now{};
    ::sigaction(awaited, nullptr, &now);
    // What was to be ignored (nohup, a job in the background) stays so.
    if (now.sa_handler != SIG_IGN) sigaddset(&awaited_, awaited);
  }
  ::pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
  watcher_ = std::thread([this] { watch(); });
}

stop_on_signal::~stop_on_signal() {
  over_ = true;
  watcher_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void stop_on_signal::watch() {
  constexpr timespec a_moment{0, 50'000'000};
  while (!over_) {
    if (stop_) {
      ::nanosleep(&a_moment, nullptr);
      continue;
    }
    const int arrived = ::sigtimedwait(&awaited_, nullptr, &a_moment);
    if (arrived <= 0) continue;
    signal_ = arrived;
    stop_ = true;
    // Whoever insists does not wait: the next one finds this thread open to it.
    ::pthread_sigmask(SIG_UNBLOCK, &awaited_, nullptr);
  }
}

}  // namespace numatch::cli
