// SPDX-License-Identifier: Apache-2.0
#include "live/leave_owner.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <vector>

namespace numatch::live {

namespace {

void close_all_but(std::span<const int> kept) {
  std::vector<int> numbers(kept.begin(), kept.end());
  std::sort(numbers.begin(), numbers.end());
  int next = 3;
  for (const int number : numbers) {
    if (number > next) ::syscall(SYS_close_range, next, number - 1, 0);
    next = std::max(next, number + 1);
  }
  ::syscall(SYS_close_range, next, UINT_MAX, 0);
}

}  // namespace

void leave_owner(const char* name, std::span<int> kept) {
  for (int& number : kept) number = ::fcntl(number, F_DUPFD, 3);
  ::setsid();
  ::prctl(PR_SET_NAME, name);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; ++standard) {
    if (nowhere < 0) {
      ::close(standard);
    } else if (nowhere != standard) {
      ::dup2(nowhere, standard);
    }
  }
  close_all_but(kept);
}

bool wait_for_byte_or_end(int end) {
  char ignored = 0;
  ssize_t got = 0;
  do {
    got = ::read(end, &ignored, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

}  // namespace numatch::live
