// SPDX-License-Identifier: Apache-2.0
#include "cli/kept_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace numatch::cli {

result<kept_output> kept_output::start() {
  kept_output made;
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return fail("temporary file", std::strerror(errno));
  made.file_ = live::owned_fd(::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 3));
  std::fclose(file);
  // Several writers, each at the end.
  ::fcntl(made.file_.get(), F_SETFL, O_APPEND);
  const live::owned_fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing || !made.file_) return fail("/dev/null", std::strerror(errno));
  std::fflush(stdout);
  for (int standard = 0; standard < 3; ++standard) {
    if (::isatty(standard) == 0) continue;
    made.saved_[standard] = live::owned_fd(::fcntl(standard, F_DUPFD_CLOEXEC, 3));
    ::dup2(standard == STDIN_FILENO ? nothing.get() : made.file_.get(), standard);
  }
  return made;
}

void kept_output::give_back() {
  for (int standard = 0; standard < 3; ++standard) {
    if (!saved_[standard]) continue;
    ::dup2(saved_[standard].get(), standard);
    saved_[standard] = live::owned_fd();
  }
}

void kept_output::pass_on() {
  // The position of the file is the writers', who share it with us.
  std::array<char, 65'536> part{};
  for (;;) {
    const ssize_t got = ::pread(file_.get(), part.data(), part.size(), passed_);
    if (got <= 0) break;
    passed_ += got;
    std::fwrite(part.data(), 1, static_cast<std::size_t>(got), stdout);
  }
  std::fflush(stdout);
}

}  // namespace numatch::cli
