// SPDX-License-Identifier: Apache-2.0
#include "module_fuzz/driver.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <thread>

#include "module_fuzz/places.hpp"
#include "module_fuzz/random.hpp"
#include "uapi/numatch.h"

namespace fuzz {

namespace {

constexpr std::size_t page = 4096;
constexpr unsigned long commands[] = {NUMATCH_IOC_INFO,    NUMATCH_IOC_START, NUMATCH_IOC_STOP,
                                      NUMATCH_IOC_TRACE,   NUMATCH_IOC_ZAP,   NUMATCH_IOC_STATS,
                                      NUMATCH_IOC_SNAPSHOT};

/// What the threads of a driver share.
struct files {
  std::array<std::atomic<int>, 4> opened{};
};

/// Of one mapping of the ring, or of none.
struct mapping {
  char* first = nullptr;
  std::size_t bytes = 0;
};

class driver {
 public:
  driver(common& all, files& shared, const places& arguments, std::uint64_t seed)
      : all_(all), files_(shared), places_(arguments), source_(seed) {}

  void act() {
    ++all_.actions;
    switch (source_.below(20)) {
      case 0:
        open_or_close();
        break;
      case 1:
      case 2:
      case 3:
        start();
        break;
      case 4:
        note(kind::stop, NUMATCH_IOC_STOP, nullptr, 6);
        break;
      case 5:
        trace();
        break;
      case 6:
      case 7:
        zap();
        break;
      case 8:
        tell<numatch_info>(kind::info, NUMATCH_IOC_INFO);
        break;
      case 9:
        tell<numatch_stats>(kind::stats, NUMATCH_IOC_STATS);
        break;
      case 10:
      case 11:
        snapshot();
        break;
      case 12:
      case 13:
        map();
        break;
      case 14:
        scribble();
        break;
      case 15:
        poll();
        break;
      case 16:
        any_command();
        break;
      case 17:
        other_calls();
        break;
      case 18:
        in_a_child();
        break;
      default:
        kill_somebody();
        break;
    }
  }

 private:
  int file() { return files_.opened[source_.below(files_.opened.size())]; }

  /// Mostly what is meant, sometimes something else.
  std::uint32_t value(std::uint32_t meant) {
    if (!source_.once_in(12)) return meant;
    const std::uint32_t odd[] = {0,
                                 1,
                                 2,
                                 3,
                                 91,
                                 257,
                                 4097,
                                 1U << 21U,
                                 1U << 31U,
                                 ~0U,
                                 static_cast<std::uint32_t>(source_.next())};
    return source_.one_of(odd);
  }

  /// A place for an argument: good, or seldom a bad one.
  void* argument() {
    if (source_.once_in(10)) return reinterpret_cast<void*>(places_.bad(source_));
    return places_.good() + source_.below(32) * 64;
  }

  bool ask(unsigned long command, void* where) { return ::ioctl(file(), command, where) == 0; }

  void note(kind what, unsigned long command, void* where, std::size_t seldom) {
    if (source_.once_in(seldom)) all_.note(what, ask(command, where));
  }

  /// The structure at a place of its own; the bad places are only given to the kernel.
  template <typename Structure>
  void tell(kind what, unsigned long command, Structure asked = {}) {
    void* const where = argument();
    const char* const at = static_cast<char*>(where);
    if (at >= places_.good() && at < places_.good() + page)
      std::memcpy(where, &asked, sizeof asked);
    all_.note(what, ask(command, where));
  }

  void open_or_close() {
    std::atomic<int>& slot = files_.opened[source_.below(files_.opened.size())];
    const int made = ::open(NUMATCH_DEVICE, source_.once_in(4) ? O_RDONLY : O_RDWR);
    all_.note(kind::open, made >= 0);
    const int old = slot.exchange(made);
    if (old >= 0) ::close(old);
  }

  pid_t process() {
    const std::size_t choice = source_.below(24);
    if (choice == 0) return static_cast<pid_t>(source_.below(400));
    if (choice == 1) return ::getpid();
    if (choice == 2) return ::getppid();
    if (choice == 3) return ::gettid();
    if (choice == 4) return -static_cast<pid_t>(source_.below(3));
    return all_.victims[source_.below(most_victims)];
  }

  void start() {
    numatch_start asked{};
    asked.pid = process();
    asked.mode = value(source_.once_in(2) ? NUMATCH_MULTI : NUMATCH_SINGLE);
    asked.flags = value(source_.once_in(2) ? NUMATCH_NEW_PAIRS_ONLY : 0);
    asked.views = value(1 + static_cast<std::uint32_t>(source_.below(8)));
    asked.threads = value(1 + static_cast<std::uint32_t>(source_.below(64)));
    asked.table_pages = value(1 + static_cast<std::uint32_t>(source_.below(256)));
    // Never so many that the machine has no memory left.
    if (asked.table_pages > 4096 && asked.table_pages <= 65536) asked.table_pages = 4096;
    asked.ring_records = value(2U << source_.below(12));
    asked.pairs = value(2U << source_.below(14));
    if (asked.pairs == 1U << 21U) asked.pairs = 1U << 18U;
    asked.zap_share = value(static_cast<std::uint32_t>(source_.below(91)));
    asked.reserved = source_.once_in(50) ? 1 : 0;
    asked.seed = source_.next();
    tell(kind::start, NUMATCH_IOC_START, asked);
  }

  void trace() {
    numatch_trace asked{value(source_.once_in(4) ? 0 : 1), value(0)};
    tell(kind::trace, NUMATCH_IOC_TRACE, asked);
  }

  void zap() {
    numatch_zap asked{};
    asked.percent = value(1 + static_cast<std::uint32_t>(source_.below(100)));
    tell(kind::zap, NUMATCH_IOC_ZAP, asked);
  }

  void snapshot() {
    numatch_snapshot asked{};
    asked.pairs = source_.once_in(4) ? places_.bad(source_)
                                     : reinterpret_cast<std::uint64_t>(places_.good() + page);
    if (mapped_.first != nullptr && source_.once_in(8)) {
      asked.pairs = reinterpret_cast<std::uint64_t>(mapped_.first);  // into the module's own ring
    }
    asked.capacity = source_.once_in(6) ? source_.next() >> source_.below(64)
                                        : (places::good_bytes - page) / sizeof(numatch_pair);
    tell(kind::snapshot, NUMATCH_IOC_SNAPSHOT, asked);
  }

  void unmap() {
    if (mapped_.first != nullptr) ::munmap(mapped_.first, mapped_.bytes);
    mapped_ = {};
  }

  void map() {
    unmap();
    const int protections[] = {PROT_READ, PROT_READ | PROT_WRITE, PROT_WRITE, PROT_NONE,
                               PROT_READ | PROT_EXEC};
    const std::size_t bytes = (1 + source_.below(source_.once_in(4) ? 20000 : 3)) * page;
    const off_t offset =
        source_.once_in(5) ? static_cast<off_t>(source_.next() >> 13U & ~4095U) : 0;
    void* const got = ::mmap(nullptr, bytes, source_.one_of(protections),
                             source_.once_in(8) ? MAP_PRIVATE : MAP_SHARED, file(), offset);
    all_.note(kind::map, got != MAP_FAILED);
    if (got != MAP_FAILED) mapped_ = {static_cast<char*>(got), bytes};
  }

  /// What the reader may write, and what it should not.
  void scribble() {
    if (mapped_.first == nullptr) return;
    if (::mprotect(mapped_.first, mapped_.bytes, PROT_READ | PROT_WRITE) != 0) return;
    const std::size_t at = source_.once_in(2) ? source_.below(64) : source_.below(mapped_.bytes);
    *static_cast<volatile std::uint64_t*>(reinterpret_cast<std::uint64_t*>(
        mapped_.first + at / 8 * 8)) = source_.next() >> source_.below(64);
    if (source_.once_in(4)) ::madvise(mapped_.first, page, MADV_DONTNEED);
    if (source_.once_in(8)) {
      void* const moved =
          ::mremap(mapped_.first, mapped_.bytes, mapped_.bytes + page, MREMAP_MAYMOVE);
      if (moved != MAP_FAILED) mapped_ = {static_cast<char*>(moved), mapped_.bytes + page};
    }
  }

  void poll() {
    pollfd asked{file(), static_cast<short>(source_.next()), 0};
    all_.note(kind::poll, ::poll(&asked, 1, static_cast<int>(source_.below(3))) >= 0);
  }

  /// Another direction, size, number, or another structure than it wants.
  void any_command() {
    const unsigned long command = source_.one_of(commands);
    const unsigned long flipped = command ^ 1UL << source_.below(32);
    for (const unsigned long one : {command, flipped, flipped | source_.next() << 32U}) {
      // Random bytes are no start: they would hardly ever be one, or one of too much memory.
      if (one == NUMATCH_IOC_START) continue;
      for (std::size_t i = 0; i < 16; ++i) {
        const std::uint64_t bytes = source_.next() >> source_.below(64);
        std::memcpy(places_.good() + 8 * i, &bytes, sizeof bytes);
      }
      ::ioctl(file(), one, argument());
    }
  }

  void other_calls() {
    const int at = file();
    switch (source_.below(6)) {
      case 0:
        static_cast<void>(!::read(at, argument(), source_.below(8192)));
        break;
      case 1:
        static_cast<void>(!::write(at, argument(), source_.below(8192)));
        break;
      case 2:
        ::lseek(at, static_cast<off_t>(source_.next()), static_cast<int>(source_.below(6)));
        break;
      case 3:
        ::fcntl(at, F_SETFL, source_.once_in(2) ? O_NONBLOCK : O_ASYNC);
        break;
      case 4:
        static_cast<void>(!::ftruncate(at, static_cast<off_t>(source_.below(8192))));
        break;
      default:
        ::fsync(at);
        break;
    }
  }

  /// A child has the same open files and mappings, and ends in the middle.
  void in_a_child() {
    if (!source_.once_in(6)) return;
    const std::uint64_t choice = source_.next();
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (choice % 3 == 0) ::execl("/bin/true", "true", nullptr);
      for (std::atomic<int>& one : files_.opened) {
        ::ioctl(one, NUMATCH_IOC_STOP, nullptr);
        if (choice % 2 == 0) ::close(one);
      }
      ::_exit(0);
    }
    if (child > 0) ::waitpid(child, nullptr, 0);
  }

  void kill_somebody() {
    if (!source_.once_in(40)) return;
    const pid_t victim = all_.victims[source_.below(most_victims)];
    const int signals[] = {SIGKILL, SIGSTOP, SIGCONT, SIGCONT};
    if (victim > 1) ::kill(victim, source_.one_of(signals));
  }

  common& all_;
  files& files_;
  const places& places_;
  random source_;
  mapping mapped_;
};

}  // namespace

void be_driver(common& all, std::uint64_t seed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const places arguments;
  files shared;
  for (std::atomic<int>& one : shared.opened) one = ::open(NUMATCH_DEVICE, O_RDWR);
  const auto run = [&](std::uint64_t own) {
    for (driver self(all, shared, arguments, own);;) self.act();
  };
  std::thread(run, seed * 3 + 1).detach();
  std::thread(run, seed * 3 + 2).detach();
  run(seed * 3);
  ::_exit(0);
}

}  // namespace fuzz
