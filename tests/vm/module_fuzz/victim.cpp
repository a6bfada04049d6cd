// SPDX-License-Identifier: Apache-2.0
#include "module_fuzz/victim.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "module_fuzz/random.hpp"

namespace fuzz {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t pages = 48;

void use(char* memory, random& source) {
  for (std::size_t i = 0; i < pages; ++i) {
    *static_cast<volatile char*>(memory + source.below(pages) * page) = 1;
  }
}

void fork_once(char* memory) {
  const pid_t child = ::fork();
  if (child == 0) {
    *static_cast<volatile char*>(memory) = 2;
    ::_exit(0);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

void* use_first(void* memory) {
  *static_cast<volatile char*>(memory) = 3;
  return nullptr;
}

/// None comes to be while another thread executes (EAGAIN).
void use_in_a_thread(char* memory) {
  pthread_t thread{};
  if (::pthread_create(&thread, nullptr, use_first, memory) == 0) ::pthread_join(thread, nullptr);
}

[[noreturn]] void run(char* memory, std::uint64_t seed) {
  for (random source(seed);;) {
    use(memory, source);
    switch (source.below(64)) {
      case 0:
        ::madvise(memory, pages / 2 * page, MADV_DONTNEED);
        break;
      case 1:
        ::mprotect(memory, page, PROT_READ | PROT_WRITE | PROT_EXEC);
        break;
      case 2:
        fork_once(memory);
        break;
      case 3:
        ::usleep(static_cast<useconds_t>(source.below(3000)));
        break;
      case 4:
        use_in_a_thread(memory);
        break;
      case 5:
        if (::mmap(memory + page, page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
          ::_exit(1);
        }
        break;
      case 6:
        if (source.once_in(8)) {
          const std::string next = std::to_string(source.next());
          ::execl("/proc/self/exe", "module_fuzz", "--victim", next.c_str(), nullptr);
        }
        break;
      default:
        break;
    }
  }
}

}  // namespace

void be_victim(std::uint64_t seed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char* const memory = static_cast<char*>(
      ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) ::_exit(1);
  std::thread(run, memory, seed + 1).detach();
  std::thread(run, memory, seed + 2).detach();
  run(memory, seed);
}

}  // namespace fuzz
