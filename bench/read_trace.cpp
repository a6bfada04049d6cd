// SPDX-License-Identifier: Apache-2.0
// Reads every access of a trace and does nothing with it: the reader's own speed. Prints how many
// accesses there were and the sum of their addresses.
#include <fmt/format.h>

#include "trace/reader.hpp"

namespace numatch::trace {
namespace {

struct totals {
  std::uint64_t accesses = 0;
  std::uint64_t addresses = 0;
};

result<void> read_thread(access_cursor cursor, totals& all) {
  for (;;) {
    const result<block> next = cursor.next();
    if (!next) return tl::unexpected(next.error());
    if (next->accesses.empty()) return {};
    all.accesses += next->accesses.size();
    for (const access& a : next->accesses) all.addresses += a.address;
  }
}

result<totals> read_all(const char* path) {
  const result<reader> trace = reader::open(path);
  if (!trace) return tl::unexpected(trace.error());
  totals all;
  for (const thread_info& thread : trace->threads()) {
    if (result<void> r = read_thread(trace->accesses_of(thread.id), all); !r) {
      return tl::unexpected(r.error());
    }
  }
  return all;
}

}  // namespace
}  // namespace numatch::trace

int main(int argc, char** argv) {
  const numatch::result<numatch::trace::totals> all =
      numatch::trace::read_all(argc > 1 ? argv[1] : "");
  if (!all) {
    fmt::print(stderr, "read_trace: {}\n", all.error().message());
    return 2;
  }
  fmt::print("{} accesses, addresses add up to {:x}\n", all->accesses, all->addresses);
  return 0;
}
