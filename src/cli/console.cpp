// SPDX-License-Identifier: Apache-2.0
#include "cli/console.hpp"

#include <unistd.h>

#include <cstdio>

namespace numatch::cli {

bool console::shows_progress() const {
  return !quiet_ && ::isatty(STDERR_FILENO) != 0;
}

void console::progress(std::string_view text) {
  if (!shows_progress()) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  drawn_ = true;
}

void console::clear_progress() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

void console::out(std::string_view text) {
  clear_progress();
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void console::note(std::string_view text) {
  clear_progress();
  fmt::print(stderr, "numatch: {}\n", text);
}

void console::problem(const error& e) {
  clear_progress();
  fmt::print(stderr, "numatch: {}\n", e.message());
}

}  // namespace numatch::cli
