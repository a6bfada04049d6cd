// SPDX-License-Identifier: Apache-2.0
#include "ring_program/disturbance.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <vector>

namespace ring {

namespace {

/// Fills pages of its own and sums them up again.
bool sums_up(std::uint64_t start) {
  std::vector<std::uint64_t> words(std::size_t{4} * words_per_page);
  std::uint64_t expected = 0;
  for (std::uint64_t& word : words) expected += word = start++;
  std::uint64_t found = 0;
  for (const volatile std::uint64_t& word : words) found += word;
  return found == expected;
}

bool short_thread(unsigned number) {
  bool right = false;
  std::thread thread([&right, number] { right = sums_up(number); });
  thread.join();
  return right;
}

bool ended_well(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A child that reads the program's pages and writes to copies of others.
bool fork_once(const memory& pages) {
  unsigned own[1024] = {};
  const pid_t child = fork();
  if (child < 0) return false;
  if (child > 0) return ended_well(child);
  const volatile std::uint64_t read = *pages.page(0);
  volatile unsigned* const copies = own;
  for (unsigned at = 0; at < 1024; ++at) copies[at] = at;
  unsigned right = 0;
  for (unsigned at = 0; at < 1024; ++at) right += copies[at] == at ? 1U : 0U;
  static_cast<void>(read);
  _exit(right == 1024 ? 0 : 1);
}

/// This program once more, small.
bool exec_once() {
  const char* const words[] = {"ring_program", "--threads", "2",    "--private-pages", "4",
                               "--accesses",   "1000",      nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error = posix_spawn(&child, "/proc/self/exe", &quiet, nullptr,
                                const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&quiet);
  return error == 0 && ended_well(child);
}

}  // namespace

unsigned disturbance::rounds_of(const options& chosen) {
  return std::max({chosen.short_threads, chosen.forks, chosen.execs});
}

void disturbance::make(const options& chosen, const memory& pages, const std::atomic<bool>& stop) {
  const auto note = [this](bool right, std::atomic<unsigned>& kind) { ++(right ? kind : failed); };
  for (unsigned round = 0; round < rounds_of(chosen) && !stop; ++round) {
    if (round < chosen.short_threads) note(short_thread(round), short_threads);
    if (round < chosen.forks) note(fork_once(pages), forks);
    if (round < chosen.execs) note(exec_once(), execs);
  }
  finished = true;
}

}  // namespace ring
