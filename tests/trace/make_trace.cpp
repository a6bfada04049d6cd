// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Writes a trace with several threads, all kinds of tokens, several chunks, instructions and
// events, for readers that are written in other languages. usage: make_trace FILE [THREADS
// [ACCESSES]]; with 0 threads the worked example of the documentation
#include <cstdio>
#include <cstdlib>
#include <string>

#include "trace/encoder.hpp"
#include "trace/session.hpp"

namespace numatch::trace {
namespace {

void record_example(recorder* inside) {
  thread_recorder* t = begin_thread(inside, 100, ~0U);
  for (std::uint64_t i = 0; i < 6; ++i) {
    record_instructions(t, 2);
    record_access(t, 0x401000, 0x10000 + 8 * i, 8, false);
    record_access(t, 0x401004, 0x20000, 4, true);
  }
  const std::uint64_t object = 42;
  record_event(t, event_kind::release, &object, 1);
  record_instructions(t, 1);
  record_access(t, 0x401000, 0x30000, 8, false);
  end_thread(t);
}

void record_thread(recorder* inside, std::uint64_t number, std::uint64_t accesses) {
  thread_recorder* t = begin_thread(inside, static_cast<std::uint32_t>(100 + number), ~0U);
  const std::string name = "worker " + std::to_string(number);
  record_event(t, event_kind::thread_name, nullptr, 0, name.data(), name.size());
  std::uint64_t state = number + 1;
  for (std::uint64_t i = 0; i < accesses; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    record_instructions(t, state >> 62);
    record_access(t, 0x400000 + i % 5 * 4, number << 40 | i * 8, 8, i % 5 == 4);
    if (i % 3 == 0)
      record_access(t, 0x500000 + (state >> 53), state >> 20, 1U << (state >> 61), true);
    if (i % 7 == 0) record_access(t, 0x600000, state, 100000, false);
    if (i % 1000 == 0) record_event(t, event_kind::acquire, &i, 1);
  }
  end_thread(t);
}

int make(const char* file, std::uint64_t threads, std::uint64_t accesses) {
  result<session> made = session::create(file, {"made", {"make_trace"}, "none", true, {}}, {});
  if (!made) {
    std::fprintf(stderr, "make_trace: %s\n", made.error().message().c_str());
    return 1;
  }
  recorder* const inside = join_session(made->path().c_str());
  if (threads == 0) record_example(inside);
  for (std::uint64_t i = 0; i < threads; ++i) record_thread(inside, i, accesses);
  leave_session(inside);
  return made->finish({{"exit_code", "0"}}) ? 0 : 1;
}

}  // namespace
}  // namespace numatch::trace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::uint64_t threads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 3;
  const std::uint64_t accesses = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 40000;
  return numatch::trace::make(argv[1], threads, accesses);
}
