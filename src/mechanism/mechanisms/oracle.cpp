// SPDX-License-Identifier: Apache-2.0
// The oracle: exact sharing from every access, and what is best to do with it. docs/detectors.md
// defines events, granularity and window, docs/mechanisms.md what it does on a machine.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "mechanism/exact_sharing.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/page_uses.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/static_oracle.hpp"
#include "mechanism/thread_remapper.hpp"

namespace numatch {

namespace {

constexpr std::array<std::string_view, 2> ways_to_count{"transfers", "accesses"};
constexpr std::array needs{event_kind::access};
constexpr std::array acts{action_kind::move_threads, action_kind::move_pages, action_kind::wake_up};
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
    parameter{"mapping-interval", "100", "ms", "time between mappings of threads and pages",
              "SAMMU 3.1: as SAMMU itself, 2.7.1"},
    ageing_parameter("0.75", "SAMMU 3.1: as SAMMU itself, 2.7.1"),
    parameter{"page-ageing", "1", "",
              "the counts of pages are multiplied by this after every page mapping",
              "not said in SAMMU; 1 keeps everything"},
    mapper_parameter("scotch", "LAPT IV-A, SAMMU 3.1"),
    remap_gain_parameter("SAMMU 2.7.1"),
    oracle::page_gain_parameter,
    move_price_parameter,
    fewest_moves_parameter,
    parameter{"profile", "none", "",
              "decides once, from this file of numatch profile; none: online, from what it sees",
              "LAPT IV-B, SAMMU 3.2: the oracle of their real machines"},
    acts_on_parameter,
};

struct options {
  oracle::sharing_rule sharing;
  std::uint64_t mapping_interval = 0;  // nanoseconds
  double ageing = 0.75;
  double page_ageing = 1;
  double page_gain = 0;
  acts_on moves;
};

class oracle_mechanism : public mechanism {
 public:
  oracle_mechanism(const options& chosen, thread_remapper remapper)
      : options_(chosen), exact_(chosen.sharing), remapper_(std::move(remapper)) {}

  void on_begin(world& where) override {
    if (where.machine() == nullptr) return;
    page_shift_ = static_cast<unsigned>(std::countr_zero(where.page_bytes()));
    // Granules of one window that are pages need not be counted twice.
    counts_pages_ = options_.moves.pages &&
                    (options_.sharing.shift != page_shift_ || options_.sharing.window != 0);
  }

  void on_accesses(thread_id thread, std::span<const access_event> accesses,
                   world& where) override {
    count(accesses, exact_.counts_of(thread, where.now()));
    if (counts_pages_) count(accesses, page_counts_of(thread));
  }

  void on_thread_start(thread_id thread, world& where) override {
    exact_.note_thread(thread);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!mapping_.is_set()) mapping_.set(where.now(), options_.mapping_interval);
    alarm_.sleep_until(mapping_.next(), where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    if (mapping_.due(where.now())) {
      take_counts();
      const bool moved = options_.moves.threads && remapper_.remap(exact_.sharing(), where);
      exact_.scale(options_.ageing);
      if (options_.moves.pages) map_pages(moved, where);
      mapping_.set(where.now(), options_.mapping_interval);
    }
    alarm_.sleep_until(mapping_.next(), where);
  }

  sharing_matrix sharing() const override { return exact_.sharing(); }

 private:
  static void count(std::span<const access_event> accesses, granule_counts& counts) {
    for (const access_event& a : accesses) counts.add(a.address, a.bytes, a.write);
  }

  granule_counts& page_counts_of(thread_id thread) {
    while (thread.index() >= page_counts_.size()) page_counts_.emplace_back(page_shift_);
    return page_counts_[thread.index()];
  }

  /// Without windows of its own the oracle's windows are the intervals between mappings.
  void take_counts() {
    if (options_.sharing.window == 0) {
      const std::vector<oracle::granule_use> used = exact_.close();
      if (options_.moves.pages && !counts_pages_) {
        for (const oracle::granule_use& u : used) {
          pages_.add(page_number(u.granule), thread_id(u.thread), u.use.total());
        }
      }
    }
    for (std::uint32_t t = 0; t < page_counts_.size(); ++t) {
      page_counts_[t].for_each([&](std::uint64_t page, const use_count& use) {
        pages_.add(page_number(page), thread_id(t), use.total());
      });
      page_counts_[t].clear();
    }
  }

  /// Pages that were used since the last time; all of them when a thread has changed its node.
  void map_pages(bool threads_moved, world& where) {
    std::vector<std::optional<node_id>> nodes = nodes_of_threads(threads_moved, where);
    const bool all = nodes != nodes_;
    nodes_ = std::move(nodes);
    const std::vector<page_number> used = pages_.take_used(all);
    std::vector<double> by_node(where.machine()->node_count());
    for (const page_number page : used) {
      const std::optional<node_id> present = where.node_of(page);
      if (!present) continue;
      const std::optional<node_id> better =
          oracle::better_node(pages_.of(page), nodes_, *present, options_.page_gain, by_node);
      if (better) where.move_page(page, *better);
    }
    where.spend(software_work::scan_pages, used.size());
    if (options_.page_ageing != 1) pages_.scale(options_.page_ageing);
  }

  std::vector<std::optional<node_id>> nodes_of_threads(bool moved, const world& where) const {
    std::vector<std::optional<node_id>> nodes;
    for (std::uint32_t t = 0; t < exact_.threads(); ++t) {
      // A thread that was told to move may not have arrived.
      const std::optional<pu_id> sent = moved ? remapper_.sent(thread_id(t)) : std::nullopt;
      nodes.push_back(node_of_event(sent, thread_id(t), where));
    }
    return nodes;
  }

  options options_;
  oracle::exact_sharing exact_;
  oracle::page_uses pages_;
  std::vector<granule_counts> page_counts_;    ///< since the last mapping, by thread
  std::vector<std::optional<node_id>> nodes_;  ///< of threads, when pages were mapped last
  thread_remapper remapper_;
  unsigned page_shift_ = 12;
  bool counts_pages_ = false;  ///< in tables of their own
  timer mapping_;
  alarm_clock alarm_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  const std::uint64_t granularity = read.whole("granularity", 64, std::uint64_t{2} << 20);
  options chosen;
  chosen.sharing.window = read.whole("window", 0, ~std::uint64_t{0});
  const std::string count = read.word("count", ways_to_count);
  chosen.mapping_interval = milliseconds(read, "mapping-interval");
  chosen.ageing = read.real("ageing", 0, 1);
  chosen.page_ageing = read.real("page-ageing", 0, 1);
  chosen.page_gain = read.real("page-gain", 0, 1);
  chosen.moves = acts_on_named(read.word("act-on", acts_on_words));
  if (read.problem()) return tl::unexpected(*read.problem());
  if (!std::has_single_bit(granularity)) {
    return fail("parameter granularity", fmt::format("{} is not a power of two", granularity));
  }
  if (count == "accesses") chosen.sharing.count = oracle::pair_count::accesses;
  chosen.sharing.shift = static_cast<unsigned>(std::countr_zero(granularity));
  result<thread_remapper> remapper = thread_remapper::make(values);
  if (!remapper) return tl::unexpected(remapper.error());
  if (const std::string& file = values.values().at("profile"); file != "none") {
    return static_oracle::make(file, values.values().at("mapper"),
                               {.moves = chosen.moves, .page_gain = chosen.page_gain});
  }
  return std::make_unique<oracle_mechanism>(chosen, std::move(*remapper));
}

}  // namespace

extern const mechanism_entry oracle_entry{
    .name = "oracle",
    .summary = "exact sharing from every access",
    .source = "LAPT section IV-A and SAMMU section 3.1; defined in docs/detectors.md",
    .matrix_unit = "accesses",
    .needs = needs,
    .acts = acts,
    .tables = {},
    .parameters = parameters,
    .max_threads = 0xffffffff,
    .make = make,
};

}  // namespace numatch
