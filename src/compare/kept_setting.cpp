// SPDX-License-Identifier: Apache-2.0
#include "compare/kept_setting.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace numatch::compare {

namespace {

/// A number as text without allocation: the guardian uses it behind fork.
bool write_number(int file, int value) {
  char text[16];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text - 1, value);
  *end.ptr = '\n';
  const std::size_t length = static_cast<std::size_t>(end.ptr - text) + 1;
  return ::pwrite(file, text, length, 0) == static_cast<ssize_t>(length);
}

[[noreturn]] void guard(int life_line, int file, int original) {
  // What ends the terminal's foreground group must not end this.
  ::setsid();
  for (int place = 0; place < 3; ++place) ::close(place);
  char ignored = 0;
  while (::read(life_line, &ignored, 1) < 0 && errno == EINTR) {
  }
  ::_exit(write_number(file, original) ? 0 : 1);
}

}  // namespace

std::optional<kept_setting> kept_setting::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[16] = {};
  const ssize_t length = ::pread(file, text, sizeof text - 1, 0);
  int original = 0;
  const std::from_chars_result read =
      std::from_chars(text, text + (length > 0 ? length : 0), original);
  kept_setting setting(path, file, original);
  if (read.ec != std::errc{} || !setting.start_guardian()) return std::nullopt;
  return setting;
}

bool kept_setting::start_guardian() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  guardian_ = ::fork();
  if (guardian_ == 0) {
    ::close(ends[1]);
    guard(ends[0], file_, original_);
  }
  ::close(ends[0]);
  if (guardian_ < 0) {
    ::close(ends[1]);
    return false;
  }
  life_line_ = ends[1];
  return true;
}

kept_setting::kept_setting(kept_setting&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      original_(other.original_),
      life_line_(std::exchange(other.life_line_, -1)),
      guardian_(std::exchange(other.guardian_, -1)) {}

kept_setting::~kept_setting() {
  if (file_ >= 0) {
    // The guardian may have been killed: who is still there puts it back, too.
    if (guardian_ > 0) write_number(file_, original_);
    ::close(file_);
  }
  if (life_line_ >= 0) ::close(life_line_);
  if (guardian_ > 0) ::waitpid(guardian_, nullptr, 0);
}

result<void> kept_setting::set(int value) {
  if (write_number(file_, value)) return {};
  return fail(path_, fmt::format("cannot be set to {}: {}", value, std::strerror(errno)));
}

}  // namespace numatch::compare
