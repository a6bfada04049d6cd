// SPDX-License-Identifier: Apache-2.0
// SAMMU, a sharing-aware memory management unit: Cruz, Diener, Pilla, Navaux, "Online Thread and
// Data Mapping Using a Sharing-Aware Memory Management Unit", ACM TOMPECS 5(4), 2021, section 2.
#include <algorithm>
#include <array>
#include <vector>

#include "base/flat_table.hpp"
#include "mechanism/event_matrix.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/sammu_tables.hpp"
#include "mechanism/sharers_vector.hpp"
#include "mechanism/thread_remapper.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::tlb_evict};
constexpr std::array acts{action_kind::move_threads, action_kind::move_pages, action_kind::wake_up};
constexpr std::array<std::string_view, 2> tables{"page history table", "sharing matrix"};
enum table : std::uint32_t { history, matrix };

constexpr std::array parameters{
    parameter{"counter-max", "4294967295", "accesses",
              "where access counters and thresholds saturate; the default is 32 bits", "SAMMU 3.1"},
    parameter{"after-saturation", "reset", "",
              "a saturated access counter starts again (reset) or stays at its maximum (hold)",
              "not said in SAMMU"},
    parameter{"threshold-rule", "eq7", "",
              "how a threshold falls: eq7, as in the hardware, or eq3, exact", "SAMMU 2.2, 2.6.1"},
    parameter{"sv-length", "2", "threads", "length of a page's sharers vector, 1 to 16",
              "SAMMU 3.1"},
    parameter{"move-to-front", "no", "",
              "a thread that is in the vector already is moved instead of inserted again",
              "not said in SAMMU; section 2.3 inserts again"},
    parameter{"v-add", "2", "", "what an event adds to the counter of its node, at least 2",
              "SAMMU 2.4"},
    parameter{"nc-bits", "4", "bits", "width of the NUMA counters, 1 to 31", "SAMMU 3.1"},
    parameter{"numa-threshold", "10", "",
              "a page moves when its counters differ by at least this much (NT)", "SAMMU 3.1"},
    parameter{"raise-above", "0", "pages",
              "NT rises by 1 after an interval with more moves than this; 0: never",
              "SAMMU 2.4 does not say when"},
    parameter{"pages-interval", "100", "ms", "how often the list of pages to move is read",
              "not said in SAMMU"},
    parameter{"mapping-interval", "100", "ms", "time between thread mappings", "SAMMU 2.7.1"},
    ageing_parameter("0.75", "SAMMU 2.7.1"),
    mapper_parameter("scotch", "SAMMU 2.7.1"),
    remap_gain_parameter("SAMMU 2.7.1"),
    move_price_parameter,
    fewest_moves_parameter,
    parameter{"drop-while-busy", "yes", "",
              "an event that arrives while one is handled on its core is dropped", "SAMMU 2.6.1"},
    acts_on_parameter,
};
constexpr std::array<std::string_view, 2> saturation_words{"reset", "hold"};
constexpr std::array<std::string_view, 2> rule_words{"eq3", "eq7"};

struct options {
  sensor_plan sensors;
  bool shift_rule = true;
  std::size_t sv_length = 2;
  bool move_to_front = false;
  sammu::node_rule nodes;
  std::size_t raise_above = 0;
  std::uint64_t pages_interval = 0;    // nanoseconds
  std::uint64_t mapping_interval = 0;  // nanoseconds
  double ageing = 0.75;
  acts_on moves;
};

/// A page's entry of the page history table; 8 bytes in the paper.
struct page_history {
  std::uint32_t threshold = 0;  ///< AT
  std::uint32_t counters = 0;   ///< 1 + number of its row of NUMA counters; 0: none yet
  sharers_vector sharers;       ///< SV
};

class sammu_mechanism : public mechanism {
 public:
  sammu_mechanism(const options& chosen, thread_remapper remapper)
      : options_(chosen), remapper_(std::move(remapper)) {}

  sensor_plan sensors() const override { return options_.sensors; }

  void on_tlb_evict(const tlb_evict_event& event, world& where) override {
    where.touch({history, event.page.value * 8, 8, true});
    sharing_.note_thread(event.thread.value);
    page_history& page = pages_[event.page.value];
    const std::uint64_t ac = std::min(event.accesses, options_.sensors.counter_max);
    if (ac < page.threshold) {
      page.threshold = static_cast<std::uint32_t>(
          options_.shift_rule ? sammu::lowered_threshold_shift(page.threshold, ac)
                              : sammu::lowered_threshold_exact(page.threshold, ac));
      return;
    }
    page.threshold = static_cast<std::uint32_t>(sammu::raised_threshold(page.threshold, ac));
    for (const std::uint16_t other : page.sharers.ids()) {  // Eq. 4
      sharing_.add(event.thread.value, other);
      where.touch({matrix, std::uint64_t{event.thread.value} * 1024 + other * 4u, 4, true});
    }
    page.sharers.insert(static_cast<std::uint16_t>(event.thread.value), options_.sv_length,
                        options_.move_to_front);
    count_node(event, page, where);
  }

  void on_thread_start(thread_id thread, world& where) override {
    sharing_.note_thread(thread.value);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!mapping_.is_set()) {
      mapping_.set(where.now(), options_.mapping_interval);
      moving_.set(where.now(), options_.pages_interval);
    }
    sleep(where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    const instant now = where.now();
    if (mapping_.due(now)) {
      if (options_.moves.threads) remapper_.remap(sharing_.sharing(), where);
      sharing_.scale(options_.ageing);
      mapping_.set(now, options_.mapping_interval);
    }
    if (moving_.due(now)) {
      move_listed_pages(where);
      moving_.set(now, options_.pages_interval);
    }
    sleep(where);
  }

  sharing_matrix sharing() const override { return sharing_.sharing(); }

 private:
  void sleep(world& where) { alarm_.sleep_until(std::min(mapping_.next(), moving_.next()), where); }

  /// Eq. 5 and 6; the operating system reads the list at its next wake-up (section 2.6.2).
  void count_node(const tlb_evict_event& event, page_history& page, world& where) {
    const std::optional<node_id> node = node_of_event(event.pu, event.thread, where);
    if (!node) return;
    const std::span<std::uint32_t> nc = counters_of(page, where.machine()->node_count());
    sammu::count_node(nc, *node, options_.nodes);
    const std::optional<node_id> present = where.node_of(event.page);
    if (!present || !sammu::notifies(nc, *node, *present, options_.nodes)) return;
    std::uint32_t& target = target_of_page_[event.page.value];
    if (target == 0) list_.push_back(event.page);
    target = node->value + 1;
  }

  std::span<std::uint32_t> counters_of(page_history& page, std::size_t nodes) {
    if (page.counters == 0) {
      counters_.resize(counters_.size() + nodes);
      page.counters = static_cast<std::uint32_t>(counters_.size() / nodes);
    }
    return std::span(counters_).subspan((page.counters - 1) * nodes, nodes);
  }

  void move_listed_pages(world& where) {
    for (const page_number page : list_) {
      const node_id target(*target_of_page_.find(page.value) - 1);
      if (options_.moves.pages) where.move_page(page, target);
    }
    where.spend(software_work::scan_pages, list_.size());
    if (options_.raise_above > 0 && list_.size() > options_.raise_above) ++options_.nodes.threshold;
    list_.clear();
    target_of_page_.clear();
  }

  options options_;
  flat_table<page_history> pages_;
  event_matrix sharing_;
  std::vector<std::uint32_t> counters_;       ///< rows of one NUMA counter per node
  std::vector<page_number> list_;             ///< pages to move, in the order of their listing
  flat_table<std::uint32_t> target_of_page_;  ///< node + 1, of listed pages; the last one counts
  thread_remapper remapper_;
  timer mapping_;
  timer moving_;
  alarm_clock alarm_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.sensors.counter_max = read.whole("counter-max", 1, 0xffffffff);
  chosen.sensors.reset_on_saturation = read.word("after-saturation", saturation_words) == "reset";
  chosen.sensors.drop_while_busy = read.flag("drop-while-busy");
  chosen.shift_rule = read.word("threshold-rule", rule_words) == "eq7";
  chosen.sv_length = read.whole("sv-length", 1, sharers_vector::max_length);
  chosen.move_to_front = read.flag("move-to-front");
  chosen.nodes.v_add = static_cast<std::uint32_t>(read.whole("v-add", 2, 1000));
  chosen.nodes.counter_max = (1u << read.whole("nc-bits", 1, 31)) - 1;
  chosen.nodes.threshold = static_cast<std::uint32_t>(read.whole("numa-threshold", 1, 1u << 30));
  chosen.raise_above = read.whole("raise-above", 0, 0xffffffff);
  chosen.pages_interval = milliseconds(read, "pages-interval");
  chosen.mapping_interval = milliseconds(read, "mapping-interval");
  chosen.ageing = read.real("ageing", 0, 1);
  chosen.moves = acts_on_named(read.word("act-on", acts_on_words));
  if (read.problem()) return tl::unexpected(*read.problem());
  result<thread_remapper> remapper = thread_remapper::make(values);
  if (!remapper) return tl::unexpected(remapper.error());
  return std::make_unique<sammu_mechanism>(chosen, std::move(*remapper));
}

}  // namespace

extern const mechanism_entry sammu_entry{
    .name = "sammu",
    .summary = "sharing-aware MMU: access counts of TLB entries, filtered by a threshold per page",
    .source = "SAMMU section 2",
    .matrix_unit = "TLB evictions",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = 256,
    .make = make,
};

}  // namespace numatch
