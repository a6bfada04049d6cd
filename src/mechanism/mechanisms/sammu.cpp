// SPDX-License-Identifier: Apache-2.0
// SAMMU, a sharing-aware memory management unit: Cruz, Diener, Pilla, Navaux, "Online Thread and
// Data Mapping Using a Sharing-Aware Memory Management Unit", ACM TOMPECS 5(4), 2021, section 2.
#include <algorithm>
#include <array>

#include "base/flat_table.hpp"
#include "mechanism/event_matrix.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/sammu_tables.hpp"
#include "mechanism/sharers_vector.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::tlb_evict};
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
};
constexpr std::array<std::string_view, 2> saturation_words{"reset", "hold"};
constexpr std::array<std::string_view, 2> rule_words{"eq3", "eq7"};

struct options {
  sensor_plan sensors;
  bool shift_rule = true;
  std::size_t sv_length = 2;
  bool move_to_front = false;
};

/// A page's entry of the page history table; 8 bytes in the paper.
struct page_history {
  std::uint32_t threshold = 0;  ///< AT
  sharers_vector sharers;       ///< SV
};

class sammu_mechanism : public mechanism {
 public:
  explicit sammu_mechanism(const options& chosen) : options_(chosen) {}

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
  }

  void on_thread_start(thread_id thread, world&) override { sharing_.note_thread(thread.value); }

  sharing_matrix sharing() const override { return sharing_.sharing(); }

 private:
  options options_;
  flat_table<page_history> pages_;
  event_matrix sharing_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.sensors.counter_max = read.whole("counter-max", 1, 0xffffffff);
  chosen.sensors.reset_on_saturation = read.word("after-saturation", saturation_words) == "reset";
  chosen.shift_rule = read.word("threshold-rule", rule_words) == "eq7";
  chosen.sv_length = read.whole("sv-length", 1, sharers_vector::max_length);
  chosen.move_to_front = read.flag("move-to-front");
  if (read.problem()) return tl::unexpected(*read.problem());
  return std::make_unique<sammu_mechanism>(chosen);
}

}  // namespace

extern const mechanism_entry sammu_entry{
    .name = "sammu",
    .summary = "sharing-aware MMU: access counts of TLB entries, filtered by a threshold per page",
    .source = "SAMMU section 2",
    .matrix_unit = "TLB evictions",
    .needs = needs,
    .acts = {},
    .tables = tables,
    .parameters = parameters,
    .max_threads = 256,
    .make = make,
};

}  // namespace numatch
