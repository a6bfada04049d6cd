// SPDX-License-Identifier: Apache-2.0
#include "cli/top_screen.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/top_pictures.hpp"
#include "report/format.hpp"
#include "support/expect_text.hpp"

namespace numatch::cli {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text = "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(TopScreen, ShowsThreadsNodesAndSharingIn80x24) {
  EXPECT_EQ(joined(top_lines(ring_picture(4), {}, {80, 24})), R"(
ring (4242): 4 threads, 6 MiB in memory, 2.0 s   h: help  q: quit
sampled by wp: 1000 uses seen lately (writes), 60 % of them local
sensing costs 1.0 % of its time (estimated); 60 of 100 pages seen
node threads  CPU %     memory  pages used lately
   0       2    100      4 MiB                 35
   1       2    150      2 MiB                 11

  #  thread name         cpu node CPU%    uses  local  who shares with whom
  1    4243 ring           1    1  100     200  100 %       0 1 2 3
  0    4242 ring           0    0   50     100  100 %    0 ╲╲██  ▒▒
  2    4244 ring           2    0   50     300  100 %    1 ██╲╲▒▒
  3    4245 ring           3    1   50     400    0 %    2   ▒▒╲╲▒▒
                                                         3 ▒▒  ▒▒╲╲
)");
}

TEST(TopScreen, ShowsPagesPerNodeBesideTheThreads) {
  top_view view;
  view.pages = true;
  view.order = top_order::number;
  EXPECT_EQ(joined(top_lines(ring_picture(2), view, {80, 16})), R"(
ring (4242): 2 threads, 6 MiB in memory, 2.0 s   h: help  q: quit
sampled by wp: 300 uses seen lately (writes), 33 % of them local
sensing costs 1.0 % of its time (estimated); 60 of 100 pages seen
node threads  CPU %     memory  pages used lately
   0       1     50      4 MiB                 21
   1       1    100      2 MiB                  –
  #  thread name         cpu node CPU%    uses  local  pages    N0    N1
  0    4242 ring           0    0   50     100  100 %      0    10     –
  1    4243 ring           1    1  100     200    0 %      1    11     –
)");
}

TEST(TopScreen, LeavesTheMapOutWhereThereIsNoRoom) {
  EXPECT_EQ(joined(top_lines(ring_picture(4), {}, {40, 10})), R"(
ring (4242): 4 threads, 6 MiB in memory…
sampled by wp: 1000 uses seen lately (w…
sensing costs 1.0 % of its time (estima…
node threads  CPU %     memory  pages u…
   0       2    100      4 MiB         …
   1       2    150      2 MiB         …
  #  thread name         cpu node CPU% …
  1    4243 ring           1    1  100 …
  0    4242 ring           0    0   50 …
  2    4244 ring           2    0   50 …
)");
}

TEST(TopScreen, PrintsEverythingBelowEachOtherForAScript) {
  top_view view;
  view.order = top_order::number;
  EXPECT_EQ(joined(top_lines(ring_picture(4), view, {80, 0})), R"(
ring (4242): 4 threads, 6 MiB in memory, 2.0 s
sampled by wp: 1000 uses seen lately (writes), 60 % of them local
sensing costs 1.0 % of its time (estimated); 60 of 100 pages seen

node threads  CPU %     memory  pages used lately
   0       2    100      4 MiB                 35
   1       2    150      2 MiB                 11

  #  thread name         cpu node CPU%    uses  local
  0    4242 ring           0    0   50     100  100 %
  1    4243 ring           1    1  100     200  100 %
  2    4244 ring           2    0   50     300  100 %
  3    4245 ring           3    1   50     400    0 %

who shares with whom
     0 1 2 3
  0 ╲╲██  ▒▒
  1 ██╲╲▒▒
  2   ▒▒╲╲▒▒
  3 ▒▒  ▒▒╲╲

pages    N0    N1
    0    10     –
    1     –    11
    2    12     –
    3    13     –

measured: cpu, node, CPU share, memory; sampled: uses, local, sharing, pages
)");
}

TEST(TopScreen, WithoutASensorItSaysWhyAndShowsWhatIsMeasured) {
  live::program_picture picture = ring_picture(2);
  picture.sensing = {};
  picture.sensing.note = "perf_event_paranoid is 3";
  picture.sharing = {};
  for (live::pictured_thread& thread : picture.threads) {
    thread.uses = thread.placed_uses = thread.local_uses = 0;
    thread.pages_on.clear();
  }
  EXPECT_EQ(joined(top_lines(picture, {}, {80, 24})), R"(
ring (4242): 2 threads, 6 MiB in memory, 2.0 s   h: help  q: quit
not sensed: perf_event_paranoid is 3
node threads  CPU %     memory  pages used lately
   0       1     50      4 MiB                  –
   1       1    100      2 MiB                  –

  #  thread name         cpu node CPU%    uses  local
  1    4243 ring           1    1  100       –      –
  0    4242 ring           0    0   50       –      –
)");
}

TEST(TopScreen, ListsProgramsWithTheMostRemoteMemoryFirst) {
  EXPECT_EQ(joined(top_lines(two_programs(), {}, {80, 24})), R"(
2 programs of 2 NUMA nodes, most remote memory first
measured from /proc, nothing is sensed; 3 of other users are hidden

    pid  name              threads      memory      remote  share
     77  database               12       8 MiB       2 MiB 25.0 %
      5  init                    1       1 MiB         0 B    0 %

remote: memory on nodes where none of the program's threads ran last
)");
}

TEST(TopScreen, NeverIsLargerThanTheTerminal) {
  for (const std::size_t threads : {1U, 2U, 9U, 40U, 300U}) {
    const live::program_picture picture = ring_picture(threads);
    for (std::size_t columns = 0; columns < 130; columns += 7) {
      for (std::size_t rows = 1; rows < 60; rows += 3) {
        for (const bool help : {false, true}) {
          top_view view;
          view.help = help;
          view.pages = rows % 2 == 0;
          view.first = rows * 5;
          for (const std::vector<std::string>& lines :
               {top_lines(picture, view, {columns, rows}),
                top_lines(two_programs(), view, {columns, rows})}) {
            ASSERT_LE(lines.size(), rows);
            for (const std::string& line : lines) ASSERT_LE(report::columns(line), columns);
          }
        }
      }
    }
  }
}

TEST(TopScreen, ManyThreadsShareACellOfTheMap) {
  const std::string text = joined(top_lines(ring_picture(300), {}, {80, 24}));
  EXPECT_TRUE(contains(text, "sharing, 20 to a cell"));
}

TEST(TopScreen, SortsByWhatIsAskedFor) {
  top_view view;
  const auto first_of = [&](top_order order) {
    view.order = order;
    const std::vector<std::string> lines = top_lines(ring_picture(4), view, {53, 24});
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      if (lines[i].starts_with("  #")) return lines[i + 1].substr(0, 3);
    }
    return std::string("none");
  };
  EXPECT_EQ(first_of(top_order::cpu), "  1");
  EXPECT_EQ(first_of(top_order::remote), "  3");
  EXPECT_EQ(first_of(top_order::uses), "  3");
  EXPECT_EQ(first_of(top_order::node), "  0");
  EXPECT_EQ(first_of(top_order::number), "  0");
}

TEST(TopScreen, NamesOfThreadsCannotSteerTheTerminal) {
  live::program_picture picture = ring_picture(2);
  picture.places.name = "a\033[2Jb";
  picture.threads[0].seen.name = "\033]0;x\007";
  EXPECT_FALSE(contains(joined(top_lines(picture, {}, {80, 24})), "\033"));
}

TEST(TopScreen, TheJsonHasWhatIsShown) {
  const nlohmann::json made = nlohmann::json::parse(top_json(ring_picture(4)));
  EXPECT_EQ(made["pid"], 4242);
  EXPECT_EQ(made["sensing"]["sensor"], "wp");
  EXPECT_EQ(made["sensing"]["evidence"], "sampled");
  EXPECT_DOUBLE_EQ(made["sensing"]["estimated_cost_share"].get<double>(), 0.01);
  EXPECT_EQ(made["threads"].size(), 4U);
  EXPECT_EQ(made["threads"][3]["local_uses"], 0);
  EXPECT_EQ(made["sharing"][0][1], 100);
  const nlohmann::json machine = nlohmann::json::parse(top_json(two_programs()));
  EXPECT_EQ(machine["programs"][0]["remote_bytes"], 2 << 20U);
}

}  // namespace
}  // namespace numatch::cli
