// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/passed_signals.hpp"
#include "base/result.hpp"

namespace numatch::frontend {

/// A process to be started: what a front-end makes of the user's command.
struct launch_plan {
  std::filesystem::path executable;
  std::vector<std::string> arguments;              ///< argv, argv[0] included
  std::map<std::string, std::string> environment;  ///< set for the process
  std::vector<std::string> removed_environment;    ///< and unset
};

/// How it ended. exit_code() is what a shell would say.
struct outcome {
  int status = 0;  ///< of waitpid
  bool exited() const;
  int signal() const;     ///< 0 when it exited by itself
  int exit_code() const;  ///< its own, or 128 + signal
};

/// Starts the process and waits for its end. Standard streams and the signal mask are its own. A
/// signal that a terminal sends (^C) reaches it anyway, as a member of the foreground group; the
/// others that arrive here (TERM, HUP, INT, QUIT, USR1, USR2, WINCH) are sent on. `tick` is called
/// now and then from this thread. An error too when one of INT, QUIT, TERM, HUP came before the
/// start.
result<outcome> launch(const launch_plan& plan, const signals_held& held,
                       std::chrono::milliseconds between_ticks, const std::function<void()>& tick);

}  // namespace numatch::frontend
