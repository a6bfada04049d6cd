// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/top_screen.hpp"
#include "live/owned_fd.hpp"

namespace numatch::cli {

/// A terminal whose whole screen is ours: lines are drawn, keys are read one by one. With the dozen
/// escape sequences that every terminal of today understands, xterm's as much as Linux's own,
/// screen's and tmux's, no description of terminals is needed. As it was before when the object is
/// gone; a small process of its own session takes care of it when this one ends in any other way.
/// To be made while there is one thread.
class terminal_screen {
 public:
  static result<std::unique_ptr<terminal_screen>> open(const std::string& terminal = "/dev/tty");
  terminal_screen(const terminal_screen&) = delete;
  terminal_screen& operator=(const terminal_screen&) = delete;
  ~terminal_screen();

  int fd() const { return terminal_.get(); }  ///< readable when a key was pressed
  /// Of now; 80 x 24 where the terminal does not know it.
  screen_size size() const;
  /// What was typed since the last call; never waits.
  std::string typed();
  /// False when the terminal is gone.
  bool draw(const std::vector<std::string>& lines);

 private:
  terminal_screen(live::owned_fd terminal, const termios& before)
      : terminal_(std::move(terminal)), before_(before) {}
  result<void> start_restorer();

  live::owned_fd terminal_;
  termios before_;
  live::owned_fd restorer_;  ///< closed with this process: then the restorer acts
  pid_t restorer_pid_ = 0;
};

}  // namespace numatch::cli
