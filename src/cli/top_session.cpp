// SPDX-License-Identifier: Apache-2.0
#include "cli/top_session.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>

#include "cli/kept_output.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/terminal_screen.hpp"
#include "cli/top_keys.hpp"
#include "cli/top_screen.hpp"
#include "cli/verb.hpp"
#include "live/launched_program.hpp"
#include "live/program_watch.hpp"

namespace numatch::cli {

namespace {

using live::nanoseconds_of;

/// Until one of these is readable or the time is over; -1 is none.
void wait_for(std::initializer_list<int> files, std::uint64_t nanoseconds) {
  std::vector<pollfd> awaited;
  for (const int file : files) {
    if (file >= 0) awaited.push_back({file, POLLIN, 0});
  }
  const timespec longest{static_cast<time_t>(nanoseconds / 1'000'000'000),
                         static_cast<long>(nanoseconds % 1'000'000'000)};
  ::ppoll(awaited.data(), awaited.size(), &longest, nullptr);
}

std::uint64_t to_nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(seconds * 1e9);
}

/// The screen with what it shows: keys, sizes and pictures in, lines out.
class drawn_view {
 public:
  explicit drawn_view(terminal_screen& screen) : screen_(screen), size_(screen.size()) {}

  /// Takes the keys that were pressed. False: the user has seen enough, or nobody is there.
  bool take_keys() {
    for (const char key : keys_of(screen_.typed())) {
      const top_wish wish = press(key, view_, size_.rows / 2);
      if (wish == top_wish::quit) return false;
      drawn_ = drawn_ && wish == top_wish::nothing;
    }
    const screen_size now = screen_.size();
    if (now.columns != size_.columns || now.rows != size_.rows) drawn_ = false;
    size_ = now;
    return true;
  }
  bool paused() const { return view_.paused; }
  void is_old() { drawn_ = false; }
  /// Draws when something has changed. False when the terminal is gone.
  template <class Picture>
  bool draw(const Picture& picture) {
    if (drawn_) return true;
    drawn_ = true;
    return screen_.draw(top_lines(picture, view_, size_));
  }

 private:
  terminal_screen& screen_;
  screen_size size_;
  top_view view_;
  bool drawn_ = false;
};

class top_session {
 public:
  top_session(const top_request& wanted, console& terminal)
      : wanted_(wanted), terminal_(terminal), interval_(to_nanoseconds(wanted.seconds)) {}

  result<int> machine() {
    if (wanted_.once) {
      print(live::picture_machine(live::read_system_files("/")));
      return fine;
    }
    result<std::unique_ptr<terminal_screen>> screen = terminal_screen::open();
    if (!screen) return tl::unexpected(screen.error());
    const stop_on_signal signals;
    drawn_view drawn(**screen);
    live::machine_picture picture;
    std::uint64_t next = 0;
    while (!signals.stop() && drawn.take_keys()) {
      if (!drawn.paused() && nanoseconds_of(CLOCK_MONOTONIC) >= next) {
        picture = live::picture_machine(live::read_system_files("/"));
        next = nanoseconds_of(CLOCK_MONOTONIC) + interval_;
        drawn.is_old();
      }
      if (!drawn.draw(picture)) break;
      constexpr std::uint64_t a_moment = 50'000'000;
      wait_for({(*screen)->fd()}, a_moment);
    }
    return fine;
  }

  result<int> running() {
    result<live::observed_process> process = live::observed_process::open(wanted_.pid);
    if (!process) return tl::unexpected(process.error());
    const std::string name = process->name();
    result<std::unique_ptr<terminal_screen>> screen = open_screen();
    if (!screen) return tl::unexpected(screen.error());
    std::optional<stop_on_signal> signals(std::in_place);
    const result<void> seen = watch(std::move(*process), screen->get(), *signals, [] {});
    screen->reset();
    if (!seen) return tl::unexpected(seen.error());
    if (ended_) terminal_.note(fmt::format("{} (process {}) has ended", name, wanted_.pid));
    return fine;
  }

  result<int> launched() {
    std::optional<kept_output> output;
    if (!wanted_.once) {
      result<kept_output> kept = kept_output::start();
      if (!kept) return tl::unexpected(kept.error());
      output = std::move(*kept);
    }
    result<live::launched_program> program = live::launched_program::start(wanted_.command);
    if (output) output->give_back();
    if (!program) return tl::unexpected(program.error());
    if (const result<void> watched = watch_launched(*program); !watched) {
      // Nothing of the program has run when nothing could be seen.
      if (!program->is_let_go()) return tl::unexpected(watched.error());
      terminal_.note(watched.error().message());
    }
    return wait_for_end(*program, output);
  }

 private:
  /// None for a picture that is printed.
  result<std::unique_ptr<terminal_screen>> open_screen() const {
    if (wanted_.once) return std::unique_ptr<terminal_screen>();
    return terminal_screen::open();
  }

  result<void> watch_launched(live::launched_program& program) {
    result<live::observed_process> process = live::observed_process::open(program.pid());
    if (!process) return tl::unexpected(process.error());
    result<std::unique_ptr<terminal_screen>> screen = open_screen();
    if (!screen) return tl::unexpected(screen.error());
    const stop_on_signal signals;
    result<void> seen =
        watch(std::move(*process), screen->get(), signals, [&program] { program.let_go(); });
    // ^C reached the program, too; what was sent to us alone is meant for it.
    const int signal = signals.signal();
    if (signal == SIGTERM || signal == SIGHUP) ::kill(program.pid(), signal);
    return seen;
  }

  /// Whoever quits the view waits for the program as its shell would.
  static int wait_for_end(live::launched_program& program, std::optional<kept_output>& output) {
    const result<live::observed_process> process = live::observed_process::open(program.pid());
    constexpr std::uint64_t a_moment = 50'000'000;
    while (output && process && process->alive()) {
      output->pass_on();
      wait_for({process->pidfd()}, a_moment);
    }
    const int code = program.wait();
    if (output) output->pass_on();
    return code;
  }

  template <class LetGo>
  result<void> watch(live::observed_process process, terminal_screen* screen,
                     const stop_on_signal& signals, const LetGo& let_go) {
    result<std::unique_ptr<live::program_watch>> watch =
        live::program_watch::start(std::move(process), wanted_.sensor, wanted_.sensing);
    if (!watch) return tl::unexpected(watch.error());
    let_go();
    return screen == nullptr ? print_once(**watch, signals) : draw_on(*screen, **watch, signals);
  }

  result<void> print_once(live::program_watch& watch, const stop_on_signal& signals) {
    const std::uint64_t end = nanoseconds_of(CLOCK_MONOTONIC) + interval_;
    while (!signals.stop() && watch.alive() && nanoseconds_of(CLOCK_MONOTONIC) < end) {
      watch.step();
      wait_for({watch.ended_fd(), watch.wake_fd()}, wanted_.sensing.round);
    }
    watch.step();
    const result<live::program_picture> picture = watch.picture();
    if (!picture) return tl::unexpected(picture.error());
    print(*picture);
    return {};
  }

  result<void> draw_on(terminal_screen& screen, live::program_watch& watch,
                       const stop_on_signal& signals) {
    drawn_view drawn(screen);
    live::program_picture picture;
    // The first one soon: nobody likes an empty screen.
    std::uint64_t next = nanoseconds_of(CLOCK_MONOTONIC) + std::min(interval_, first_picture);
    while (!signals.stop() && drawn.take_keys()) {
      watch.step();
      if (!drawn.paused() && nanoseconds_of(CLOCK_MONOTONIC) >= next) {
        result<live::program_picture> made = watch.picture();
        ended_ = !made;
        if (ended_) break;
        picture = std::move(*made);
        next = nanoseconds_of(CLOCK_MONOTONIC) + interval_;
        drawn.is_old();
      }
      if (!drawn.draw(picture)) break;
      if (!watch.alive()) next = 0;
      wait_for({screen.fd(), watch.alive() ? watch.wake_fd() : -1}, wanted_.sensing.round);
    }
    return {};
  }

  template <class Picture>
  void print(const Picture& picture) {
    write(picture);
    // A program that was started writes after this.
    std::fflush(stdout);
  }

  template <class Picture>
  void write(const Picture& picture) {
    if (wanted_.json) {
      terminal_.out(top_json(picture));
      return;
    }
    winsize found{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) == 0 && found.ws_col > 0;
    const std::size_t columns = known ? found.ws_col : 80;
    top_view by_number;
    by_number.order = top_order::number;
    for (const std::string& line : top_lines(picture, by_number, {columns, 0})) {
      terminal_.out(line + "\n");
    }
  }

  static constexpr std::uint64_t first_picture = 200'000'000;
  const top_request& wanted_;
  console& terminal_;
  std::uint64_t interval_;
  bool ended_ = false;
};

}  // namespace

result<int> show_top(const top_request& wanted, console& terminal) {
  top_session session(wanted, terminal);
  if (!wanted.command.empty()) return session.launched();
  return wanted.pid != 0 ? session.running() : session.machine();
}

}  // namespace numatch::cli
