// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "trace/check.hpp"
#include "trace/exporters.hpp"
#include "trace/footprint.hpp"
#include "trace/importers.hpp"
#include "trace/recording.hpp"

namespace numatch::trace {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class Convert : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(folder_ / "in.txt") << text; }
  std::string message(const result<void>& r) { return r ? "" : r.error().message(); }
  reader imported() { return value_of(reader::open(folder_ / "t.nmt")); }
  std::string exported(result<void> (*format)(const reader&, const text_sink&)) {
    std::string text;
    check(format(imported(), [&text](std::string_view piece) {
      text += piece;
      return result<void>{};
    }));
    return text;
  }
  /// Threads 0 and 1 take turns on one block, and thread 1 has a page of its own.
  void record_two_threads(const filter_options& filter = {}) {
    recording made(folder_ / "t.nmt", filter);
    thread_recorder* t[] = {begin_thread(made.inside, 1, ~0U), begin_thread(made.inside, 2, 0)};
    for (std::uint64_t turn = 0; turn < 6; ++turn) {
      thread_recorder* const now = t[turn % 2];
      record_event(now, event_kind::acquire, &turn, 1);
      record_access(now, 0x40, 0x1000 + 8 * (turn % 2), 8, true);
      const std::uint64_t next = turn + 1;
      record_event(now, event_kind::release, &next, 1);
    }
    record_access(t[1], 0x44, 0x5ffc, 8, false);
    end_thread(t[0]);
    end_thread(t[1]);
    made.finish_trace();
  }
  scratch_folder folder_;
};

TEST_F(Convert, LackeyComesInWithItsInstructionsAndOutWithoutThem) {
  write(
      "==12== Lackey, an example Valgrind tool\n"
      "I  04016b80,3\n L 1ffefffe00,8\nI  04016b83,5\n S 1ffefffdf8,4\n M 0421d848,8\n");
  check(import_lackey(folder_ / "in.txt", folder_ / "t.nmt"));
  EXPECT_EQ(imported().instructions(), 2U);
  EXPECT_TRUE(imported().metadata().counts_instructions);
  const std::vector<access> expected = {{0x1ffefffe00, 0x4016b80, 8, false},
                                        {0x1ffefffdf8, 0x4016b83, 4, true},
                                        {0x421d848, 0x4016b83, 8, false},
                                        {0x421d848, 0x4016b83, 8, true}};
  EXPECT_EQ(read_accesses(imported(), 0).accesses, expected);
  EXPECT_EQ(exported(export_lackey),
            " L 1ffefffe00,8\n S 1ffefffdf8,4\n L 0421d848,8\n S 0421d848,8\n");
  EXPECT_FALSE(value_of(check_trace(folder_ / "t.nmt")).broken);
}

TEST_F(Convert, DinGoesRound) {
  write("0 7fff1234\n1 0x10\n2 400100\n0 20\n\n");
  check(import_din(folder_ / "in.txt", folder_ / "t.nmt"));
  EXPECT_EQ(imported().instructions(), 1U);
  EXPECT_EQ(exported(export_din), "0 7fff1234\n1 10\n0 20\n");
}

TEST_F(Convert, AWrongLineIsNamedAndLeavesNoFile) {
  for (const char* wrong : {" L 10", " X 10,4", " L 10,0", " L g,4", "hello", " L 10,4 more"}) {
    write(std::string(" L 10,4\n") + wrong + "\n");
    EXPECT_NE(message(import_lackey(folder_ / "in.txt", folder_ / "t.nmt")).find("in.txt, line 2"),
              std::string::npos)
        << wrong;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "t.nmt"));
  }
  for (const char* wrong : {"3 10", "0", "0 xyz", "010", "read 10"}) {
    write(std::string("0 10\n") + wrong + "\n");
    EXPECT_NE(message(import_din(folder_ / "in.txt", folder_ / "t.nmt")).find("line 2"),
              std::string::npos)
        << wrong;
  }
  EXPECT_NE(message(import_din(folder_ / "none", folder_ / "t.nmt")).find("No such file"),
            std::string::npos);
  EXPECT_NE(message(import_din(folder_.path(), folder_ / "t.nmt")).find("is a directory"),
            std::string::npos);
}

TEST_F(Convert, NumalizeCountsThreadsThatFollowEachOtherOnABlock) {
  record_two_threads();
  check(export_numalize(imported(), folder_ / "out", 6));
  // Turns 1 to 5 each follow the other thread once more than they follow themselves.
  EXPECT_EQ(text_of(folder_ / "out.full.6.comm.csv"), "5,0\n0,5\n\n");
  EXPECT_EQ(text_of(folder_ / "out.full.page.csv"), "addr,firstacc,T0,T1\n1,0,3,3\n5,1,0,1\n");
  check(export_numalize(imported(), folder_ / "out", 3));
  EXPECT_EQ(text_of(folder_ / "out.full.3.comm.csv"), "0,0\n0,0\n\n");
  EXPECT_FALSE(export_numalize(imported(), folder_ / "out", 64));
}

TEST_F(Convert, DrmemtraceHasOneFilePerThreadAndNeedsANewFolder) {
  record_two_threads();
  check(export_drmemtrace(imported(), folder_ / "dr"));
  const std::string first = text_of(folder_ / "dr" / "trace" / "drmemtrace.numatch.000000.trace");
  const std::string second = text_of(folder_ / "dr" / "trace" / "drmemtrace.numatch.000001.trace");
  // 8 records of the head, then 4 per block of one access, then 2 at the end; 12 bytes each.
  EXPECT_EQ(first.size(), 12U * (8 + 3 * 4 + 2));
  EXPECT_EQ(second.size(), 12U * (8 + 4 * 4 + 2));
  EXPECT_NE(message(export_drmemtrace(imported(), folder_ / "dr")).find("exists already"),
            std::string::npos);
}

TEST_F(Convert, AFilteredTraceHasNoAccessesToExport) {
  record_two_threads(filter_options{64, 4, 4096});
  const std::string expected = "record it without --filter";
  const text_sink nowhere = [](std::string_view) { return result<void>{}; };
  EXPECT_NE(message(export_lackey(imported(), nowhere)).find(expected), std::string::npos);
  EXPECT_NE(message(export_din(imported(), nowhere)).find(expected), std::string::npos);
  EXPECT_NE(message(export_numalize(imported(), folder_ / "n", 6)).find(expected),
            std::string::npos);
  EXPECT_NE(message(export_drmemtrace(imported(), folder_ / "d")).find(expected),
            std::string::npos);
}

TEST_F(Convert, TheFootprintCountsEachPageOnce) {
  record_two_threads();
  const footprint all = value_of(measure_footprint(imported(), [](std::uint64_t) {}));
  EXPECT_EQ(all.pages, 3U) << "the last access touches two pages";
  EXPECT_EQ(all.reads, 1U);
  EXPECT_EQ(all.writes, 6U);
  record_two_threads(filter_options{64, 4, 65536});
  const footprint filtered = value_of(measure_footprint(imported(), [](std::uint64_t) {}));
  EXPECT_EQ(filtered.pages, 1U);
  EXPECT_EQ(filtered.page_bytes, 65536U);
}

}  // namespace
}  // namespace numatch::trace
