// SPDX-License-Identifier: Apache-2.0
// LAPT: Cruz, Diener, Alves, Pilla, Navaux, "Optimizing Memory Locality Using a Locality-Aware Page
// Table"; the equations are those of its section III.
#include <algorithm>
#include <array>
#include <vector>

#include "base/flat_table.hpp"
#include "mechanism/event_matrix.hpp"
#include "mechanism/lapt_tables.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/sharers_vector.hpp"
#include "mechanism/thread_remapper.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::tlb_miss};
constexpr std::array acts{action_kind::move_threads, action_kind::move_pages, action_kind::wake_up};
constexpr std::array<std::string_view, 3> tables{"communication vectors", "communication matrix",
                                                 "NUMA access table"};
enum table : std::uint32_t { vectors, matrix, node_counts };

constexpr std::array parameters{
    parameter{"cv-length", "4", "threads", "length of a page's communication vector, 1 to 16",
              "LAPT III-E"},
    parameter{"move-to-front", "no", "",
              "a thread that is in the vector already is moved instead of inserted again",
              "not said in LAPT; Eq. 2 and 3 insert again"},
    parameter{"empty-slots", "skip", "",
              "what a vector that is not full holds: nothing (skip) or thread 0 (zero)",
              "not said in LAPT"},
    parameter{"matrix-ageing", "1", "",
              "the communication matrix is multiplied by this after every thread mapping",
              "not said in LAPT; 1 keeps everything"},
    mapper_parameter("scotch", "LAPT III-B"),
    remap_gain_parameter("LAPT III-B"),
    move_price_parameter,
    fewest_moves_parameter,
    parameter{"first-interval", "300", "ms", "time to the first thread mapping", "LAPT III-B"},
    parameter{"interval-step", "50", "ms", "the interval grows by this after an equal mapping",
              "LAPT III-B"},
    parameter{"shortest-interval", "50", "ms", "lower limit of the interval", "LAPT III-B"},
    parameter{"longest-interval", "500", "ms", "upper limit of the interval", "LAPT III-B"},
    parameter{"data-interval", "500", "ms",
              "pages are looked at when threads moved, or after this time", "LAPT III-C"},
    parameter{"nat-bits", "8", "bits", "width of the counters of the NUMA access table, 1 to 31",
              "LAPT III-E"},
    parameter{"nat-overflow", "saturate", "",
              "what a full counter does: saturate, or halve those of the page", "not said in LAPT"},
    parameter{"move-ratio", "2", "",
              "a page moves when the highest counter is at least this many times the average",
              "LAPT Eq. 6"},
    acts_on_parameter,
};
constexpr std::array<std::string_view, 2> overflow_words{"saturate", "halve"};
constexpr std::array<std::string_view, 2> empty_slot_words{"skip", "zero"};

struct options {
  std::size_t cv_length = 4;
  bool move_to_front = false;
  bool empty_is_zero = false;
  double matrix_ageing = 1;
  lapt::interval_rule interval;
  std::uint64_t data_interval = 0;  // nanoseconds
  lapt::nat_rule nat;
  acts_on moves;
};

/// What LAPT keeps of a page.
struct page_state {
  sharers_vector cv;
  std::uint32_t nat = 0;  ///< 1 + number of its row in the NUMA access table; 0: none yet
};

class lapt_mechanism : public mechanism {
 public:
  lapt_mechanism(const options& chosen, thread_remapper remapper)
      : options_(chosen), interval_(chosen.interval.first), remapper_(std::move(remapper)) {}

  void on_tlb_miss(const tlb_miss_event& miss, world& where) override {
    touch_vector(miss.page, true, where);
    sharers_vector& cv = pages_[miss.page.value].cv;
    if (options_.empty_is_zero && cv.empty()) cv.fill_with_zero(options_.cv_length);
    communication_.note_thread(miss.thread.value);
    for (const std::uint16_t other : cv.ids()) {  // Eq. 1
      communication_.add(miss.thread.value, other);
      where.touch({matrix, (std::uint64_t{miss.thread.value} << 18) + other * 4u, 4, true});
    }
    cv.insert(static_cast<std::uint16_t>(miss.thread.value), options_.cv_length,
              options_.move_to_front);  // Eq. 2 and 3
  }

  void on_thread_start(thread_id thread, world& where) override {
    communication_.note_thread(thread.value);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!mapping_.is_set()) {
      mapping_.set(where.now(), interval_);
      data_.set(where.now(), options_.data_interval);
    }
    sleep(where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    const instant now = where.now();
    bool moved = false;
    if (mapping_.due(now)) {
      moved = options_.moves.threads && remapper_.remap(communication_.sharing(), where);
      if (options_.matrix_ageing != 1) communication_.scale(options_.matrix_ageing);
      interval_ = lapt::next_interval(interval_, moved, options_.interval);
      mapping_.set(now, interval_);
    }
    if (moved || data_.due(now)) {
      if (options_.moves.pages) map_pages(where);
      data_.set(now, options_.data_interval);
    }
    sleep(where);
  }

  sharing_matrix sharing() const override { return communication_.sharing(); }

 private:
  void sleep(world& where) { alarm_.sleep_until(std::min(mapping_.next(), data_.next()), where); }

  /// The vector is the second half of a 16-byte page-table entry (section III-E).
  static void touch_vector(page_number page, bool write, world& where) {
    where.touch({vectors, page.value * 16 + 8, 8, write});
  }

  /// The data-mapping routine (section III-C) over all pages, by address.
  void map_pages(world& where) {
    std::vector<std::uint64_t> pages;
    pages.reserve(pages_.size());
    pages_.for_each([&](std::uint64_t page, const page_state&) { pages.push_back(page); });
    std::sort(pages.begin(), pages.end());
    for (const std::uint64_t page : pages) map_page(page_number(page), where);
    where.spend(software_work::scan_pages, pages.size());
  }

  void map_page(page_number page, world& where) {
    page_state& state = *pages_.find(page.value);
    const std::span<std::uint32_t> nat = counters_of(state, where.machine()->node_count());
    touch_vector(page, false, where);
    where.touch({node_counts, (state.nat - 1) * std::uint64_t{nat.size()},
                 static_cast<std::uint32_t>(nat.size()), true});
    for (const std::uint16_t id : state.cv.ids()) {
      const std::optional<node_id> node = node_of_event({}, thread_id(id), where);
      if (node) lapt::count_node(nat, *node, options_.nat);
    }
    const std::optional<node_id> present = where.node_of(page);
    if (!present) return;
    const std::optional<node_id> better = lapt::better_node(nat, *present, options_.nat);
    if (!better) return;
    where.move_page(page, *better);
    lapt::age(nat);
  }

  std::span<std::uint32_t> counters_of(page_state& state, std::size_t nodes) {
    if (state.nat == 0) {
      nat_.resize(nat_.size() + nodes);
      state.nat = static_cast<std::uint32_t>(nat_.size() / nodes);
    }
    return std::span(nat_).subspan((state.nat - 1) * nodes, nodes);
  }

  options options_;
  flat_table<page_state> pages_;
  event_matrix communication_;
  std::vector<std::uint32_t> nat_;  ///< rows of one counter per node
  std::uint64_t interval_;
  thread_remapper remapper_;
  timer mapping_;
  timer data_;
  alarm_clock alarm_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.cv_length = read.whole("cv-length", 1, sharers_vector::max_length);
  chosen.move_to_front = read.flag("move-to-front");
  chosen.empty_is_zero = read.word("empty-slots", empty_slot_words) == "zero";
  chosen.matrix_ageing = read.real("matrix-ageing", 0, 1);
  chosen.interval.first = milliseconds(read, "first-interval");
  chosen.interval.step = milliseconds(read, "interval-step");
  chosen.interval.shortest = milliseconds(read, "shortest-interval");
  chosen.interval.longest = milliseconds(read, "longest-interval");
  chosen.data_interval = milliseconds(read, "data-interval");
  chosen.nat.counter_max = (1u << read.whole("nat-bits", 1, 31)) - 1;
  chosen.nat.halve_when_full = read.word("nat-overflow", overflow_words) == "halve";
  chosen.nat.move_ratio = read.real("move-ratio", 1, 1e6);
  chosen.moves = acts_on_named(read.word("act-on", acts_on_words));
  if (read.problem()) return tl::unexpected(*read.problem());
  if (chosen.interval.shortest > chosen.interval.longest) {
    return fail("parameter shortest-interval", "is longer than longest-interval");
  }
  result<thread_remapper> remapper = thread_remapper::make(values);
  if (!remapper) return tl::unexpected(remapper.error());
  return std::make_unique<lapt_mechanism>(chosen, std::move(*remapper));
}

}  // namespace

extern const mechanism_entry lapt_entry{
    .name = "lapt",
    .summary = "locality-aware page table: the last threads that missed the TLB on a page",
    .source = "LAPT section III",
    .matrix_unit = "TLB misses",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
