// SPDX-License-Identifier: Apache-2.0
// From a recorded trace file to a profile file.
#include "profiler/profile_trace.hpp"

#include <gtest/gtest.h>

#include "base/atomic_file.hpp"
#include "trace/recording.hpp"

namespace numatch {
namespace {

using trace::recording;
using trace::scratch_folder;
using trace::thread_recorder;
using trace::value_of;

constexpr std::uint64_t handed_over = 7;  // the object that orders the threads

void touch(thread_recorder* t, std::uint64_t first_page, std::uint64_t pages, int rounds,
           bool write) {
  for (int round = 0; round < rounds; ++round) {
    for (std::uint64_t page = first_page; page < first_page + pages; ++page) {
      for (std::uint64_t word = 0; word < 4; ++word) {
        trace::record_instructions(t, 2);
        trace::record_access(t, 0x400000, page * 4096 + word * 8, 8, write);
      }
    }
  }
}

/// Three threads, one after the other: each writes 100 pages of its own and reads 50 of the one
/// before.
void record_relay(const std::filesystem::path& path, const trace::filter_options& filter) {
  recording made(path, filter);
  for (std::uint64_t t = 0; t < 3; ++t) {
    thread_recorder* thread = trace::begin_thread(made.inside, 100, ~0U);
    if (t > 0) trace::record_event(thread, trace::event_kind::acquire, &handed_over, 1);
    touch(thread, 1000 + 100 * t, 100, 3, true);
    if (t > 0) touch(thread, 1000 + 100 * (t - 1), 50, 2, false);
    trace::record_event(thread, trace::event_kind::release, &handed_over, 1);
    trace::end_thread(thread);
  }
  made.finish_trace();
}

profile profile_of(const std::filesystem::path& path, std::string_view mechanism,
                   const profile_options& options = {}) {
  const trace::reader opened = value_of(trace::reader::open(path));
  profile learned = value_of(profile_trace(opened, **find_mechanism(mechanism), options));
  trace::check(check_profile(learned));
  return learned;
}

class relay : public testing::Test {
 protected:
  relay() {
    record_relay(folder / "full.nmt", {});
    record_relay(folder / "filtered.nmt", {.entries = 64, .ways = 4, .page_bytes = 4096});
  }
  scratch_folder folder;
};

TEST_F(relay, the_oracle_sees_the_pages_that_were_handed_on) {
  const profile p = profile_of(folder / "full.nmt", "oracle");
  ASSERT_EQ(p.threads.size(), 3u);
  // 50 pages, 3 × 4 writes by one, 2 × 4 reads by the next.
  EXPECT_EQ(p.sharing.at(0, 1), 50 * 8);
  EXPECT_EQ(p.sharing.at(1, 2), 50 * 8);
  EXPECT_EQ(p.sharing.at(0, 2), 0);
  EXPECT_EQ(p.total_accesses, 3u * 1200 + 2 * 400);
  EXPECT_EQ(p.threads[1].accesses, 1600u);
  EXPECT_EQ(p.threads[1].instructions, 3200u);
}

TEST_F(relay, threads_follow_each_other_on_the_time_axis) {
  const profile p = profile_of(folder / "full.nmt", "oracle");
  EXPECT_LE(p.threads[0].end, p.threads[1].end);
  EXPECT_LE(p.threads[1].end, p.threads[2].end);
  EXPECT_GE(p.threads[2].end, 3u * 2400);
}

TEST_F(relay, pages_used_alike_are_one_run) {
  const profile p = profile_of(folder / "full.nmt", "oracle");
  std::vector<std::uint64_t> runs;
  for (const page_use& use : p.pages) {
    if (use.thread == thread_id(0)) runs.push_back(use.pages);
  }
  EXPECT_EQ(runs, (std::vector<std::uint64_t>{50, 50}));
}

TEST_F(relay, every_mechanism_gives_the_same_file_twice) {
  for (const char* mechanism : {"oracle", "lapt", "sammu"}) {
    for (const char* name : {"a.nmp", "b.nmp"}) {
      trace::check(save_profile(profile_of(folder / "full.nmt", mechanism), folder / name));
    }
    EXPECT_TRUE(*read_file(folder / "a.nmp") == *read_file(folder / "b.nmp")) << mechanism;
  }
}

TEST_F(relay, a_tlb_while_recording_equals_the_same_tlb_while_replaying) {
  for (const char* mechanism : {"lapt", "sammu"}) {
    const profile full = profile_of(folder / "full.nmt", mechanism);
    const profile filtered = profile_of(folder / "filtered.nmt", mechanism);
    EXPECT_GT(full.sharing.total(), 0) << mechanism;
    EXPECT_EQ(full.sharing, filtered.sharing) << mechanism;
    EXPECT_EQ(full.metadata.at("tlb_misses"), filtered.metadata.at("tlb_misses"));
    EXPECT_EQ(full.total_accesses, filtered.total_accesses);
  }
}

TEST_F(relay, a_bigger_tlb_misses_less) {
  const profile small = profile_of(folder / "full.nmt", "lapt");
  const profile big = profile_of(folder / "full.nmt", "lapt", {.tlb = {.entries = 1024}});
  EXPECT_LT(std::stoull(big.metadata.at("tlb_misses")),
            std::stoull(small.metadata.at("tlb_misses")));
  EXPECT_EQ(big.metadata.at("tlb_misses"), "400");  // each thread's pages, once
}

TEST_F(relay, the_oracle_refuses_the_filtered_trace) {
  const trace::reader opened = value_of(trace::reader::open(folder / "filtered.nmt"));
  const result<profile> p = profile_trace(opened, **find_mechanism("oracle"), {});
  ASSERT_FALSE(p);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "record the program without a TLB filter",
                      p.error().message());
}

TEST_F(relay, progress_counts_up_to_the_whole) {
  const trace::reader opened = value_of(trace::reader::open(folder / "full.nmt"));
  std::uint64_t last = 0;
  std::uint64_t calls = 0;
  value_of(profile_trace(opened, **find_mechanism("oracle"), {},
                         [&](std::uint64_t done, std::uint64_t all) {
                           EXPECT_GE(done, last);
                           EXPECT_EQ(all, 4400u);
                           last = done;
                           ++calls;
                         }));
  EXPECT_GT(calls, 0u);
}

TEST(profile_trace, only_the_region_of_interest_counts_when_asked) {
  const scratch_folder folder;
  recording made(folder / "roi.nmt");
  thread_recorder* thread = trace::begin_thread(made.inside, 100, ~0U);
  touch(thread, 1000, 10, 1, true);
  trace::record_event(thread, trace::event_kind::roi_begin, nullptr, 0);
  touch(thread, 2000, 5, 1, true);
  trace::record_event(thread, trace::event_kind::roi_end, nullptr, 0);
  touch(thread, 3000, 10, 1, true);
  trace::end_thread(thread);
  made.finish_trace();
  const profile whole = profile_of(folder / "roi.nmt", "oracle");
  EXPECT_EQ(whole.total_accesses, 100u);
  const profile region =
      profile_of(folder / "roi.nmt", "oracle", {.replay = {.region_of_interest = true}});
  EXPECT_EQ(region.total_accesses, 20u);
  EXPECT_EQ(region.pages.front().first_page.value, 2000u);
}

TEST(profile_trace, a_trace_without_threads_makes_an_empty_profile) {
  const scratch_folder folder;
  recording made(folder / "none.nmt");
  made.finish_trace();
  for (const char* mechanism : {"oracle", "lapt", "sammu"}) {
    EXPECT_EQ(profile_of(folder / "none.nmt", mechanism).threads.size(), 0u);
  }
}

}  // namespace
}  // namespace numatch
