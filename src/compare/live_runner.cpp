// SPDX-License-Identifier: Apache-2.0
#include "compare/live_runner.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>

#include "live/pinned_run.hpp"

namespace numatch::compare {

namespace {

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::string content_of(int file) {
  std::string content;
  char part[65536];
  for (;;) {
    const ssize_t length = ::pread(file, part, sizeof part, static_cast<off_t>(content.size()));
    if (length <= 0) return content;
    content.append(part, static_cast<std::size_t>(length));
  }
}

/// Without control characters, which could change the terminal.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const std::size_t end = text.find_last_of("\n\r");
  if (end != std::string::npos) text.erase(0, end + 1);
  constexpr std::size_t enough = 200;
  if (text.size() > enough) text.resize(enough);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return text;
}

std::string failure_of(const live::pinned_outcome& ended, int errors) {
  std::string what = ended.signal != 0 ? fmt::format("ended by signal {} ({})", ended.signal,
                                                     ::strsignal(ended.signal))
                                       : fmt::format("ended with exit code {}", ended.exit_code);
  const std::string said = last_line(content_of(errors));
  return said.empty() ? what : fmt::format("{}, saying '{}'", what, said);
}

}  // namespace

live_runner::live_runner(std::vector<std::string> command, bool same_output)
    : command_(std::move(command)), same_output_(same_output), energy_(live::system_tree("/")) {}

bool live_runner::may_set_balancing() {
  if (!balancing_) {
    if (std::optional<kept_setting> setting =
            kept_setting::open("/proc/sys/kernel/numa_balancing")) {
      balancing_.emplace(std::move(*setting));
    }
  }
  return balancing_.has_value();
}

result<run_figures> live_runner::run(const run_setup& setup) {
  if (balancing_) {
    const result<void> set = balancing_->set(setup.balancing.value_or(balancing_->original()));
    if (!set) return tl::unexpected(set.error());
  }
  const descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const descriptor printed(same_output_ ? ::memfd_create("output", MFD_CLOEXEC) : -1);
  const descriptor errors(::memfd_create("errors", MFD_CLOEXEC));
  if (nothing.number() < 0 || errors.number() < 0 || (same_output_ && printed.number() < 0)) {
    return fail(command_.front(), fmt::format("cannot be given files: {}", std::strerror(errno)));
  }
  live::start_wishes wishes;
  wishes.input = nothing.number();
  wishes.output = same_output_ ? printed.number() : nothing.number();
  wishes.errors = errors.number();
  wishes.before_begin = [this](pid_t program) {
    counters_.attach(program);
    energy_.begin();
  };
  std::vector<std::string> command = command_;
  if (setup.managed) {
    const char* const before[] = {manager_.c_str(), "--quiet", "run", "--"};
    command.insert(command.begin(), std::begin(before), std::end(before));
  }
  const result<live::pinned_outcome> ended = live::run_pinned(command, setup.plan, wishes);
  if (!ended) return tl::unexpected(ended.error());
  run_figures figures;
  figures.set(figure::energy, energy_.end());
  counters_.read_into(figures);
  threads_ = ended->threads;
  refused_ += ended->refused;
  if (ended->exit_code != 0) {
    return fail(command_.front(), failure_of(*ended, errors.number()),
                "compare needs a program that ends with 0 every time");
  }
  if (same_output_) {
    if (const result<void> same = check_output(printed.number()); !same) {
      return tl::unexpected(same.error());
    }
  }
  figures.set(figure::time, ended->seconds);
  figures.set(figure::cpu_time, ended->cpu_seconds);
  figures.set(figure::minor_faults, static_cast<double>(ended->minor_faults));
  figures.set(figure::major_faults, static_cast<double>(ended->major_faults));
  return figures;
}

result<void> live_runner::check_output(int output) {
  std::string content = content_of(output);
  if (!first_output_) {
    first_output_ = std::move(content);
    return {};
  }
  if (content == *first_output_) return {};
  return fail(command_.front(), "printed something else than in its first run",
              "leave --check-output out if that is right");
}

std::vector<std::string> live_runner::missing() const {
  std::vector<std::string> lines = counters_.missing();
  if (!energy_.why_not().empty()) lines.push_back("energy: " + energy_.why_not());
  return lines;
}

}  // namespace numatch::compare
