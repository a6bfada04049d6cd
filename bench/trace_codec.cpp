// SPDX-License-Identifier: Apache-2.0
// How fast the recorder writes and the reader reads made-up streams of one thread, without a
// front-end around it: million accesses per CPU-second, compression and file included.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/encoder.hpp"
#include "trace/reader.hpp"
#include "trace/session.hpp"

namespace numatch::trace {
namespace {

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class T>
T value_of(result<T> r) {
  if (r) return std::move(*r);
  fmt::print(stderr, "trace_codec: {}\n", r.error().message());
  std::exit(1);
}

constexpr std::uint64_t array_at(std::uint64_t number) {
  return (number + 1) << 32;
}

/// a[i] = b[i] + s × c[i]
std::vector<access> triad(std::size_t count) {
  std::vector<access> all;
  for (std::uint64_t i = 0; all.size() < count; ++i) {
    all.push_back({array_at(1) + 8 * i, 0x400100, 8, false});
    all.push_back({array_at(2) + 8 * i, 0x400108, 8, false});
    all.push_back({array_at(0) + 8 * i, 0x400110, 8, true});
  }
  return all;
}

/// Five points of a grid of 1000 × 1000.
std::vector<access> stencil(std::size_t count) {
  constexpr std::uint64_t n = 1000;
  std::vector<access> all;
  for (std::uint64_t cell = n + 1; all.size() < count; ++cell) {
    if (cell % n == n - 1) cell += 2;
    if (cell >= n * (n - 1)) cell = n + 1;
    const std::uint64_t from[] = {cell, cell - 1, cell + 1, cell - n, cell + n};
    for (std::uint64_t i = 0; i < 5; ++i) {
      all.push_back({array_at(0) + 8 * from[i], 0x400200 + 8 * i, 8, false});
    }
    all.push_back({array_at(1) + 8 * cell, 0x400240, 8, true});
  }
  return all;
}

/// Table look-ups at random places: an index that can be predicted, an entry that cannot.
std::vector<access> look_ups(std::size_t count) {
  std::uint64_t state = 12345;
  std::vector<access> all;
  for (std::uint64_t i = 0; all.size() < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    all.push_back({array_at(0) + 4 * i, 0x400300, 4, false});
    all.push_back({array_at(1) + 8 * (state >> 44), 0x400308, 8, false});
  }
  return all;
}

double write_rate(const std::filesystem::path& file, const std::vector<access>& accesses,
                  unsigned times) {
  const double begin = cpu_seconds();
  session made = value_of(session::create(file, {"bench", {}, "none", false, {}}, {}));
  recorder* const inside = join_session(made.path().c_str());
  thread_recorder* const t = begin_thread(inside, 1, ~0U);
  for (unsigned i = 0; i < times; ++i) {
    for (const access& a : accesses) record_access(t, a.pc, a.address, a.bytes, a.write);
  }
  end_thread(t);
  leave_session(inside);
  const result<void> finished = made.finish({});
  if (!finished) {
    fmt::print(stderr, "trace_codec: {}\n", finished.error().message());
    std::exit(1);
  }
  return static_cast<double>(times * accesses.size()) / (cpu_seconds() - begin) / 1e6;
}

double read_rate(const std::filesystem::path& file) {
  const double begin = cpu_seconds();
  const reader trace = value_of(reader::open(file));
  access_cursor cursor = trace.accesses_of(thread_id(0));
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  for (;;) {
    const block next = value_of(cursor.next());
    if (next.accesses.empty()) break;
    count += next.accesses.size();
    for (const access& a : next.accesses) sum += a.address;
  }
  if (sum == 0) std::exit(1);
  return static_cast<double>(count) / (cpu_seconds() - begin) / 1e6;
}

void run() {
  constexpr std::size_t distinct = 2'000'000;
  constexpr unsigned times = 20;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("numatch-codec-{}.nmt", ::getpid());
  fmt::print(
      "recorder and reader alone, {} M accesses; measured, million accesses per CPU-second\n",
      distinct * times / 1'000'000);
  const auto show = [&](const char* name, const std::vector<access>& accesses) {
    const double writes = write_rate(file, accesses, times);
    const double bytes = static_cast<double>(std::filesystem::file_size(file));
    const double reads = read_rate(file);
    fmt::print("{:10} write {:6.0f}   read {:6.0f}   {:.3f} bytes per access\n", name, writes,
               reads, bytes / static_cast<double>(accesses.size() * times));
  };
  show("triad", triad(distinct));
  show("stencil", stencil(distinct));
  show("look-ups", look_ups(distinct));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace numatch::trace

int main() {
  numatch::trace::run();
  return 0;
}
