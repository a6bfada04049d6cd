// SPDX-License-Identifier: Apache-2.0
#include "profiler/tlb_sensor.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <list>
#include <string>

#include "profiler/trace_world.hpp"

namespace numatch {
namespace {

/// Writes down what it is told: "miss 0:5", "evict 0:5 x3", "full 0:5 x3".
class listener : public mechanism {
 public:
  explicit listener(sensor_plan plan = {}) : plan_(plan) {}
  sensor_plan sensors() const override { return plan_; }
  void on_tlb_miss(const tlb_miss_event& e, world&) override {
    heard.push_back(fmt::format("miss {}:{}", e.thread.value, e.page.value));
  }
  void on_tlb_evict(const tlb_evict_event& e, world&) override {
    heard.push_back(fmt::format("{} {}:{} x{}", e.saturated ? "full" : "evict", e.thread.value,
                                e.page.value, e.accesses));
  }
  sharing_matrix sharing() const override { return {}; }
  std::vector<std::string> heard;

 private:
  sensor_plan plan_;
};

trace::access at(std::uint64_t address, std::uint32_t bytes = 8) {
  return {address, 0, bytes, false};
}

using heard = std::vector<std::string>;

class tlb_of_two_entries : public testing::Test {
 protected:
  void use(std::uint32_t thread, const std::vector<trace::access>& accesses) {
    sensor.accesses(thread_id(thread), accesses, where);
  }
  trace_world where{4096};
  listener ear;
  tlb_sensor sensor{{.entries = 2, .ways = 2}, ear};
};

TEST_F(tlb_of_two_entries, only_the_first_access_to_a_page_misses) {
  use(0, {at(0x5000), at(0x5008), at(0x5ff8)});
  EXPECT_EQ(ear.heard, (heard{"miss 0:5"}));
  EXPECT_EQ(sensor.misses(), 1u);
}

TEST_F(tlb_of_two_entries, the_least_recently_used_page_leaves_with_its_count) {
  use(0, {at(0x5000), at(0x6000), at(0x5000), at(0x7000)});
  EXPECT_EQ(ear.heard, (heard{"miss 0:5", "miss 0:6", "evict 0:6 x1", "miss 0:7"}));
}

TEST_F(tlb_of_two_entries, threads_have_their_own) {
  use(0, {at(0x5000), at(0x6000)});
  use(1, {at(0x5000), at(0x6000)});
  use(0, {at(0x5000)});
  EXPECT_EQ(ear.heard, (heard{"miss 0:5", "miss 0:6", "miss 1:5", "miss 1:6"}));
}

TEST_F(tlb_of_two_entries, an_access_across_a_page_boundary_looks_up_both_pages) {
  use(0, {at(0x5ffc, 8)});
  EXPECT_EQ(ear.heard, (heard{"miss 0:5", "miss 0:6"}));
}

TEST_F(tlb_of_two_entries, an_access_that_ends_at_a_boundary_looks_up_one) {
  use(0, {at(0x5ff8, 8), at(0x5fff, 0)});
  EXPECT_EQ(ear.heard, (heard{"miss 0:5"}));
}

TEST_F(tlb_of_two_entries, a_flush_evicts_what_is_there_and_nothing_twice) {
  use(0, {at(0x5000), at(0x6000), at(0x6000)});
  ear.heard.clear();
  sensor.flush(thread_id(0), where);
  sensor.flush_all(where);
  sensor.flush(thread_id(9), where);
  std::sort(ear.heard.begin(), ear.heard.end());
  EXPECT_EQ(ear.heard, (heard{"evict 0:5 x1", "evict 0:6 x2"}));
}

TEST(tlb_sensor, a_full_counter_is_told_and_starts_again) {
  trace_world where(4096);
  listener ear({.counter_max = 3, .reset_on_saturation = true});
  tlb_sensor sensor({.entries = 1, .ways = 1}, ear);
  sensor.accesses(thread_id(0), std::vector<trace::access>(7, at(0x5000)), where);
  sensor.flush_all(where);
  EXPECT_EQ(ear.heard, (heard{"miss 0:5", "full 0:5 x3", "full 0:5 x3", "evict 0:5 x1"}));
}

TEST(tlb_sensor, a_full_counter_can_stay_full) {
  trace_world where(4096);
  listener ear({.counter_max = 3, .reset_on_saturation = false});
  tlb_sensor sensor({.entries = 1, .ways = 1}, ear);
  sensor.accesses(thread_id(0), std::vector<trace::access>(7, at(0x5000)), where);
  sensor.flush_all(where);
  EXPECT_EQ(ear.heard, (heard{"miss 0:5", "full 0:5 x3", "evict 0:5 x3"}));
}

RC_GTEST_PROP(tlb_sensor, misses_like_a_plain_lru_list_and_loses_no_access, ()) {
  const auto pages =
      *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 12));
  trace_world where(4096);
  listener ear;
  tlb_sensor sensor({.entries = 4, .ways = 4}, ear);
  std::list<std::uint64_t> lru;
  std::uint64_t misses = 0;
  for (const std::uint64_t page : pages) {
    const trace::access one = at(page * 4096);
    sensor.accesses(thread_id(0), {&one, 1}, where);
    const auto found = std::find(lru.begin(), lru.end(), page);
    if (found == lru.end()) {
      ++misses;
      if (lru.size() == 4) lru.pop_back();
    } else {
      lru.erase(found);
    }
    lru.push_front(page);
  }
  RC_ASSERT(sensor.misses() == misses);
  sensor.flush_all(where);
  std::uint64_t counted = 0;
  for (const std::string& line : ear.heard) {
    if (line.starts_with("evict")) counted += std::stoull(line.substr(line.find('x') + 1));
  }
  RC_ASSERT(counted == pages.size());
}

}  // namespace
}  // namespace numatch
