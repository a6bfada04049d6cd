// SPDX-License-Identifier: Apache-2.0
// LAPT: Cruz, Diener, Alves, Pilla, Navaux, "Optimizing Memory Locality Using a Locality-Aware Page
// Table"; the equations are those of its section III.
#include <array>

#include "base/flat_table.hpp"
#include "mechanism/event_matrix.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/sharers_vector.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::tlb_miss};
constexpr std::array<std::string_view, 2> tables{"communication vectors", "communication matrix"};
enum table : std::uint32_t { vectors, matrix };

constexpr std::array parameters{
    parameter{"cv-length", "4", "threads", "length of a page's communication vector, 1 to 16",
              "LAPT III-E"},
    parameter{"move-to-front", "no", "",
              "a thread that is in the vector already is moved instead of inserted again",
              "not said in LAPT; Eq. 2 and 3 insert again"},
    parameter{"empty-slots", "skip", "",
              "what a vector that is not full holds: nothing (skip) or thread 0 (zero)",
              "not said in LAPT"},
};
constexpr std::array<std::string_view, 2> empty_slot_words{"skip", "zero"};

struct options {
  std::size_t cv_length = 4;
  bool move_to_front = false;
  bool empty_is_zero = false;
};

class lapt_mechanism : public mechanism {
 public:
  explicit lapt_mechanism(const options& chosen) : options_(chosen) {}

  void on_tlb_miss(const tlb_miss_event& miss, world& where) override {
    // The vector is the second half of a 16-byte page-table entry (section III-E).
    where.touch({vectors, miss.page.value * 16 + 8, 8, true});
    sharers_vector& cv = pages_[miss.page.value];
    if (options_.empty_is_zero && cv.empty()) cv.fill_with_zero(options_.cv_length);
    communication_.note_thread(miss.thread.value);
    for (const std::uint16_t other : cv.ids()) {  // Eq. 1
      communication_.add(miss.thread.value, other);
      where.touch({matrix, (std::uint64_t{miss.thread.value} << 18) + other * 4u, 4, true});
    }
    cv.insert(static_cast<std::uint16_t>(miss.thread.value), options_.cv_length,
              options_.move_to_front);  // Eq. 2 and 3
  }

  void on_thread_start(thread_id thread, world&) override {
    communication_.note_thread(thread.value);
  }

  sharing_matrix sharing() const override { return communication_.sharing(); }

 private:
  options options_;
  flat_table<sharers_vector> pages_;
  event_matrix communication_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  chosen.cv_length = read.whole("cv-length", 1, sharers_vector::max_length);
  chosen.move_to_front = read.flag("move-to-front");
  chosen.empty_is_zero = read.word("empty-slots", empty_slot_words) == "zero";
  if (read.problem()) return tl::unexpected(*read.problem());
  return std::make_unique<lapt_mechanism>(chosen);
}

}  // namespace

extern const mechanism_entry lapt_entry{
    .name = "lapt",
    .summary = "locality-aware page table: the last threads that missed the TLB on a page",
    .source = "LAPT section III",
    .matrix_unit = "TLB misses",
    .needs = needs,
    .acts = {},
    .tables = tables,
    .parameters = parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
