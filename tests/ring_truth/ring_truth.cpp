// SPDX-License-Identifier: Apache-2.0
#include "ring_truth/ring_truth.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "mechanism/event_matrix.hpp"
#include "mechanism/oracle_pairs.hpp"

namespace numatch::ring_truth {

namespace {

constexpr std::uint64_t page_bytes = 4096;
using page_uses = std::map<std::uint64_t, std::map<std::uint32_t, use_count>>;

sharing_matrix oracle_of(const page_uses& pages, std::size_t threads) {
  std::vector<oracle::granule_use> uses;
  for (const auto& [page, by_thread] : pages) {
    for (const auto& [thread, use] : by_thread) uses.push_back({page, thread, use});
  }
  event_matrix sums;
  if (threads > 0) sums.note_thread(static_cast<std::uint32_t>(threads - 1));
  oracle::add_pairs(uses, oracle::pair_count::transfers, sums);
  sharing_matrix matrix = sums.sharing();
  matrix.grow(threads);
  return matrix;
}

/// What the profile saw of the ring's pages and threads, in the ring's numbers.
page_uses seen_of_ring(const profile& seen, const truth& real) {
  page_uses pages;
  for (const page_use& use : seen.pages) {
    const auto thread = real.thread_of_task.find(seen.threads[use.thread.index()].os_tid);
    if (thread == real.thread_of_task.end()) continue;
    for (std::uint64_t i = 0; i < use.pages; ++i) {
      const std::uint64_t page = use.first_page.value + i;
      if (!real.pages.contains(page)) continue;
      use_count& sum = pages[page][thread->second];
      sum.reads += use.reads;
      sum.writes += use.writes;
    }
  }
  return pages;
}

}  // namespace

result<truth> read_truth(std::istream& report) {
  truth real;
  for (std::string line; std::getline(report, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "thread") {
      std::uint32_t thread = 0;
      std::uint32_t task = 0;
      if (!(words >> thread >> task)) return fail("report", "cannot be read: " + line);
      real.thread_of_task[task] = thread;
    } else if (word == "used") {
      std::uint64_t address = 0;
      std::uint32_t thread = 0;
      use_count use;
      if (!(words >> std::hex >> address >> std::dec >> thread >> use.reads >> use.writes)) {
        return fail("report", "cannot be read: " + line);
      }
      real.pages[address / page_bytes][thread] = use;
    }
  }
  if (real.pages.empty() || real.thread_of_task.empty()) {
    return fail("report", "is none of ring_program, or nothing was used yet");
  }
  return real;
}

comparison compare(const profile& seen, const truth& real) {
  comparison found;
  std::map<std::uint32_t, bool> in_profile;
  for (const profiled_thread& t : seen.threads) in_profile[t.os_tid] = true;
  for (const auto& [task, thread] : real.thread_of_task) {
    if (!in_profile.contains(task)) ++found.unknown_threads;
  }
  const page_uses pages = seen_of_ring(seen, real);
  for (const auto& [page, by_thread] : pages) {
    for (const auto& [thread, use] : by_thread) {
      if (!real.pages.at(page).contains(thread)) found.wrong_uses += use.total();
    }
  }
  for (const auto& [page, by_thread] : real.pages) {
    for (const auto& [thread, use] : by_thread) {
      if (use.total() == 0) continue;
      const auto seen_page = pages.find(page);
      const bool is_seen = seen_page != pages.end() && seen_page->second.contains(thread);
      found.used += 1;
      found.used_found += is_seen ? 1 : 0;
      if (use.writes == 0) continue;
      found.written += 1;
      found.written_found += is_seen ? 1 : 0;
    }
  }
  const std::size_t threads = real.threads();
  const sharing_matrix is = oracle_of(pages, threads);
  const sharing_matrix should = oracle_of(real.pages, threads);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = 0; j < threads; ++j) {
      if (should.at(i, j) == 0) found.wrong_increments += is.at(i, j);
    }
  }
  found.correlation = correlation(is, should);
  return found;
}

}  // namespace numatch::ring_truth
