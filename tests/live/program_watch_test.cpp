// SPDX-License-Identifier: Apache-2.0
#include "live/program_watch.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/expect_text.hpp"
#include "support/observed_child.hpp"

namespace numatch::live {
namespace {

constexpr std::size_t pages = 16;

/// Two threads that write the same pages for ever; says where they are.
void write_together(const observed_child::script& s) {
  char* const memory = fresh_pages(pages);
  const auto write = [memory] {
    for (std::size_t i = 0;; ++i) static_cast<volatile char*>(memory)[i % pages * 4096] = 1;
  };
  std::thread other(write);
  s.say(memory);
  write();
}

TEST(ProgramWatch, PicturesWhoSharesWithWhom) {
  if (const result<const sensor_entry*> chosen = choose_sensor("auto", read_system_facts());
      !chosen || (*chosen)->how == arming::by_hardware) {
    GTEST_SKIP() << "no sensor that arms works here";
  }
  const observed_child child(write_together);
  child.hear();
  sensing_options options;
  options.budget = 1;
  result<std::unique_ptr<program_watch>> watch =
      program_watch::start(observed_process::open(child.pid()).value(), "auto", options);
  ASSERT_TRUE(watch) << watch.error().message();
  program_picture picture;
  do {  // until both were seen
    for (int i = 0; i < 50; ++i) {
      (*watch)->step();
      ::usleep(2000);
    }
    result<program_picture> made = (*watch)->picture();
    ASSERT_TRUE(made) << made.error().message();
    picture = std::move(*made);
    ASSERT_EQ(picture.sensing.note, "");
  } while (picture.threads.size() < 2 || picture.sharing.at(0, 1) == 0);
  EXPECT_EQ(picture.places.pid, child.pid());
  EXPECT_EQ(picture.threads[0].seen.task, child.pid());
  EXPECT_TRUE(picture.threads[0].cpu_share);
  EXPECT_LE(picture.threads[0].local_uses, picture.threads[0].placed_uses);
  EXPECT_LE(picture.threads[0].placed_uses, picture.threads[0].uses);
}

TEST(ProgramWatch, ASensorThatWasAskedForByNameAndIsNotThereIsAnError) {
  const observed_child child([](const observed_child::script& s) { s.wait(); });
  const result<std::unique_ptr<program_watch>> unknown = program_watch::start(
      observed_process::open(child.pid()).value(), "no such sensor", sensing_options());
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(contains(unknown.error().message(), "unknown sensor"));
}

TEST(ProgramWatch, AnEndedProgramIsAnErrorThatSaysSo) {
  observed_child child([](const observed_child::script& s) { s.wait(); });
  result<std::unique_ptr<program_watch>> watch =
      program_watch::start(observed_process::open(child.pid()).value(), "auto", sensing_options());
  ASSERT_TRUE(watch) << watch.error().message();
  child.go_on();
  EXPECT_EQ(child.ended(), 0);
  (*watch)->step();
  const result<program_picture> picture = (*watch)->picture();
  ASSERT_FALSE(picture);
  EXPECT_TRUE(contains(picture.error().message(), "has ended"));
}

TEST(MachinePicture, HasThisProgramAndItsThreads) {
  const machine_picture picture = picture_machine(read_system_files("/"));
  EXPECT_GE(picture.nodes, 1U);
  const auto self = std::find_if(picture.programs.begin(), picture.programs.end(),
                                 [](const program_row& row) { return row.pid == ::getpid(); });
  ASSERT_NE(self, picture.programs.end());
  EXPECT_GE(self->threads, 1U);
  EXPECT_TRUE(std::is_sorted(
      picture.programs.begin(), picture.programs.end(),
      [](const program_row& a, const program_row& b) { return a.remote_bytes > b.remote_bytes; }));
}

}  // namespace
}  // namespace numatch::live
