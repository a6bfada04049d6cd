// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/check.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/check_thread.hpp"
#include "trace/reader_state.hpp"

namespace numatch::trace {

namespace {

using broken_invariant = check_report::broken_invariant;

void keep_first(check_report& report, broken_invariant found) {
  if (!report.broken || found.offset < report.broken->offset) report.broken = std::move(found);
}

/// Stamps of the whole program, each with its chunk.
void check_unique(check_report& report, const std::filesystem::path& path,
                  std::vector<placed_stamp>& stamps) {
  std::sort(stamps.begin(), stamps.end());
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    if (stamps[i].stamp != stamps[i - 1].stamp) continue;
    const std::string what = fmt::format("stamp {} occurs twice, first in the chunk at offset {}",
                                         stamps[i].stamp, stamps[i - 1].offset);
    keep_first(report, {stamps[i].offset, {what, chunk_place(path, stamps[i].offset), ""}});
    return;
  }
}

/// Blocks may be freed by another thread than the one that allocated them, so this looks at all
/// threads in stamp order.
std::uint64_t count_unknown_frees(std::vector<heap_call>& calls) {
  std::sort(calls.begin(), calls.end(),
            [](const heap_call& a, const heap_call& b) { return a.stamp < b.stamp; });
  std::unordered_set<std::uint64_t> live;
  std::uint64_t unknown = 0;
  for (const heap_call& call : calls) {
    if (call.is_allocation) {
      live.insert(call.address);
    } else if (call.address != 0 && live.erase(call.address) == 0) {
      ++unknown;
    }
  }
  return unknown;
}

void check_contents(check_report& report, const reader::state& trace) {
  std::vector<placed_stamp> stamps;
  std::vector<heap_call> calls;
  for (const thread_info& thread : trace.threads) {
    thread_check one(trace, thread);
    if (std::optional<broken_invariant> broken = one.run()) keep_first(report, std::move(*broken));
    report.accesses += one.accesses();
    report.events += one.events();
    report.regions_left_open += one.regions_left_open();
    stamps.insert(stamps.end(), one.stamps().begin(), one.stamps().end());
    calls.insert(calls.end(), one.heap_calls().begin(), one.heap_calls().end());
  }
  check_unique(report, trace.file.path, stamps);
  report.frees_of_unknown = count_unknown_frees(calls);
}

}  // namespace

result<check_report> check_trace(const std::filesystem::path& path) {
  result<open_file> known = open_any_trace(path);
  if (!known) return tl::unexpected(known.error());
  check_report report;
  reader::state trace;
  trace.file = std::move(*known);
  if (result<void> r = read_index(trace.file); !r) {
    report.broken = broken_invariant{trace.file.damaged_at, r.error()};
    return report;
  }
  report.chunks = trace.file.chunks.size();
  if (result<void> r = sort_chunks(trace); !r) {
    report.broken = broken_invariant{trace.file.damaged_at, r.error()};
    return report;
  }
  list_threads(trace);
  report.threads = trace.threads.size();
  check_contents(report, trace);
  return report;
}

}  // namespace numatch::trace
