// SPDX-License-Identifier: Apache-2.0
#include "reproduce/store.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace numatch::reproduce {

namespace {

namespace fs = std::filesystem;

class kept : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    result<store> opened = store::open(folder_);
    ASSERT_TRUE(opened.has_value());
    store_ = *opened;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::path(testing::TempDir()) /
                     (std::string("numatch_store_") +
                      testing::UnitTest::GetInstance()->current_test_info()->name());
  std::optional<store> store_;
};

run_facts some_facts() {
  run_facts facts;
  facts.cycles = 123456789012345;
  facts.last_level_misses = 42;
  facts.energy = 1.0 / 3;
  return facts;
}

}  // namespace

TEST_F(kept, runs_come_back_to_the_last_digit) {
  ASSERT_TRUE(store_->keep_run("a run\n", some_facts()).has_value());
  EXPECT_EQ(store_->run("a run\n"), some_facts());
}

TEST_F(kept, runs_are_not_those_of_another_description) {
  ASSERT_TRUE(store_->keep_run("a run\n", some_facts()).has_value());
  EXPECT_FALSE(store_->run("another run\n").has_value());
}

TEST_F(kept, a_run_whose_file_names_something_else_is_not_taken) {
  ASSERT_TRUE(store_->keep_run("a run\n", some_facts()).has_value());
  // As if two descriptions had one hash.
  std::ofstream(folder_ / fmt::format("{:016x}.txt", hash_of("a run\n"))) << "a twin\n";
  EXPECT_FALSE(store_->run("a run\n").has_value());
}

TEST_F(kept, a_damaged_run_is_as_none) {
  ASSERT_TRUE(store_->keep_run("a run\n", some_facts()).has_value());
  std::ofstream(folder_ / fmt::format("{:016x}.kept", hash_of("a run\n"))) << "{\"cycles\": 1";
  EXPECT_FALSE(store_->run("a run\n").has_value());
}

TEST_F(kept, a_trace_is_there_only_when_it_was_said_to_be_whole) {
  std::ofstream(store_->trace_file("a trace\n")) << "half";
  EXPECT_FALSE(store_->has_trace("a trace\n"));
  ASSERT_TRUE(store_->keep_trace("a trace\n").has_value());
  EXPECT_TRUE(store_->has_trace("a trace\n"));
  fs::remove(store_->trace_file("a trace\n"));
  EXPECT_FALSE(store_->has_trace("a trace\n"));
}

TEST_F(kept, content_is_that_of_the_file) {
  const fs::path file = folder_ / "file";
  std::ofstream(file) << "abc";
  const result<std::string> before = content_of(file);
  ASSERT_TRUE(before.has_value());
  // FNV-1a of "abc", as published with the algorithm.
  EXPECT_EQ(*before, "3 bytes e71fa2190541574b");
  std::ofstream(file) << "abd";
  EXPECT_NE(content_of(file).value(), *before);
  EXPECT_FALSE(content_of(folder_ / "missing").has_value());
}

TEST(stored_facts, without_one_of_them_are_refused_by_its_name) {
  const result<run_facts> found = run_facts_of("{\"cycles\": 1}");
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message().find("running_cycles"), std::string::npos);
  EXPECT_FALSE(run_facts_of("[]").has_value());
}

TEST(a_store, cannot_be_a_file) {
  const fs::path file = fs::path(testing::TempDir()) / "numatch_store_file";
  std::ofstream(file) << "x";
  EXPECT_FALSE(store::open(file / "below").has_value());
  fs::remove(file);
}

}  // namespace numatch::reproduce
