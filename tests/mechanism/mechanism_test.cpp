// SPDX-License-Identifier: Apache-2.0
#include "mechanism/mechanism.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace numatch {
namespace {

using testing::IsSubstring;

TEST(mechanisms, are_found_by_name) {
  for (const std::string_view name : {"lapt", "oracle", "sammu"}) {
    const result<const mechanism_entry*> found = find_mechanism(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ((*found)->name, name);
  }
}

TEST(mechanisms, an_unknown_name_suggests_the_nearest) {
  const result<const mechanism_entry*> found = find_mechanism("lapd");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message(), "unknown mechanism 'lapd'; did you mean 'lapt'?");
}

TEST(mechanisms, a_name_like_no_other_lists_the_known) {
  const result<const mechanism_entry*> found = find_mechanism("x");
  ASSERT_FALSE(found);
  for (const mechanism_entry* entry : all_mechanisms()) {
    EXPECT_PRED_FORMAT2(IsSubstring, std::string(entry->name), found.error().message());
  }
}

TEST(mechanisms, every_default_is_accepted_by_its_mechanism) {
  for (const mechanism_entry* entry : all_mechanisms()) {
    const result<parameter_set> values = parameter_set::make(entry->parameters, {});
    ASSERT_TRUE(values) << entry->name;
    EXPECT_TRUE(entry->make(*values)) << entry->name;
    EXPECT_EQ(values->values().size(), entry->parameters.size()) << entry->name;
  }
}

TEST(mechanisms, everything_about_them_is_said) {
  for (const mechanism_entry* entry : all_mechanisms()) {
    EXPECT_FALSE(entry->summary.empty()) << entry->name;
    EXPECT_FALSE(entry->source.empty()) << entry->name;
    if (check_detects(*entry)) {
      EXPECT_FALSE(entry->needs.empty()) << entry->name;
    } else {
      EXPECT_FALSE(entry->acts.empty()) << entry->name;
    }
    EXPECT_GT(entry->max_threads, 1u) << entry->name;
    std::set<std::string_view> names;
    for (const parameter& p : entry->parameters) {
      EXPECT_TRUE(names.insert(p.name).second) << entry->name << " " << p.name;
      EXPECT_FALSE(p.help.empty()) << p.name;
      EXPECT_FALSE(p.source.empty()) << p.name;
    }
  }
}

mechanism_entry mover() {
  static constexpr std::array needs{event_kind::tlb_miss, event_kind::page_fault};
  static constexpr std::array acts{action_kind::move_pages};
  mechanism_entry entry{};
  entry.name = "mover";
  entry.needs = needs;
  entry.acts = acts;
  return entry;
}

TEST(check_fit, names_the_first_event_that_a_world_lacks) {
  constexpr std::array events{event_kind::tlb_miss};
  const result<void> fit =
      check_fit(mover(), {.name = "a trace", .events = events, .actions = {}, .detect_only = true});
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().message(), "mover needs page faults, which a trace cannot give");
}

TEST(check_fit, names_the_first_action_that_a_world_lacks) {
  constexpr std::array events{event_kind::tlb_miss, event_kind::page_fault};
  const result<void> fit =
      check_fit(mover(), {.name = "this kernel", .events = events, .actions = {}});
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().message(), "mover has to move pages, which this kernel cannot do");
}

TEST(check_fit, a_world_that_only_detects_needs_no_actions) {
  constexpr std::array events{event_kind::tlb_miss, event_kind::page_fault};
  EXPECT_TRUE(check_fit(mover(),
                        {.name = "a trace", .events = events, .actions = {}, .detect_only = true}));
}

TEST(check_fit, a_world_that_gives_and_does_all_fits) {
  constexpr std::array events{event_kind::page_fault, event_kind::tlb_miss};
  constexpr std::array actions{action_kind::move_pages};
  EXPECT_TRUE(check_fit(mover(), {.name = "all", .events = events, .actions = actions}));
}

TEST(check_threads, says_how_many_thread_ids_a_mechanism_has) {
  const mechanism_entry& sammu = **find_mechanism("sammu");
  EXPECT_TRUE(check_threads(sammu, 256));
  const result<void> many = check_threads(sammu, 257);
  ASSERT_FALSE(many);
  EXPECT_PRED_FORMAT2(IsSubstring, "sammu tells at most 256 threads apart, there are 257",
                      many.error().message());
}

constexpr std::array declared{
    parameter{"size", "4", "entries", "a size", "here"},
    parameter{"share", "0.5", "", "a share", "here"},
    parameter{"quick", "no", "", "a flag", "here"},
    parameter{"rule", "old", "", "a word", "here"},
};

parameter_set with(const std::map<std::string, std::string>& given) {
  return parameter_set::make(declared, given).value();
}

TEST(parameters, have_their_defaults) {
  const parameter_set values = with({});
  EXPECT_EQ(values.whole("size", 1, 8), 4u);
  EXPECT_EQ(values.real("share", 0, 1), 0.5);
  EXPECT_EQ(values.flag("quick"), false);
  constexpr std::array<std::string_view, 2> rules{"old", "new"};
  EXPECT_EQ(values.word("rule", rules), "old");
}

TEST(parameters, that_are_given_override_the_defaults) {
  const parameter_set values = with({{"size", "8"}, {"quick", "on"}});
  EXPECT_EQ(values.whole("size", 1, 8), 8u);
  EXPECT_EQ(values.flag("quick"), true);
  EXPECT_EQ(values.values().at("share"), "0.5");
}

TEST(parameters, that_are_no_numbers_are_refused) {
  for (const char* text : {"", "x", "4x", "-1", "9", "0", "1e3", "nan", " 4"}) {
    EXPECT_FALSE(with({{"size", text}}).whole("size", 1, 8)) << text;
  }
  for (const char* text : {"", "x", "0.5x", "-0.1", "1.1", "nan", "inf"}) {
    EXPECT_FALSE(with({{"share", text}}).real("share", 0, 1)) << text;
  }
}

TEST(parameters, an_unknown_name_suggests_the_nearest) {
  const result<parameter_set> values = parameter_set::make(declared, {{"sise", "4"}});
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().message(), "unknown parameter 'sise'; did you mean 'size'?");
}

TEST(parameters, the_reader_keeps_the_first_problem) {
  const parameter_set values = with({{"size", "x"}, {"quick", "perhaps"}});
  parameter_reader read(values);
  read.whole("size", 1, 8);
  read.flag("quick");
  ASSERT_TRUE(read.problem());
  EXPECT_EQ(read.problem()->where, "parameter size");
}

}  // namespace
}  // namespace numatch
