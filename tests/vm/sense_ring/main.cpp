// SPDX-License-Identifier: Apache-2.0
// Senses a ring of threads whose sharing is known, with one sensor, and judges what came out:
//
//     sense_ring SENSOR PERCENT [SECONDS]
//
// Thread i of 8 uses 256 pages of its own, 256 that it shares with thread i + 1 and 256 that it
// shares with thread i - 1; a quarter of its uses are writes. Ends with 0 when at least PERCENT of
// the (thread, page) pairs were seen (written pairs, for a sensor of writes) within SECONDS (30),
// no use was of a page that its thread does not use, no page has changed its node (one in a
// hundred, where NUMA balancing itself is the sensor), nothing was left behind, and the program's
// own check of its memory is right.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "live/cpu_mask.hpp"
#include "live/policy_ranges.hpp"
#include "live/sensor.hpp"

namespace {

using namespace numatch;
using namespace numatch::live;

constexpr std::size_t threads = 8;
constexpr std::size_t block_pages = 256;
constexpr std::size_t pages = 2 * threads * block_pages;
constexpr std::size_t slots = 32;  ///< per page, 128 bytes each

/// What program and monitor share besides the memory that is sensed.
struct board {
  std::array<std::atomic<pid_t>, threads> tasks{};
  std::atomic<int> ready{0};
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> mistakes{0};
};

/// The blocks of thread i: its own, and those that it shares with the next and the last one.
std::array<std::size_t, 3> blocks_of(std::size_t thread) {
  return {thread, threads + thread, threads + (thread + threads - 1) % threads};
}

bool uses(std::size_t thread, std::size_t page) {
  const std::array<std::size_t, 3> blocks = blocks_of(thread);
  return std::find(blocks.begin(), blocks.end(), page / block_pages) != blocks.end();
}

/// Each thread has its own words in a page, and checks that they hold what it wrote.
class ring_thread {
 public:
  ring_thread(board& told, char* memory, std::size_t number)
      : told_(told), memory_(memory), number_(number), written_(pages * slots, 0) {}

  void work() {
    told_.tasks[number_] = ::gettid();
    cpu_mask::of_cpu(static_cast<unsigned>(number_ % ::sysconf(_SC_NPROCESSORS_ONLN))).apply_to(0);
    // The first touch gives a page to this thread's node.
    for (const std::size_t block : {blocks_of(number_)[0], blocks_of(number_)[1]}) {
      for (std::size_t i = 0; i < block_pages; ++i) memory_[(block * block_pages + i) * 4096] = 0;
    }
    ++told_.ready;
    while (told_.ready < static_cast<int>(threads)) ::usleep(1000);
    while (!told_.stop) {
      for (int i = 0; i < 256; ++i) step();
    }
  }

 private:
  void step() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t random = state_ >> 33;
    const std::size_t page =
        blocks_of(number_)[random % 3] * block_pages + (random >> 2) % block_pages;
    const std::size_t slot = (random >> 10) % (slots - 1) + 1;
    volatile std::uint64_t* const word = reinterpret_cast<volatile std::uint64_t*>(
        memory_ + page * 4096 + slot * 128 + number_ * sizeof(std::uint64_t));
    std::uint64_t& expected = written_[page * slots + slot];
    if ((random >> 20) % 4 == 0) {
      *word = expected = state_;
    } else if (*word != expected) {
      ++told_.mistakes;
    }
  }

  board& told_;
  char* memory_;
  std::size_t number_;
  std::vector<std::uint64_t> written_;
  std::uint64_t state_ = number_ + 1;
};

int run_ring(board& told, char* memory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < threads; ++i) {
    all.emplace_back([&told, memory, i] { ring_thread(told, memory, i).work(); });
  }
  for (std::thread& one : all) one.join();
  return told.mistakes == 0 ? 0 : 1;
}

/// Who uses which page, and the sharing matrix by the last two users of each page.
class pair_table : public use_sink {
 public:
  pair_table(const board& told, const char* memory)
      : told_(told),
        first_(reinterpret_cast<std::uint64_t>(memory)),
        seen_(threads * pages, false) {}

  void on_use(const sensed_use& use) override {
    const std::uint64_t page = (use.address - first_) / 4096;
    if (use.address < first_ || page >= pages) return;
    for (std::size_t i = 0; i < threads; ++i) {
      if (told_.tasks[i] == use.task) note(i, page);
    }
  }
  void on_task_start(pid_t, std::uint64_t) override {}
  void on_task_end(pid_t, std::uint64_t) override {}
  void on_lost(std::uint64_t uses) override { lost_ += uses; }

  double percent() const {
    return 100.0 * static_cast<double>(found_) / (threads * 3 * block_pages);
  }
  std::uint64_t right() const { return right_; }
  std::uint64_t wrong() const { return wrong_; }
  std::uint64_t lost() const { return lost_; }

 private:
  void note(std::size_t thread, std::size_t page) {
    if (!uses(thread, page)) {
      ++wrong_;
      return;
    }
    if (!seen_[thread * pages + page]) ++found_;
    seen_[thread * pages + page] = true;
    std::array<std::size_t, 2>& last = last_[page];
    for (const std::size_t other : last) {
      if (other == threads || other == thread) continue;
      const std::size_t apart = (thread + threads - other) % threads;
      ++(apart == 1 || apart == threads - 1 ? right_ : wrong_);
    }
    if (last[0] != thread) last = {thread, last[0]};
  }

  const board& told_;
  std::uint64_t first_;
  std::vector<bool> seen_;
  std::vector<std::array<std::size_t, 2>> last_ =
      std::vector<std::array<std::size_t, 2>>(pages, {threads, threads});
  std::uint64_t found_ = 0;
  std::uint64_t right_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t lost_ = 0;
};

std::vector<int> nodes_of(pid_t process, char* memory) {
  std::vector<void*> addresses(pages);
  for (std::size_t i = 0; i < pages; ++i) addresses[i] = memory + i * 4096;
  std::vector<int> nodes(pages, -1);
  ::syscall(SYS_move_pages, process, pages, addresses.data(), nullptr, nodes.data(), 0);
  return nodes;
}

std::size_t moved(const std::vector<int>& before, const std::vector<int>& after) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < pages; ++i) count += before[i] != after[i] ? 1 : 0;
  return count;
}

/// Policies of ours that are still there, and pages whose pagemap entry says write-protected.
std::size_t left_behind(const observed_process& process, const char* memory) {
  std::size_t count = 0;
  const result<std::vector<policy_range>> policies = read_policies(process);
  if (policies) {
    for (const policy_range& range : *policies) count += is_hint_policy(range.policy) ? 1 : 0;
  }
  std::FILE* const file = std::fopen(fmt::format("/proc/{}/pagemap", process.pid()).c_str(), "rb");
  if (file == nullptr) return count + 1;
  std::vector<std::uint64_t> entries(pages, 0);
  std::fseek(file, static_cast<long>(reinterpret_cast<std::uint64_t>(memory) / 4096 * 8), SEEK_SET);
  if (std::fread(entries.data(), 8, pages, file) != pages) ++count;
  std::fclose(file);
  for (const std::uint64_t entry : entries) count += entry >> 57 & 1;
  return count;
}

std::vector<mapped_range> ranges_of_ring(const observed_process& process, const char* memory) {
  const std::uint64_t first = reinterpret_cast<std::uint64_t>(memory);
  std::vector<mapped_range> found;
  const result<std::vector<mapped_range>> all = process.mappings();
  if (!all) return found;
  for (const mapped_range& range : *all) {
    if (range.first < first + pages * 4096 && first < range.end) found.push_back(range);
  }
  return found;
}

/// Until all pairs are seen or the time is over; an error of the sensor.
result<void> sense(sensor& senses, char* memory, double percent, int seconds, pair_table& seen) {
  const page_run all{page_number{reinterpret_cast<std::uint64_t>(memory) / 4096}, pages};
  const std::time_t end = std::time(nullptr) + seconds;
  while (std::time(nullptr) < end && seen.percent() < percent) {
    const result<armed> done = senses.arm(std::span(&all, 1));
    if (!done) return tl::unexpected(done.error());
    ::usleep(50'000);
    if (const result<void> got = senses.collect(seen); !got) return got;
  }
  return {};
}

int run(const std::string& name, double percent, int seconds) {
  board* const told = new (::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0)) board();
  char* const memory = static_cast<char*>(
      ::mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
  const pid_t ring = ::fork();
  if (ring == 0) ::_exit(run_ring(*told, memory));
  while (told->ready < static_cast<int>(threads)) ::usleep(1000);
  result<observed_process> process = observed_process::open(ring);
  pair_table seen(*told, memory);
  std::size_t moves = 0;
  std::size_t moves_allowed = 0;
  result<void> sensed = {};
  std::string used = name;
  {
    result<opened_sensor> opened = process ? open_sensor(name, read_system_facts(), *process)
                                           : tl::unexpected(process.error());
    sensed = opened ? opened->senses->watch(ranges_of_ring(*process, memory))
                    : tl::unexpected(opened.error());
    // While it is sensed: before and after, NUMA balancing may do what it likes.
    const std::vector<int> before = nodes_of(ring, memory);
    if (sensed) sensed = sense(*opened->senses, memory, percent, seconds, seen);
    moves = moved(before, nodes_of(ring, memory));
    if (opened) used = opened->entry->name;
    // Pages that balancing had on the way when the policies were set may still arrive.
    if (opened && opened->entry->how == arming::by_kernel) moves_allowed = pages / 100;
  }
  const std::size_t left = process ? left_behind(*process, memory) : 1;
  told->stop = true;
  int status = 1;
  ::waitpid(ring, &status, 0);
  if (!sensed) fmt::print("{}: {}\n", used, sensed.error().message());
  fmt::print(
      "{}: {:.1f} % of the pairs, {} increments right, {} wrong, {} uses lost, {} pages moved, "
      "{} left behind, program {}\n",
      used, seen.percent(), seen.right(), seen.wrong(), seen.lost(), moves, left,
      status == 0 ? "right" : "WRONG");
  const bool good = sensed && seen.percent() >= percent && seen.wrong() == 0 && seen.right() > 0 &&
                    moves <= moves_allowed && left == 0 && status == 0;
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  return run(argv[1], std::atof(argv[2]), argc > 3 ? std::atoi(argv[3]) : 30);
}
