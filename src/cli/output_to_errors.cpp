// SPDX-License-Identifier: Apache-2.0
#include "cli/output_to_errors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace numatch::cli {

output_to_errors::output_to_errors() {
  std::fflush(stdout);
  before_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

output_to_errors::~output_to_errors() {
  if (before_ < 0) return;
  ::dup2(before_, STDOUT_FILENO);
  ::close(before_);
}

}  // namespace numatch::cli
