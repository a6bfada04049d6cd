// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "ring_places/report_file.hpp"
#include "ring_program/report.hpp"
#include "ring_program/worker.hpp"

namespace ring {
namespace {

options small() {
  options chosen;
  chosen.threads = 4;
  chosen.private_pages = 4;
  chosen.shared_pages = 2;
  chosen.accesses = 2000;
  return chosen;
}

struct RingWorker : testing::Test {
  options chosen = small();
  memory pages{chosen, layout_of(chosen).pages()};
  worker first{chosen, pages, 0};
  control told;

  std::uint64_t accesses() const {
    std::uint64_t made = 0;
    for (const page_record& record : first.records()) made += record.reads + record.writes;
    return made;
  }
};

TEST_F(RingWorker, RecordsEachAccessAndFindsItsSumsRight) {
  first.touch();
  first.run(told);
  EXPECT_EQ(accesses(), chosen.accesses);
  EXPECT_EQ(told.finished, 1U);
  EXPECT_EQ(first.errors(), 0U);
}

TEST_F(RingWorker, ALostWriteIsFound) {
  first.run(told);
  pages.page(first.records().front().page)[first.thread()] ^= 1U;
  EXPECT_EQ(first.errors(), 1U);
}

TEST_F(RingWorker, AWrongReadIsFound) {
  first.run(told);
  pages.page(first.records().front().page)[first.thread()] += 1;
  first.run(told);
  EXPECT_GT(first.errors(), 1U);
}

TEST_F(RingWorker, UsesTheOtherPartnersPagesInTheSecondPhase) {
  told.phase = 1;
  first.run(told);
  std::vector<std::size_t> used;
  for (const page_record& record : first.records()) {
    if (record.reads + record.writes > 0) used.push_back(record.page);
  }
  EXPECT_EQ(used, pages_of_thread(chosen, 0, 1));
}

TEST_F(RingWorker, OnlyReadsWhenAllAccessesAreReads) {
  chosen.read_percent = 100;
  first.run(told);
  for (const page_record& record : first.records()) EXPECT_EQ(record.writes, 0U);
}

TEST_F(RingWorker, StopsWhenItIsTold) {
  told.stop = true;
  first.run(told);
  EXPECT_EQ(accesses(), 0U);
  EXPECT_EQ(told.finished, 0U);
}

TEST_F(RingWorker, TheReportHasWhatTheThreadRecorded) {
  std::deque<worker> workers;
  workers.emplace_back(chosen, pages, 0);
  workers.front().task = 77;
  workers.front().run(told);
  const disturbance beside;
  std::istringstream text(report_text(chosen, pages, workers, beside, 0, std::nullopt));
  const ring_places::report read = ring_places::read_report(text);
  EXPECT_EQ(read.task_of_thread.at(0), 77);
  EXPECT_EQ(read.regions.size(), 8U);
  EXPECT_EQ(read.uses.size(), pages_of_thread(chosen, 0, 0).size());
  for (const page_record& record : workers.front().records()) {
    const auto uses = read.uses.find(reinterpret_cast<std::uintptr_t>(pages.page(record.page)));
    const std::uint64_t made = record.reads + record.writes;
    EXPECT_EQ(uses == read.uses.end() ? 0 : uses->second.at(0), made);
  }
}

TEST(RingReport, SaysWhetherTheSumsAreRight) {
  const options chosen = small();
  const memory pages(chosen, layout_of(chosen).pages());
  const disturbance beside;
  EXPECT_NE(report_text(chosen, pages, {}, beside, 0, 0).find("\nsums right\n"), std::string::npos);
  EXPECT_NE(report_text(chosen, pages, {}, beside, 0, 3).find("\nsums wrong 3\n"),
            std::string::npos);
}

TEST(RingDisturbance, MakesWhatWasAskedFor) {
  options chosen = small();
  chosen.short_threads = 20;
  chosen.forks = 3;
  const memory pages(chosen, layout_of(chosen).pages());
  disturbance beside;
  beside.make(chosen, pages, false);
  EXPECT_EQ(beside.short_threads, 20U);
  EXPECT_EQ(beside.forks, 3U);
  EXPECT_EQ(beside.execs, 0U);
  EXPECT_EQ(beside.failed, 0U);
  EXPECT_TRUE(beside.finished);
}

}  // namespace
}  // namespace ring
