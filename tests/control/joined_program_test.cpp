// SPDX-License-Identifier: Apache-2.0
#include "control/joined_program.hpp"

#include <gtest/gtest.h>

#include "invented_program.hpp"

namespace numatch::control {
namespace {

constexpr std::uint64_t page_bytes = live::sensed_page_bytes;

live::mapped_range mapping(std::uint64_t first_page, std::uint64_t pages, std::uint64_t inode,
                           std::uint64_t offset_pages = 0) {
  live::mapped_range range;
  range.first = first_page * page_bytes;
  range.end = (first_page + pages) * page_bytes;
  range.shared = inode != 0;
  range.inode = inode;
  range.device = 1;
  range.offset = offset_pages * page_bytes;
  return range;
}

class JoinedProgram : public ::testing::Test {
 protected:
  joined_program make() {
    return joined_program(
        {{&first, [this] { return first_has; }}, {&second, [this] { return second_has; }}});
  }

  invented_program first{4};
  invented_program second{4};
  std::vector<live::mapped_range> first_has{mapping(100, 10, 0), mapping(200, 50, 7)};
  std::vector<live::mapped_range> second_has{mapping(100, 10, 0), mapping(900, 20, 7, 5),
                                             mapping(950, 20, 8)};
};

TEST_F(JoinedProgram, APageOfASharedObjectIsOneWhereverItIsMapped) {
  joined_program both = make();
  ASSERT_TRUE(both.look_at_memory());
  EXPECT_EQ(both.joined_page(0, page_number(205)), both.joined_page(1, page_number(900)));
  EXPECT_EQ(both.joined_page(0, page_number(210)), both.joined_page(1, page_number(905)));
  EXPECT_NE(both.joined_page(0, page_number(204)), both.joined_page(1, page_number(900)));
  EXPECT_NE(both.joined_page(0, page_number(200)), both.joined_page(1, page_number(950)));
}

TEST_F(JoinedProgram, OtherPagesAtTheSameAddressAreDifferent) {
  joined_program both = make();
  ASSERT_TRUE(both.look_at_memory());
  EXPECT_NE(both.joined_page(0, page_number(100)), both.joined_page(1, page_number(100)));
  EXPECT_NE(both.joined_page(0, page_number(250)), both.joined_page(1, page_number(250)));
}

TEST_F(JoinedProgram, APageIsWhereAnyMemberHasIt) {
  joined_program both = make();
  ASSERT_TRUE(both.look_at_memory());
  second.node_of[page_number(900)] = node_id(2);
  first.node_of[page_number(100)] = node_id(1);
  const std::vector<page_number> pages{both.joined_page(0, page_number(205)),
                                       both.joined_page(0, page_number(100)),
                                       both.joined_page(1, page_number(100))};
  const result<std::vector<std::optional<node_id>>> nodes = both.nodes_of(pages);
  ASSERT_TRUE(nodes);
  EXPECT_EQ((*nodes)[0], node_id(2));
  EXPECT_EQ((*nodes)[1], node_id(1));
  EXPECT_EQ((*nodes)[2], std::nullopt);
}

TEST_F(JoinedProgram, AMovedPageIsMovedOnceAndToldByItsJoinedNumber) {
  joined_program both = make();
  ASSERT_TRUE(both.look_at_memory());
  first.node_of[page_number(205)] = node_id(0);
  second.node_of[page_number(900)] = node_id(0);
  const page_number page = both.joined_page(1, page_number(900));
  const planned_page move{page, page_bytes, node_id(0), node_id(3)};
  both.move_pages(std::span(&move, 1));
  EXPECT_EQ(first.asked + second.asked, 1U);
  const std::vector<planned_page> moved = both.take_moved_pages();
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].page, page);
  EXPECT_EQ(moved[0].to, node_id(3));
}

TEST_F(JoinedProgram, APolicyOfOneMemberHoldsForTheSharedPage) {
  joined_program both = make();
  ASSERT_TRUE(both.look_at_memory());
  second.with_policy.insert(page_number(900));
  EXPECT_FALSE(both.may_move(both.joined_page(0, page_number(205))));
  EXPECT_TRUE(both.may_move(both.joined_page(0, page_number(206))));
}

TEST_F(JoinedProgram, UsesGoOnWithTheJoinedAddress) {
  struct : public live::use_sink {
    void on_use(const live::sensed_use& use) override { addresses.push_back(use.address); }
    void on_task_start(pid_t, std::uint64_t) override {}
    void on_task_end(pid_t, std::uint64_t) override {}
    void on_lost(std::uint64_t) override {}
    std::vector<std::uint64_t> addresses;
  } client;
  joined_program both = make();
  ASSERT_TRUE(both.look_at_memory());
  member_sink from_first(both, 0, client);
  member_sink from_second(both, 1, client);
  live::sensed_use use;
  use.task = 1;
  use.address = 205 * page_bytes + 17;
  from_first.on_use(use);
  use.address = 900 * page_bytes + 17;
  from_second.on_use(use);
  ASSERT_EQ(client.addresses.size(), 2U);
  EXPECT_EQ(client.addresses[0], client.addresses[1]);
  EXPECT_EQ(client.addresses[0] % page_bytes, 17U);
}

TEST_F(JoinedProgram, BindsEachThreadThroughItsOwnProcess) {
  joined_program both = make();
  both.belongs(invented_program::task(1), 0);
  both.belongs(invented_program::task(2), 1);
  EXPECT_EQ(both.bind(invented_program::task(1), node_id(3)), live::binding::done);
  EXPECT_EQ(both.bind(invented_program::task(2), node_id(3)), live::binding::done);
  EXPECT_EQ(both.bind(9999, node_id(3)), live::binding::gone);
  EXPECT_EQ(first.bound, (std::set<std::uint32_t>{1}));
  EXPECT_EQ(second.bound, (std::set<std::uint32_t>{2}));
}

}  // namespace
}  // namespace numatch::control
