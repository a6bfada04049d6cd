// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/check.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>

#include "trace/metadata.hpp"
#include "trace/recording.hpp"
#include "trace/salvage.hpp"

namespace numatch::trace {
namespace {

/// Writes files that are whole, with right checksums, and say what they like.
class liar {
 public:
  explicit liar(const std::filesystem::path& path) {
    file_.path = path;
    file_.descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    file_header header{};
    std::memcpy(header.magic, file_magic, sizeof file_magic);
    header.version = format_version;
    EXPECT_EQ(::pwrite(file_.descriptor, &header, sizeof header, 0), 16);
    file_.end = sizeof header;
  }
  ~liar() { ::close(file_.descriptor); }

  void event(event_kind kind, std::uint64_t position, std::uint64_t stamp,
             const std::string& text = "") {
    event_header header{};
    header.bytes = static_cast<std::uint32_t>((sizeof header + text.size() + 7) / 8 * 8);
    header.kind = static_cast<std::uint16_t>(kind);
    header.position = position;
    header.stamp = stamp;
    header.text_bytes = static_cast<std::uint32_t>(text.size());
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes += text;
    bytes.resize(header.bytes);
    events_ += bytes;
    ++event_count_;
  }
  /// A chunk of `count` accesses of one site.
  void accesses(std::uint64_t position, std::uint64_t stamp, std::uint64_t count) {
    const std::uint8_t raw[] = {3, 0, 0, 2, 0, 8, 17, 0, 1, 0};
    chunk_header header{};
    header.kind = static_cast<std::uint16_t>(chunk_kind::accesses);
    header.first_position = position;
    header.first_stamp = stamp;
    header.records = count;
    check(append_to(file_, header, std::span(raw, count == 1 ? 8 : 10)));
  }
  check_report report() {
    const std::span<const std::uint8_t> raw(reinterpret_cast<const std::uint8_t*>(events_.data()),
                                            events_.size());
    chunk_header header{};
    header.kind = static_cast<std::uint16_t>(chunk_kind::events);
    header.records = event_count_;
    check(append_to(file_, header, raw));
    trace_metadata metadata = test_metadata();
    metadata.filter = "none";
    const std::string text = to_json(metadata);
    header = {};
    header.kind = static_cast<std::uint16_t>(chunk_kind::metadata);
    check(append_to(file_, header,
                    std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())));
    check(append_end(file_));
    return value_of(check_trace(file_.path));
  }

 private:
  unfinished_file file_;
  std::string events_;
  std::uint64_t event_count_ = 0;
};

class Check : public testing::Test {
 protected:
  void expect_broken(const std::string& part) {
    const check_report report = file_.report();
    ASSERT_TRUE(report.broken);
    EXPECT_NE(report.broken->what.message().find(part), std::string::npos)
        << report.broken->what.message();
  }
  scratch_folder folder_;
  liar file_{folder_ / "t.nmt"};
};

TEST_F(Check, AcceptsAnHonestFile) {
  file_.event(event_kind::thread_start, 0, 1);
  file_.accesses(0, 2, 1);
  file_.event(event_kind::thread_end, 1, 3);
  const check_report report = file_.report();
  EXPECT_FALSE(report.broken) << report.broken->what.message();
  EXPECT_EQ(report.accesses, 1U);
}

TEST_F(Check, FindsAGapBetweenChunks) {
  file_.event(event_kind::thread_start, 0, 1);
  file_.accesses(0, 2, 1);
  file_.accesses(2, 3, 1);
  file_.event(event_kind::thread_end, 3, 4);
  expect_broken("thread 0 continues at position 2 instead of 1");
}

TEST_F(Check, FindsAStampThatGoesBack) {
  file_.event(event_kind::thread_start, 0, 5);
  file_.accesses(0, 4, 1);
  file_.event(event_kind::thread_end, 1, 6);
  expect_broken("has stamp 4 behind stamp 5");
}

TEST_F(Check, FindsAnEventBehindTheLastAccess) {
  file_.event(event_kind::thread_start, 0, 1);
  file_.accesses(0, 2, 1);
  file_.event(event_kind::thread_end, 9, 3);
  expect_broken("has an event at position 9, it has 1 accesses then");
}

TEST_F(Check, FindsAnEventInsideABlock) {
  file_.event(event_kind::thread_start, 0, 1);
  file_.accesses(0, 2, 3);
  file_.event(event_kind::release, 2, 3);
  file_.event(event_kind::thread_end, 3, 4);
  expect_broken("inside a block");
}

TEST_F(Check, WantsThreadStartFirst) {
  file_.event(event_kind::release, 0, 1);
  file_.event(event_kind::thread_end, 0, 2);
  expect_broken("does not begin with thread_start");
}

TEST_F(Check, WantsThreadEndLast) {
  file_.event(event_kind::thread_start, 0, 1);
  expect_broken("has no thread_end");
}

TEST_F(Check, WantsNothingBehindThreadEnd) {
  file_.event(event_kind::thread_start, 0, 1);
  file_.event(event_kind::thread_end, 0, 2);
  file_.event(event_kind::release, 0, 3);
  expect_broken("has an event behind its thread_end");
}

TEST_F(Check, FindsUnknownKinds) {
  file_.event(event_kind::thread_start, 0, 1);
  file_.event(static_cast<event_kind>(999), 0, 2);
  file_.event(event_kind::thread_end, 0, 3);
  expect_broken("unknown kind 999");
}

TEST_F(Check, WantsRegionsToBeNested) {
  file_.event(event_kind::thread_start, 0, 1);
  file_.event(event_kind::region_begin, 0, 2, "outer");
  file_.event(event_kind::region_begin, 0, 3, "inner");
  file_.event(event_kind::region_end, 0, 4, "outer");
  file_.event(event_kind::thread_end, 0, 5);
  expect_broken("ends region 'outer' inside region 'inner'");
}

TEST_F(Check, FindsDamageUnderARightChecksum) {
  file_.event(event_kind::thread_start, 0, 1);
  file_.accesses(0, 2, 8000);
  file_.event(event_kind::thread_end, 8000, 4);
  expect_broken("has damaged accesses");
}

TEST(CheckCounts, FreesOfBlocksThatNobodyAllocatedAndOpenRegions) {
  const scratch_folder folder;
  recording made(folder / "t.nmt");
  thread_recorder* a = begin_thread(made.inside, 1, ~0U);
  thread_recorder* b = begin_thread(made.inside, 1, ~0U);
  const std::uint64_t known[] = {0x1000, 64, 0x40};
  const std::uint64_t unknown = 0x2000;
  record_event(a, event_kind::allocate, known, 3);
  record_event(b, event_kind::free, known, 1);
  record_event(b, event_kind::free, &unknown, 1);
  record_event(a, event_kind::region_begin, nullptr, 0, "left", 4);
  end_thread(a);
  end_thread(b);
  made.finish_trace();
  const check_report report = value_of(check_trace(folder / "t.nmt"));
  EXPECT_FALSE(report.broken);
  EXPECT_EQ(report.frees_of_unknown, 1U);
  EXPECT_EQ(report.regions_left_open, 1U);
}

}  // namespace
}  // namespace numatch::trace
