// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_screen.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "support/expect_text.hpp"

namespace numatch::cli {
namespace {

/// A terminal of the test's own: what is drawn on its `line` comes out of its other end.
class pseudo_terminal {
 public:
  pseudo_terminal() : end_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (!end_ || ::grantpt(end_.get()) != 0 || ::unlockpt(end_.get()) != 0) std::abort();
    name_ = ::ptsname(end_.get());
    line_ = live::owned_fd(::open(name_.c_str(), O_RDWR | O_NOCTTY));
    if (!line_) std::abort();
  }
  const std::string& name() const { return name_; }
  void resize(unsigned short columns, unsigned short rows) const {
    const winsize size{rows, columns, 0, 0};
    if (::ioctl(end_.get(), TIOCSWINSZ, &size) != 0) std::abort();
  }
  void type(std::string_view keys) const {
    if (::write(end_.get(), keys.data(), keys.size()) < 0) std::abort();
  }
  tcflag_t modes() const {
    termios now{};
    ::tcgetattr(line_.get(), &now);
    return now.c_lflag;
  }
  /// Reads until `text` has come.
  std::string read_until(std::string_view text) const {
    std::string all;
    std::array<char, 4096> part{};
    while (!contains(all, std::string(text))) {
      const ssize_t got = ::read(end_.get(), part.data(), part.size());
      if (got <= 0) break;
      all.append(part.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  live::owned_fd end_;
  live::owned_fd line_;
  std::string name_;
};

constexpr std::string_view last_restored = "\033[?1049l";

TEST(TerminalScreen, DrawsReadsKeysAndPutsTheTerminalBack) {
  const pseudo_terminal terminal;
  const tcflag_t before = terminal.modes();
  {
    result<std::unique_ptr<terminal_screen>> screen = terminal_screen::open(terminal.name());
    ASSERT_TRUE(screen) << screen.error().message();
    EXPECT_EQ(terminal.modes() & (ICANON | ECHO), 0U);
    EXPECT_NE(terminal.modes() & ISIG, 0U);
    EXPECT_EQ((*screen)->size().columns, 80U);
    terminal.resize(100, 30);
    EXPECT_EQ((*screen)->size().columns, 100U);
    EXPECT_EQ((*screen)->size().rows, 30U);
    EXPECT_EQ((*screen)->typed(), "");
    terminal.type("q");
    while ((*screen)->typed() != "q") {
    }
    EXPECT_TRUE((*screen)->draw({"one", "two"}));
    const std::string drawn = terminal.read_until("\033[J");
    EXPECT_TRUE(contains(drawn, "\033[Hone\033[K\r"));
    EXPECT_TRUE(contains(drawn, "\ntwo\033[K\033[J"));
  }
  terminal.read_until(last_restored);
  EXPECT_EQ(terminal.modes(), before);
}

TEST(TerminalScreen, ItsTerminalIsPutBackWhenItsProcessIsKilled) {
  const pseudo_terminal terminal;
  const tcflag_t before = terminal.modes();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t viewer = ::fork();
  if (viewer == 0) {
    const result<std::unique_ptr<terminal_screen>> screen = terminal_screen::open(terminal.name());
    if (!screen || !(*screen)->draw({"drawn"})) ::_exit(1);
    for (;;) ::pause();
  }
  terminal.read_until("drawn");
  EXPECT_NE(terminal.modes(), before);
  ::kill(viewer, SIGKILL);
  // The viewer, and then what it left behind.
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_EQ(terminal.modes(), before);
  terminal.read_until(last_restored);
}

TEST(TerminalScreen, WhatIsNoTerminalIsRefused) {
  for (const char* const file : {"/dev/null", "/nowhere"}) {
    const result<std::unique_ptr<terminal_screen>> screen = terminal_screen::open(file);
    ASSERT_FALSE(screen);
    EXPECT_TRUE(contains(screen.error().message(), "--once"));
  }
}

}  // namespace
}  // namespace numatch::cli
