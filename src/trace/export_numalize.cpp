// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/atomic_file.hpp"
#include "trace/exporters.hpp"
#include "trace/needs_accesses.hpp"
#include "trace/replay.hpp"

namespace numatch::trace {

namespace {

constexpr unsigned page_shift = 12;

/// Numbers of threads from 0 without gaps.
using thread_number = std::uint32_t;
constexpr thread_number nobody = ~thread_number{0};

/// numalize's rule: a block remembers the threads of its last two accesses, and each access
/// communicates with those of them that are other threads.
class block_communication {
 public:
  block_communication(std::size_t threads, unsigned shift)
      : threads_(threads), shift_(shift), counts_(threads * threads) {}

  void add(thread_number thread, std::uint64_t address) {
    last_two& block = blocks_[address >> shift_];
    count(thread, block.first);
    count(thread, block.second);
    block.second = block.first;
    block.first = thread;
  }

  std::string text() const {
    std::string csv;
    for (std::size_t a = threads_; a-- > 0;) {
      for (std::size_t b = 0; b < threads_; ++b) {
        const std::uint64_t both = counts_[a * threads_ + b] + counts_[b * threads_ + a];
        fmt::format_to(std::back_inserter(csv), "{}{}", b == 0 ? "" : ",", both);
      }
      csv += '\n';
    }
    return csv + '\n';
  }

 private:
  struct last_two {
    thread_number first = nobody;
    thread_number second = nobody;
  };
  void count(thread_number thread, thread_number other) {
    if (other != nobody && other != thread) ++counts_[thread * threads_ + other];
  }
  std::size_t threads_;
  unsigned shift_;
  std::vector<std::uint64_t> counts_;
  std::unordered_map<std::uint64_t, last_two> blocks_;
};

class page_counts {
 public:
  explicit page_counts(std::size_t threads) : threads_(threads) {}

  void add(thread_number thread, std::uint64_t address) {
    page& p = pages_[address >> page_shift];
    if (p.accesses.empty()) {
      p.accesses.resize(threads_);
      p.first = thread;
    }
    ++p.accesses[thread];
  }

  std::string text() const {
    std::string csv = "addr,firstacc";
    for (std::size_t i = 0; i < threads_; ++i) fmt::format_to(std::back_inserter(csv), ",T{}", i);
    csv += '\n';
    for (const auto& [number, p] : pages_) {
      fmt::format_to(std::back_inserter(csv), "{},{}", number, p.first);
      for (const std::uint64_t n : p.accesses) fmt::format_to(std::back_inserter(csv), ",{}", n);
      csv += '\n';
    }
    return csv;
  }

 private:
  struct page {
    thread_number first = 0;
    std::vector<std::uint64_t> accesses;
  };
  std::size_t threads_;
  std::map<std::uint64_t, page> pages_;
};

}  // namespace

result<void> export_numalize(const reader& trace, const std::filesystem::path& prefix,
                             unsigned shift) {
  if (result<void> r = needs_accesses(trace); !r) return r;
  if (shift > 63) return fail("--shift", fmt::format("{} is more than 63 bits", shift));
  result<replay> order = replay::open(trace, {});
  if (!order) return tl::unexpected(order.error());
  std::unordered_map<std::uint32_t, thread_number> numbers;
  for (const thread_info& thread : trace.threads()) {
    numbers.emplace(thread.id.value, static_cast<thread_number>(numbers.size()));
  }
  block_communication communication(numbers.size(), shift);
  page_counts pages(numbers.size());
  for (;;) {
    const result<step> next = order->next();
    if (!next) return tl::unexpected(next.error());
    if (order->done()) break;
    const thread_number thread = numbers[next->thread.value];
    for (const access& a : next->accesses) {
      communication.add(thread, a.address);
      pages.add(thread, a.address);
    }
  }
  const std::string begin = prefix.string() + ".full";
  result<void> written =
      write_file(fmt::format("{}.{}.comm.csv", begin, shift), communication.text());
  if (!written) return written;
  return write_file(begin + ".page.csv", pages.text());
}

}  // namespace numatch::trace
