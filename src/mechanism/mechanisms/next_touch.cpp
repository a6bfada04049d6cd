// SPDX-License-Identifier: Apache-2.0
// Migration on next touch: the pages that a program has set up are marked once, and each moves to
// the thread that touches it next. Löf and Holmgren, "affinity-on-next-touch", ICS 2005; Goglin and
// Furmento, "Enabling High-Performance Memory Migration for Multithreaded Applications on Linux",
// MTAAP 2009. There the program marks its pages; here a time or a number of threads does.
#include <array>

#include "mechanism/policy.hpp"
#include "mechanism/start_policy.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::page_fault};
constexpr std::array acts{action_kind::induce_faults, action_kind::move_pages,
                          action_kind::wake_up};

constexpr std::array parameters{
    parameter{"mark-at", "10", "ms", "all pages are marked at this time",
              "in the literature the program says when"},
    parameter{"mark-with-thread", "0", "threads",
              "instead of at a time, pages are marked when so many threads have started; 0: not so",
              "in the literature the program says when"},
    acts_on_pages_parameter,
};

class next_touch_mechanism : public mechanism {
 public:
  struct options {
    std::uint64_t mark_at = 0;  ///< nanoseconds
    std::uint64_t mark_with_thread = 0;
    bool moves_pages = true;
  };
  explicit next_touch_mechanism(const options& chosen) : options_(chosen) {}

  void on_begin(world& where) override {
    if (where.machine() == nullptr || options_.mark_with_thread > 0) return;
    where.wake_up_at({where.now().nanoseconds + options_.mark_at});
  }
  void on_wake_up(world& where) override { mark(where); }

  void on_thread_start(thread_id, world& where) override {
    if (where.machine() != nullptr && ++started_ == options_.mark_with_thread) mark(where);
  }

  void on_page_fault(const page_fault_event& fault, world& where) override {
    if (!fault.induced || !options_.moves_pages) return;
    const page_number page = page_of(fault.address, where);
    const std::optional<node_id> near = node_of_event({}, fault.thread, where);
    const std::optional<node_id> present = where.node_of(page);
    if (near && present && *near != *present) where.move_page(page, *near);
  }

  sharing_matrix sharing() const override { return {}; }

 private:
  static void mark(world& where) { where.induce_faults({.what = fault_plan::kind::all_pages}); }

  options options_;
  std::uint64_t started_ = 0;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  next_touch_mechanism::options chosen;
  chosen.mark_at = milliseconds(read, "mark-at");
  chosen.mark_with_thread = read.whole("mark-with-thread", 0, any_number_of_threads);
  chosen.moves_pages = acts_on_named(read.word("act-on", acts_on_pages_words)).pages;
  if (read.problem()) return tl::unexpected(*read.problem());
  return std::make_unique<next_touch_mechanism>(chosen);
}

}  // namespace

extern const mechanism_entry next_touch_entry{
    .name = "next-touch",
    .summary = "pages are marked once and move to the thread that touches them next",
    .source = "Löf and Holmgren, ICS 2005; Goglin and Furmento, MTAAP 2009",
    .matrix_unit = "",
    .needs = needs,
    .acts = acts,
    .tables = {},
    .parameters = parameters,
    .max_threads = any_number_of_threads,
    .make = make,
};

}  // namespace numatch
