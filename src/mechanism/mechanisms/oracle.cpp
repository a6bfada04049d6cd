// SPDX-License-Identifier: Apache-2.0
// The oracle: exact sharing from every access. docs/detectors.md defines events, granularity and
// window.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

#include "mechanism/mechanism.hpp"
#include "mechanism/oracle_pairs.hpp"

namespace numatch {

namespace {

constexpr std::array<std::string_view, 2> ways_to_count{"transfers", "accesses"};
constexpr std::array needs{event_kind::access};
constexpr std::array parameters{
    parameter{"granularity", "4096", "bytes",
              "size of the pieces of memory in which threads meet, a power of two from 64 to 2 MiB",
              "docs/detectors.md"},
    parameter{"window", "0", "time units",
              "length of the time windows in which threads have to meet; 0: the whole run",
              "docs/detectors.md"},
    parameter{"count", "transfers", "",
              "transfers: what one thread wrote and the other used; accesses: what both used, even "
              "if nobody wrote it",
              "docs/detectors.md"},
};

struct options {
  unsigned shift = 12;
  std::uint64_t window = 0;
  oracle::pair_count count = oracle::pair_count::transfers;
};

class oracle_mechanism : public mechanism {
 public:
  explicit oracle_mechanism(const options& chosen) : options_(chosen) {}

  void on_accesses(thread_id thread, std::span<const access_event> accesses,
                   world& where) override {
    granule_counts& counts = counts_of(thread, where.now());
    for (const access_event& a : accesses) counts.add(a.address, a.bytes, a.write);
  }

  void on_thread_start(thread_id thread, world&) override { finished_.note_thread(thread.value); }

  sharing_matrix sharing() const override {
    event_matrix sums = finished_;
    for (const auto& [number, tables] : open_) add_window(tables, sums);
    return sums.sharing();
  }

 private:
  /// Per thread; null for one that has not used the window.
  using window_tables = std::vector<std::unique_ptr<granule_counts>>;

  granule_counts& counts_of(thread_id thread, instant now) {
    const std::uint64_t number = options_.window == 0 ? 0 : now.nanoseconds / options_.window;
    window_tables& tables = window_of(number);
    if (thread.index() >= tables.size()) tables.resize(thread.index() + 1);
    std::unique_ptr<granule_counts>& counts = tables[thread.index()];
    if (counts == nullptr) {
      counts = std::make_unique<granule_counts>(options_.shift);
      finished_.note_thread(thread.value);
    }
    return *counts;
  }

  /// Threads do not enter a window all at once: it stays open until somebody is two windows
  /// further. What comes even later belongs to the oldest open window.
  window_tables& window_of(std::uint64_t number) {
    number = std::max(number, oldest_open_);
    while (!open_.empty() && open_.begin()->first + 2 <= number) {
      add_window(open_.begin()->second, finished_);
      open_.erase(open_.begin());
    }
    if (number >= 1) oldest_open_ = std::max(oldest_open_, number - 1);
    return open_[number];
  }

  void add_window(const window_tables& tables, event_matrix& sums) const {
    std::vector<oracle::granule_use> uses;
    for (std::uint32_t thread = 0; thread < tables.size(); ++thread) {
      if (tables[thread] == nullptr) continue;
      tables[thread]->for_each([&](std::uint64_t granule, const use_count& use) {
        uses.push_back({granule, thread, use});
      });
    }
    oracle::add_pairs(uses, options_.count, sums);
  }

  options options_;
  std::map<std::uint64_t, window_tables> open_;
  std::uint64_t oldest_open_ = 0;
  event_matrix finished_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  const std::uint64_t granularity = read.whole("granularity", 64, std::uint64_t{2} << 20);
  options chosen;
  chosen.window = read.whole("window", 0, ~std::uint64_t{0});
  const std::string count = read.word("count", ways_to_count);
  if (read.problem()) return tl::unexpected(*read.problem());
  if (!std::has_single_bit(granularity)) {
    return fail("parameter granularity", fmt::format("{} is not a power of two", granularity));
  }
  if (count == "accesses") chosen.count = oracle::pair_count::accesses;
  chosen.shift = static_cast<unsigned>(std::countr_zero(granularity));
  return std::make_unique<oracle_mechanism>(chosen);
}

}  // namespace

extern const mechanism_entry oracle_entry{
    .name = "oracle",
    .summary = "exact sharing from every access",
    .source = "LAPT section IV-A and SAMMU section 3.1; defined in docs/detectors.md",
    .matrix_unit = "accesses",
    .needs = needs,
    .acts = {},
    .tables = {},
    .parameters = parameters,
    .max_threads = 0xffffffff,
    .make = make,
};

}  // namespace numatch
