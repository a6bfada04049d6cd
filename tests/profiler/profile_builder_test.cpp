// SPDX-License-Identifier: Apache-2.0
#include "profiler/profile_builder.hpp"

#include <gtest/gtest.h>

namespace numatch {
namespace {

using testing::IsSubstring;

trace_facts facts_of_threads(std::size_t threads) {
  trace_facts facts;
  facts.metadata.frontend = "qemu";
  facts.metadata.command = {"./ring", "8"};
  facts.metadata.filter = "none";
  facts.metadata.counts_instructions = true;
  for (std::uint32_t t = 0; t < threads; ++t) {
    trace::thread_info info;
    info.id = thread_id(t);
    info.os_tid = 100 + t;
    info.instructions = 1000;
    facts.threads.push_back(info);
  }
  return facts;
}

trace_facts filtered_facts() {
  trace_facts facts = facts_of_threads(2);
  facts.metadata.filter = "tlb:entries=64,ways=4,page=4096";
  facts.tlb_filtered = true;
  return facts;
}

profile_builder builder_of(const trace_facts& facts, std::string_view mechanism,
                           const profile_options& options = {}) {
  result<profile_builder> made = profile_builder::make(facts, **find_mechanism(mechanism), options);
  if (!made) throw std::runtime_error(made.error().message());
  return std::move(*made);
}

std::string refusal_of(const trace_facts& facts, std::string_view mechanism,
                       const profile_options& options = {}) {
  const result<profile_builder> made =
      profile_builder::make(facts, **find_mechanism(mechanism), options);
  return made ? "made" : made.error().message();
}

void use(profile_builder& builder, std::uint32_t thread, std::uint64_t time, std::uint64_t address,
         std::size_t times = 1) {
  const std::vector<trace::access> accesses(times, trace::access{address, 0, 8, true});
  trace::step step;
  step.thread = thread_id(thread);
  step.time = time;
  step.accesses = accesses;
  builder.take(step);
}

void happen(profile_builder& builder, std::uint32_t thread, std::uint64_t time,
            trace::event_kind kind) {
  trace::event happened;
  happened.kind = kind;
  trace::step step;
  step.thread = thread_id(thread);
  step.time = time;
  step.happened = &happened;
  builder.take(step);
}

profile finished(profile_builder& builder) {
  result<profile> p = builder.finish();
  if (!p) throw std::runtime_error(p.error().message());
  const result<void> sound = check_profile(*p);
  EXPECT_TRUE(sound) << sound.error().message();
  return std::move(*p);
}

TEST(profile_builder, says_where_the_numbers_come_from) {
  profile_builder builder = builder_of(facts_of_threads(2), "oracle");
  const profile p = finished(builder);
  EXPECT_EQ(p.command, "./ring 8");
  EXPECT_EQ(p.frontend, "qemu");
  EXPECT_EQ(p.mechanism, "oracle");
  EXPECT_EQ(p.matrix_unit, "accesses");
  EXPECT_EQ(p.time_unit, "instructions");
  EXPECT_EQ(p.how, evidence::measured);
  EXPECT_EQ(p.parameters.at("granularity"), "4096");
}

TEST(profile_builder, the_oracle_sees_who_shares) {
  profile_builder builder = builder_of(facts_of_threads(2), "oracle");
  use(builder, 0, 0, 0x5000, 10);
  use(builder, 1, 0, 0x5000, 4);
  const profile p = finished(builder);
  EXPECT_EQ(p.sharing.at(0, 1), 4);
  EXPECT_EQ(p.total_accesses, 14u);
  EXPECT_EQ(p.pages.size(), 2u);
}

TEST(profile_builder, threads_have_times_and_counts) {
  profile_builder builder = builder_of(facts_of_threads(2), "oracle");
  happen(builder, 0, 0, trace::event_kind::thread_start);
  use(builder, 0, 5, 0x5000, 3);
  happen(builder, 1, 40, trace::event_kind::thread_start);
  use(builder, 1, 45, 0x6000, 2);
  happen(builder, 1, 90, trace::event_kind::thread_end);
  happen(builder, 0, 99, trace::event_kind::thread_end);
  const profile p = finished(builder);
  EXPECT_EQ(p.threads[1].start, 40u);
  EXPECT_EQ(p.threads[1].end, 90u);
  EXPECT_EQ(p.threads[1].accesses, 2u);
  EXPECT_EQ(p.threads[1].os_tid, 101u);
  EXPECT_EQ(p.threads[1].instructions, 1000u);
}

TEST(profile_builder, a_thread_that_never_runs_is_still_a_thread) {
  profile_builder builder = builder_of(facts_of_threads(3), "lapt");
  use(builder, 0, 0, 0x5000);
  const profile p = finished(builder);
  EXPECT_EQ(p.threads.size(), 3u);
  EXPECT_EQ(p.sharing.size(), 3u);
  EXPECT_EQ(p.threads[2].start, 0u);
}

TEST(profile_builder, an_id_that_never_began_is_a_thread_without_accesses) {
  trace_facts facts = facts_of_threads(4);
  facts.threads.erase(facts.threads.begin() + 1);
  profile_builder builder = builder_of(facts, "oracle");
  use(builder, 3, 0, 0x5000, 2);
  const profile p = finished(builder);
  ASSERT_EQ(p.threads.size(), 4u);
  EXPECT_EQ(p.threads[1].os_tid, 0u);
  EXPECT_EQ(p.threads[3].os_tid, 103u);
  EXPECT_EQ(p.threads[3].accesses, 2u);
}

TEST(profile_builder, a_trace_without_threads_makes_an_empty_profile) {
  profile_builder builder = builder_of(facts_of_threads(0), "sammu");
  const profile p = finished(builder);
  EXPECT_EQ(p.sharing.size(), 0u);
}

TEST(profile_builder, lapt_sees_tlb_misses_of_a_simulated_tlb) {
  profile_builder builder = builder_of(facts_of_threads(2), "lapt");
  use(builder, 0, 0, 0x5000, 10);
  use(builder, 1, 0, 0x5000, 10);
  const profile p = finished(builder);
  EXPECT_EQ(p.sharing.at(1, 0), 1);
  EXPECT_EQ(p.how, evidence::simulated);
  EXPECT_EQ(p.metadata.at("tlb"), "64 entries, 4 ways, pages of 4096 bytes");
  EXPECT_EQ(p.metadata.at("tlb_misses"), "2");
}

TEST(profile_builder, sammu_sees_the_entries_of_a_thread_that_ends) {
  profile_builder builder = builder_of(facts_of_threads(2), "sammu");
  use(builder, 0, 0, 0x5000, 10);
  happen(builder, 0, 20, trace::event_kind::thread_end);
  use(builder, 1, 30, 0x5000, 10);
  const profile p = finished(builder);
  EXPECT_EQ(p.sharing.at(1, 0), 1);
}

TEST(profile_builder, without_flushing_sammu_sees_only_what_the_tlb_drops) {
  profile_builder builder =
      builder_of(facts_of_threads(2), "sammu", {.flush_at_thread_end = false});
  use(builder, 0, 0, 0x5000, 10);
  happen(builder, 0, 20, trace::event_kind::thread_end);
  use(builder, 1, 30, 0x5000, 10);
  EXPECT_EQ(finished(builder).sharing.total(), 0);
}

TEST(profile_builder, sammus_counter_maximum_reaches_the_tlb) {
  profile_builder builder =
      builder_of(facts_of_threads(2), "sammu", {.parameters = {{"counter-max", "5"}}});
  use(builder, 0, 0, 0x5000, 5);
  use(builder, 1, 1, 0x5000, 5);
  const profile p = finished(builder);
  EXPECT_EQ(p.sharing.at(1, 0), 1);
}

TEST(profile_builder, sammu_refuses_more_threads_than_its_ids_hold) {
  EXPECT_PRED_FORMAT2(IsSubstring, "sammu tells at most 256 threads apart, there are 257",
                      refusal_of(facts_of_threads(257), "sammu"));
  EXPECT_EQ(refusal_of(facts_of_threads(256), "sammu"), "made");
  EXPECT_EQ(refusal_of(facts_of_threads(5000), "lapt"), "made");
}

TEST(profile_builder, five_thousand_threads_make_a_profile) {
  profile_builder builder = builder_of(facts_of_threads(5000), "oracle", {.objects = false});
  for (std::uint32_t t = 0; t < 5000; ++t) use(builder, t, t, (t / 2) * 0x1000, 3);
  const profile p = finished(builder);
  EXPECT_EQ(p.sharing.at(4998, 4999), 3);
  EXPECT_EQ(p.sharing.total(), 2 * 3 * 2500);
}

TEST(profile_builder, wrong_parameters_are_refused) {
  EXPECT_PRED_FORMAT2(
      IsSubstring, "did you mean 'granularity'?",
      refusal_of(facts_of_threads(1), "oracle", {.parameters = {{"granularty", "64"}}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "power of two of sets",
                      refusal_of(facts_of_threads(1), "lapt", {.tlb = {.entries = 63}}));
}

TEST(profile_builder, the_oracle_refuses_a_filtered_trace) {
  EXPECT_PRED_FORMAT2(
      IsSubstring,
      "oracle needs memory accesses, which a trace recorded behind a TLB cannot give; record",
      refusal_of(filtered_facts(), "oracle"));
}

TEST(profile_builder, a_filtered_trace_has_no_saturation) {
  EXPECT_PRED_FORMAT2(
      IsSubstring, "does not say when access counters saturated",
      refusal_of(filtered_facts(), "sammu", {.parameters = {{"counter-max", "9"}}}));
}

TEST(profile_builder, a_filtered_trace_feeds_the_detector_directly) {
  profile_builder builder = builder_of(filtered_facts(), "lapt");
  const std::vector<trace::tlb_record> records{{0, 5, ~std::uint64_t{0}, 0}, {9, 6, 5, 9}};
  for (std::uint32_t t = 0; t < 2; ++t) {
    trace::step step;
    step.thread = thread_id(t);
    step.tlb_records = records;
    builder.take(step);
  }
  const profile p = finished(builder);
  EXPECT_EQ(p.sharing.at(1, 0), 2);
  EXPECT_EQ(p.metadata.at("tlb_misses"), "4");
  EXPECT_EQ(p.pages.size(), 2u);
}

}  // namespace
}  // namespace numatch
