// SPDX-License-Identifier: Apache-2.0
#include "memory_stress/operations.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

extern char** environ;

namespace stress {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20U;
constexpr std::size_t arena_bytes = std::size_t{1} << 30U;

[[noreturn]] void refused(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

void must(bool worked, const char* call) {
  if (!worked) refused(call);
}

char* map_at(char* where, std::size_t bytes, int flags = MAP_PRIVATE | MAP_ANONYMOUS,
             int file = -1) {
  void* const mapped = ::mmap(where, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, 0);
  must(mapped != MAP_FAILED, "mmap");
  return static_cast<char*>(mapped);
}

/// The address stays reserved, so that nothing else comes there.
void unmap(char* where, std::size_t bytes) {
  must(::mmap(where, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) != MAP_FAILED,
       "mmap");
}

/// Whether the first byte of each page is this.
bool all_are(const volatile char* memory, std::size_t pages, char value) {
  bool right = true;
  for (std::size_t i = 0; i < pages; ++i) right = right && memory[i * page] == value;
  return right;
}

bool ended_well(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) must(errno == EINTR, "waitpid");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

char value_of(const surroundings& in) {
  return static_cast<char>(in.random % 100 + 1);
}

/// Old pages must not be seen where new ones are.
bool discard(surroundings& in) {
  char* const memory = map_at(in.own.fresh(4), 4 * page);
  std::memset(memory, value_of(in), 4 * page);
  must(::madvise(memory, 4 * page, MADV_DONTNEED) == 0, "madvise");
  const bool right = all_are(memory, 4, 0);
  unmap(memory, 4 * page);
  return right;
}

bool replace(surroundings& in) {
  char* const memory = map_at(in.own.fresh(8), 8 * page);
  bool right = true;
  for (char round = 1; round <= 3; ++round) {
    right = all_are(memory, 8, 0) && right;
    std::memset(memory, value_of(in), 8 * page);
    right = all_are(memory, 8, value_of(in)) && right;
    unmap(memory, 8 * page);
    map_at(memory, 8 * page);
  }
  unmap(memory, 8 * page);
  return right;
}

bool protect(surroundings& in) {
  char* const memory = map_at(in.own.fresh(4), 4 * page);
  std::memset(memory, value_of(in), 4 * page);
  must(::mprotect(memory, 4 * page, PROT_READ) == 0, "mprotect");
  bool right = all_are(memory, 4, value_of(in));
  // The kernel, too, must find it protected: this read would write there.
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC) == 0, "pipe2");
  must(::write(ends[1], "x", 1) == 1, "write");
  right = ::read(ends[0], memory, 1) == -1 && errno == EFAULT && right;
  ::close(ends[0]);
  ::close(ends[1]);
  must(::mprotect(memory, 4 * page, PROT_READ | PROT_WRITE) == 0, "mprotect");
  std::memset(memory, 5, 4 * page);
  right = all_are(memory, 4, 5) && right;
  unmap(memory, 4 * page);
  return right;
}

bool copy_on_write(surroundings& in) {
  const char before = value_of(in);
  char* const memory = map_at(in.own.fresh(4), 4 * page);
  std::memset(memory, before, 4 * page);
  const pid_t child = ::fork();
  must(child >= 0, "fork");
  if (child == 0) {
    const bool right = all_are(memory, 4, before);
    std::memset(memory, before + 1, 4 * page);
    ::_exit(right && all_are(memory, 4, static_cast<char>(before + 1)) ? 0 : 1);
  }
  memory[0] = static_cast<char>(before + 2);
  const bool child_right = ended_well(child);
  const bool right = all_are(memory, 1, static_cast<char>(before + 2)) &&
                     all_are(memory + page, 3, before) && child_right;
  unmap(memory, 4 * page);
  return right;
}

/// The kernel writes into pages that nobody has touched.
bool system_call(surroundings& in) {
  char* const memory = map_at(in.own.fresh(2), 2 * page);
  std::array<char, 64> text{};
  text.fill(value_of(in));
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC) == 0, "pipe2");
  must(::write(ends[1], text.data(), text.size()) == 64, "write");
  must(::read(ends[0], memory + page - 32, 64) == 64, "read");
  ::close(ends[0]);
  ::close(ends[1]);
  const bool right = std::equal(text.begin(), text.end(), memory + page - 32) && memory[0] == 0;
  unmap(memory, 2 * page);
  return right;
}

bool remap(surroundings& in) {
  char* const memory = map_at(in.own.fresh(4), 4 * page);
  char* const elsewhere = in.own.fresh(16);
  std::memset(memory, value_of(in), 4 * page);
  void* const moved =
      ::mremap(memory, 4 * page, 16 * page, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere);
  must(moved == elsewhere, "mremap");
  const bool right = all_are(elsewhere, 4, value_of(in)) && all_are(elsewhere + 4 * page, 12, 0);
  elsewhere[15 * page] = 1;
  map_at(memory, 4 * page);
  const bool gone = all_are(memory, 4, 0);
  unmap(elsewhere, 16 * page);
  unmap(memory, 4 * page);
  return right && gone;
}

/// While other threads use these pages.
bool migrate(surroundings& in) {
  constexpr std::size_t count = 8;
  std::array<void*, count> pages{};
  std::array<int, count> nodes{};
  std::array<int, count> status{};
  for (std::size_t i = 0; i < count; ++i) {
    pages[i] = in.shared.data() + (in.random + i) % (in.shared.size() / page) * page;
    nodes[i] = static_cast<int>((in.random >> 20U) % 4);
  }
  ::syscall(SYS_move_pages, 0, count, pages.data(), nodes.data(), status.data(),
            2 /* MPOL_MF_MOVE */);
  ::madvise(in.shared.data(), in.shared.size(), 20 /* MADV_COLD */);
  return true;  // the counters in the pages tell
}

/// To swap, where there is some: pages of its own and, while other threads use them, those that all
/// share.
bool swap_out(surroundings& in) {
  char* const memory = map_at(in.own.fresh(4), 4 * page);
  std::memset(memory, value_of(in), 4 * page);
  ::madvise(memory, 4 * page, 21 /* MADV_PAGEOUT */);
  const std::size_t first = in.random % (in.shared.size() / page);
  ::madvise(in.shared.data() + first * page, page, 21);
  const bool right = all_are(memory, 4, value_of(in));
  unmap(memory, 4 * page);
  return right;
}

bool split_huge(surroundings& in) {
  char* const memory = map_at(in.own.fresh(2 * huge_page / page), 2 * huge_page);
  char* const aligned = reinterpret_cast<char*>(
      (reinterpret_cast<std::uintptr_t>(memory) + huge_page - 1) / huge_page * huge_page);
  ::madvise(aligned, huge_page, MADV_HUGEPAGE);  // there may be none
  for (std::size_t i = 0; i < 512; i += 8) aligned[i * page] = value_of(in);
  must(::madvise(aligned + 16 * page, 8 * page, MADV_DONTNEED) == 0, "madvise");
  bool right = aligned[16 * page] == 0;
  for (std::size_t i = 24; i < 512; i += 8) right = aligned[i * page] == value_of(in) && right;
  unmap(memory, 2 * huge_page);
  return right;
}

bool short_thread(surroundings& in) {
  bool right = false;
  const char value = value_of(in);
  std::thread([&right, value] {
    std::array<volatile char, 4 * page> on_stack;
    for (std::size_t i = 0; i < on_stack.size(); i += page) on_stack[i] = value;
    right = all_are(on_stack.data(), 4, value);
  }).join();
  return right;
}

bool execute(surroundings&) {
  pid_t child = 0;
  std::array<char, 16> program{"/bin/true"};
  char* words[] = {program.data(), nullptr};
  must(::posix_spawn(&child, program.data(), nullptr, nullptr, words, environ) == 0, "posix_spawn");
  return ended_well(child);
}

/// By the kernel, past the page table.
bool write_through_proc(surroundings& in) {
  char* const memory = map_at(in.own.fresh(1), page);
  memory[0] = 1;
  const int file = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  must(file >= 0, "open /proc/self/mem");
  const char value = value_of(in);
  must(::pwrite(file, &value, 1, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(memory))) == 1,
       "pwrite");
  ::close(file);
  const bool right = all_are(memory, 1, value);
  unmap(memory, page);
  return right;
}

bool punch_hole(surroundings& in) {
  const int file = ::memfd_create("stress", MFD_CLOEXEC);
  must(file >= 0, "memfd_create");
  must(::ftruncate(file, 8 * page) == 0, "ftruncate");
  char* const memory = map_at(in.own.fresh(8), 8 * page, MAP_SHARED, file);
  std::memset(memory, value_of(in), 8 * page);
  must(::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, page, 2 * page) == 0,
       "fallocate");
  bool right = all_are(memory, 1, value_of(in)) && all_are(memory + page, 2, 0) &&
               all_are(memory + 3 * page, 5, value_of(in));
  memory[page] = 3;
  char seen = 0;
  must(::pread(file, &seen, 1, page) == 1, "pread");
  right = right && seen == 3;
  ::close(file);
  unmap(memory, 8 * page);
  return right;
}

constexpr std::array operations{
    operation{"discard", discard},         operation{"replace", replace},
    operation{"protect", protect},         operation{"copy-on-write", copy_on_write},
    operation{"system-call", system_call}, operation{"remap", remap},
    operation{"migrate", migrate},         operation{"swap-out", swap_out},
    operation{"split-huge", split_huge},   operation{"short-thread", short_thread},
    operation{"execute", execute},         operation{"proc-mem", write_through_proc},
    operation{"punch-hole", punch_hole},
};

}  // namespace

arena::arena() {
  void* const all =
      ::mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  must(all != MAP_FAILED, "mmap");
  first_ = static_cast<char*>(all);
}

arena::~arena() {
  ::munmap(first_, arena_bytes);
}

char* arena::fresh(std::size_t pages) {
  if (used_ + pages * page > arena_bytes) used_ = 0;
  char* const given = first_ + used_;
  used_ += pages * page;
  return given;
}

std::span<const operation> all_operations() {
  return operations;
}

}  // namespace stress
