// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "ring_places/machine.hpp"
#include "ring_places/places.hpp"

namespace ring_places {
namespace {

constexpr const char* text = R"(process 5
thread 0 6
thread 1 7
region 0 private 0x10000 2
region 2 shared 0x20000 1
used 0x10000 0 5 5
used 0x20000 0 1 1
used 0x20000 1 4 0
sums running
)";

report example() {
  std::istringstream in(text);
  return read_report(in);
}

TEST(RingPlaces, ReadsAReport) {
  const report read = example();
  EXPECT_EQ(read.process, 5);
  EXPECT_EQ(read.task_of_thread.at(1), 7);
  EXPECT_EQ(read.uses.at(0x20000).at(1), 4U);
  EXPECT_EQ(pages_of(read), (std::vector<std::uintptr_t>{0x10000, 0x11000, 0x20000}));
}

TEST(RingPlaces, WhatIsNoReportIsRefused) {
  for (const char* const bad : {"", "hello\n", "process x\n", "process 5\nregion 0 private\n"}) {
    std::istringstream in(bad);
    EXPECT_THROW(read_report(in), std::runtime_error) << bad;
  }
}

TEST(RingPlaces, APageIsLocalOnTheNodeOfItsMainUser) {
  const summary found =
      summarise(example(), {{0x10000, 2}, {0x11000, -2}, {0x20000, 2}}, {{0, 2}, {1, 3}});
  EXPECT_EQ(found.private_pages.local, 1U);
  EXPECT_EQ(found.private_pages.pages, 1U);   // the other private page was never accessed
  EXPECT_EQ(found.accessed_pages.local, 1U);  // thread 1 uses the shared page more
  EXPECT_EQ(found.accessed_pages.pages, 2U);
  EXPECT_EQ(found.pages_of_node.at(0), (std::map<int, std::size_t>{{-2, 1}, {2, 1}}));
}

TEST(RingPlaces, PartnersAreTogetherOnOneNode) {
  const std::map<std::uintptr_t, int> nodes = {{0x10000, 0}, {0x11000, 0}, {0x20000, 0}};
  EXPECT_EQ(summarise(example(), nodes, {{0, 1}, {1, 1}}).together, 1U);
  const summary apart = summarise(example(), nodes, {{0, 1}, {1, 0}});
  EXPECT_EQ(apart.together, 0U);
  EXPECT_EQ(apart.partners, 1U);
}

TEST(RingPlaces, ReadsListsOfCpus) {
  EXPECT_EQ(cpus_of_list("0-2,5"), (std::vector<int>{0, 1, 2, 5}));
  EXPECT_EQ(cpus_of_list("7"), (std::vector<int>{7}));
  EXPECT_EQ(cpus_of_list(""), (std::vector<int>{}));
  for (const char* const bad : {"x", "3-", "3-1", "1;2"}) {
    EXPECT_THROW(cpus_of_list(bad), std::runtime_error) << bad;
  }
}

TEST(RingPlaces, AThreadThatIsGoneIsSaid) {
  EXPECT_THROW(place_of(0x7ffffffe, 1), std::runtime_error);
}

}  // namespace
}  // namespace ring_places
