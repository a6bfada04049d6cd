// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_screen.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "live/leave_owner.hpp"

namespace numatch::cli {

namespace {

// The other screen, no cursor, no lines that wrap, an empty screen; and back.
constexpr std::string_view begin_drawing = "\033[?1049h\033[?25l\033[?7l\033[2J";
constexpr std::string_view end_drawing = "\033[?7h\033[?25h\033[?1049l";

/// False when the terminal is gone.
bool write_all(int terminal, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(terminal, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void restore(int terminal, const termios& before) {
  write_all(terminal, end_drawing);
  ::tcsetattr(terminal, TCSANOW, &before);
}

}  // namespace

result<std::unique_ptr<terminal_screen>> terminal_screen::open(const std::string& terminal) {
  live::owned_fd opened(::open(terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios before{};
  if (!opened || ::tcgetattr(opened.get(), &before) != 0) {
    return fail("top", "there is no terminal to draw on", "use --once, which prints one picture");
  }
  std::unique_ptr<terminal_screen> screen(new terminal_screen(std::move(opened), before));
  if (result<void> r = screen->start_restorer(); !r) return tl::unexpected(r.error());
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  // A stopped view would leave the shell with its screen.
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;
  ::tcsetattr(screen->fd(), TCSANOW, &raw);
  write_all(screen->fd(), begin_drawing);
  return screen;
}

result<void> terminal_screen::start_restorer() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail("socketpair", std::strerror(errno));
  }
  const live::owned_fd childs(ends[0]);
  restorer_ = live::owned_fd(ends[1]);
  restorer_pid_ = ::fork();
  if (restorer_pid_ < 0) return fail("fork", std::strerror(errno));
  if (restorer_pid_ > 0) return {};
  std::array<int, 2> kept{childs.get(), fd()};
  live::leave_owner("numatch-term", kept);
  if (!live::wait_for_byte_or_end(kept[0])) restore(kept[1], before_);
  ::_exit(0);
}

terminal_screen::~terminal_screen() {
  restore(fd(), before_);
  if (restorer_pid_ <= 0) return;
  const char done = 'd';
  ::send(restorer_.get(), &done, 1, MSG_NOSIGNAL);
  while (::waitpid(restorer_pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

screen_size terminal_screen::size() const {
  winsize found{};
  if (::ioctl(fd(), TIOCGWINSZ, &found) != 0 || found.ws_col == 0 || found.ws_row == 0) return {};
  return {found.ws_col, found.ws_row};
}

std::string terminal_screen::typed() {
  pollfd ready{fd(), POLLIN, 0};
  std::array<char, 256> keys{};
  if (::poll(&ready, 1, 0) <= 0 || (ready.revents & POLLIN) == 0) return {};
  const ssize_t got = ::read(fd(), keys.data(), keys.size());
  return got <= 0 ? std::string() : std::string(keys.data(), static_cast<std::size_t>(got));
}

bool terminal_screen::draw(const std::vector<std::string>& lines) {
  // Lines are overwritten and their rests cleared: nothing flickers.
  std::string text = "\033[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += lines[i] + "\033[K";
  }
  return write_all(fd(), text + "\033[J");
}

}  // namespace numatch::cli
