// SPDX-License-Identifier: Apache-2.0
// Last toucher: a page belongs to the thread that missed the TLB on it several times in a row.
#include <array>

#include "base/flat_table.hpp"
#include "mechanism/event_matrix.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::tlb_miss};
constexpr std::array acts{action_kind::move_pages};
constexpr std::array<std::string_view, 1> tables{"last two threads of a page"};

constexpr std::array parameters{
    parameter{"in-a-row", "3", "misses", "a page moves to a thread that missed on it so often",
              "docs/your-own-mechanism.md"},
};

class last_toucher : public mechanism {
 public:
  explicit last_toucher(std::uint64_t in_a_row) : in_a_row_(in_a_row) {}

  void on_tlb_miss(const tlb_miss_event& miss, world& where) override {
    where.touch({.table = 0, .offset = miss.page.value * 8, .bytes = 8, .write = true});
    page_state& page = pages_[miss.page.value];
    sharing_.note_thread(miss.thread.value);
    if (page.misses > 0) sharing_.add(miss.thread.value, page.last.value);
    if (page.before) sharing_.add(miss.thread.value, page.before->value);
    if (page.misses > 0 && page.last == miss.thread) {
      ++page.misses;
    } else {
      if (page.misses > 0) page.before = page.last;
      page.last = miss.thread;
      page.misses = 1;
    }
    if (page.misses >= in_a_row_) bring(miss, where);
  }

  sharing_matrix sharing() const override { return sharing_.sharing(); }

 private:
  struct page_state {
    thread_id last;
    std::uint64_t misses = 0;  ///< of `last`, in a row; 0: nobody has missed on the page
    std::optional<thread_id> before;
  };

  /// Asks for the page where the thread runs. A trace has no machine: there is nothing to ask.
  static void bring(const tlb_miss_event& miss, world& where) {
    const std::optional<node_id> near = node_of_event(miss.pu, miss.thread, where);
    const std::optional<node_id> present = where.node_of(miss.page);
    if (near && present && *near != *present) where.move_page(miss.page, *near);
  }

  std::uint64_t in_a_row_;
  flat_table<page_state> pages_;
  event_matrix sharing_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  const std::uint64_t in_a_row = read.whole("in-a-row", 1, 1000);
  if (read.problem()) return tl::unexpected(*read.problem());
  return std::make_unique<last_toucher>(in_a_row);
}

}  // namespace

extern const mechanism_entry last_toucher_entry{
    .name = "last-toucher",
    .summary = "a page moves to a thread that missed the TLB on it several times in a row",
    .source = "docs/your-own-mechanism.md",
    .matrix_unit = "TLB misses",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
