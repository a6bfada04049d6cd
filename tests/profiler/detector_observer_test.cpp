// SPDX-License-Identifier: Apache-2.0
#include "profiler/detector_observer.hpp"

#include <gtest/gtest.h>

#include <array>

namespace numatch {
namespace {

/// Thread 0 shares with thread 1 what it did after the mechanism had begun, once.
class beginning_mechanism : public mechanism {
 public:
  void on_begin(world&) override { ++begun_; }
  void on_thread_start(thread_id, world&) override { count(); }
  void on_accesses(thread_id, std::span<const access_event>, world&) override { count(); }
  sharing_matrix sharing() const override {
    sharing_matrix seen(2);
    seen.set(0, 1, events_);
    return seen;
  }

 private:
  void count() { events_ += begun_ == 1 ? 1 : 0; }
  unsigned begun_ = 0;
  double events_ = 0;
};

constexpr std::array needs{event_kind::access};
const mechanism_entry beginning_entry{
    .name = "beginning",
    .summary = "",
    .source = "",
    .matrix_unit = "accesses",
    .needs = needs,
    .acts = {},
    .tables = {},
    .parameters = {},
    .max_threads = 8,
    .make = [](const parameter_set&) -> result<std::unique_ptr<mechanism>> {
      return std::make_unique<beginning_mechanism>();
    },
};

TEST(detector_observer, a_mechanism_begins_once_before_its_first_event) {
  const auto observer = detector_observer::make(beginning_entry, {}, {});
  ASSERT_TRUE(observer) << observer.error().message();
  trace::event started;
  started.kind = trace::event_kind::thread_start;
  (*observer)->on_event(thread_id(0), started);
  const std::vector<trace::access> accesses(3);
  (*observer)->on_accesses(thread_id(0), 1, accesses);
  profile learned;
  ASSERT_TRUE((*observer)->finish(learned));
  EXPECT_EQ(learned.sharing.at(0, 1), 2);
}

}  // namespace
}  // namespace numatch
