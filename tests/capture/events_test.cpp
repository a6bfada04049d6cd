// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "recorded.hpp"

namespace numatch::capture {
namespace {

using trace::event_kind;

/// True when an event of this kind has these first arguments.
bool has(const recorded& run, event_kind kind, std::initializer_list<std::uint64_t> args) {
  const std::vector<seen_event> events = run.events(kind);
  return std::any_of(events.begin(), events.end(), [&](const seen_event& e) {
    return std::equal(args.begin(), args.end(), e.event.args);
  });
}

class memory_calls : public testing::Test {
 protected:
  std::uint64_t address(const std::string& label) { return run.label(label).event.args[0]; }
  static constexpr std::uint64_t page = 4096;
  recorded run{"memory"};
};

TEST_F(memory_calls, say_where_memory_is) {
  ASSERT_EQ(run.end().code, 0) << run.end().err;
  const std::uint64_t block = address("block");
  EXPECT_TRUE(has(run, event_kind::map, {block, 8 * page, 3, 0x22}));
  EXPECT_TRUE(has(run, event_kind::protect, {block, page, 1}));
  EXPECT_TRUE(has(run, event_kind::advise, {block + page, page, 4}));
  EXPECT_TRUE(
      has(run, event_kind::remap, {block + 4 * page, 4 * page, address("moved"), 64 * page}));
  EXPECT_TRUE(has(run, event_kind::unmap, {address("moved"), 64 * page}));
  EXPECT_TRUE(has(run, event_kind::heap_end, {address("heap") + 16 * page}));
}

TEST_F(memory_calls, of_a_file_carry_its_path) {
  for (const seen_event& e : run.events(event_kind::map)) {
    if (e.event.args[0] != address("file")) continue;
    EXPECT_TRUE(e.text.ends_with("/memory")) << e.text;
  }
  EXPECT_TRUE(has(run, event_kind::map, {address("file"), page, 1, 1, 0}));
}

TEST_F(memory_calls, say_where_pages_and_threads_should_be) {
  const std::uint64_t block = address("block");
  EXPECT_TRUE(has(run, event_kind::bind_memory, {block, 2 * page, 2, 1, 1}));
  EXPECT_TRUE(has(run, event_kind::memory_policy, {3, 1}));
  EXPECT_TRUE(has(run, event_kind::memory_policy, {0, 0}));
  EXPECT_TRUE(has(run, event_kind::affinity, {0, 1, 0, 0, 0}));
}

TEST_F(memory_calls, that_move_pages_are_one_event_per_run_of_pages) {
  const std::uint64_t block = address("block");
  EXPECT_TRUE(has(run, event_kind::move_pages, {3, block, 0, 2}));
  EXPECT_TRUE(has(run, event_kind::move_pages, {1, block + 4 * page, 0, 2}));
  EXPECT_EQ(run.events(event_kind::move_pages).size(), 2U);
}

TEST_F(memory_calls, with_wild_pointers_harm_nobody) {
  EXPECT_TRUE(has(run, event_kind::bind_memory, {8, 1, 2, 0, 0}));
  EXPECT_EQ(run.end().code, 0);
}

TEST_F(memory_calls, come_with_annotations) {
  EXPECT_TRUE(has(run, event_kind::place, {address("file"), page, 3}));
  EXPECT_TRUE(has(run, event_kind::run_on, {2}));
  ASSERT_EQ(run.events(event_kind::region_begin).size(), 1U);
  EXPECT_EQ(run.events(event_kind::region_begin)[0].text, "phase");
  EXPECT_EQ(run.events(event_kind::region_end).size(), 1U);
  EXPECT_EQ(run.events(event_kind::roi_begin).size(), 1U);
  EXPECT_EQ(run.events(event_kind::roi_end).size(), 1U);
}

TEST_F(memory_calls, include_the_programs_own_modules_and_none_of_qemu) {
  bool program = false;
  bool library = false;
  for (const seen_event& e : run.events(event_kind::module)) {
    program |= e.text.ends_with("/memory");
    library |= e.text.find("libc.so") != std::string::npos && (e.event.args[3] & 4) != 0;
    EXPECT_FALSE(e.text.ends_with("/qemu-x86_64")) << e.text;
    EXPECT_FALSE(e.text.ends_with("/libnumatch_qemu.so")) << e.text;
    EXPECT_EQ(e.text.find("libglib"), std::string::npos) << e.text;
  }
  EXPECT_TRUE(program);
  EXPECT_TRUE(library);
}

class allocations : public testing::Test {
 protected:
  /// The one allocation of this size.
  seen_event of(std::uint64_t bytes) {
    seen_event found;
    int count = 0;
    for (const seen_event& e : run.events(event_kind::allocate)) {
      if (e.event.args[1] != bytes) continue;
      found = e;
      ++count;
    }
    EXPECT_EQ(count, 1) << bytes << " bytes";
    return found;
  }
  bool freed(const seen_event& allocation) {
    const std::vector<seen_event> events = run.events(event_kind::free);
    return std::any_of(events.begin(), events.end(), [&](const seen_event& e) {
      return e.event.args[0] == allocation.event.args[0] && e.event.stamp > allocation.event.stamp;
    });
  }
  recorded run{"allocations"};
};

TEST_F(allocations, of_every_function_are_seen_once_and_freed) {
  ASSERT_EQ(run.end().code, 0) << run.end().err;
  for (const std::uint64_t bytes : {20001, 20002, 20013, 20014, 20032, 20005, 20011 * 64}) {
    EXPECT_TRUE(freed(of(bytes))) << bytes;
  }
}

TEST_F(allocations, name_the_code_that_asked) {
  const std::uint64_t malloc_caller = run.label("malloc's caller").event.args[0];
  const std::uint64_t new_caller = run.label("new's caller").event.args[0];
  EXPECT_LT(of(20001).event.args[2] - malloc_caller, 64U);
  EXPECT_LT(of(20002).event.args[2] - new_caller, 64U);
}

TEST(no_allocations, is_obeyed) {
  const recorded run("allocations", {}, {"--no-allocations"});
  EXPECT_EQ(run.end().code, 0);
  EXPECT_TRUE(run.events(event_kind::allocate).empty());
  EXPECT_FALSE(run.events(event_kind::label).empty());
}

}  // namespace
}  // namespace numatch::capture
