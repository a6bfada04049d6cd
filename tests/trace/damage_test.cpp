// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "trace/check.hpp"
#include "trace/recording.hpp"

namespace numatch::trace {
namespace {

std::string bytes_of_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void put_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// Empty when every byte of the trace could be read, else the message.
std::string read_everything(const std::filesystem::path& file) {
  const result<reader> trace = reader::open(file);
  if (!trace) return trace.error().message();
  for (const thread_info& thread : trace->threads()) {
    access_cursor accesses = trace->accesses_of(thread.id);
    for (;;) {
      const result<block> next = accesses.next();
      if (!next) return next.error().message();
      if (next->accesses.empty()) break;
    }
  }
  return "";
}

class Damage : public testing::Test {
 protected:
  Damage() {
    recording made(file_);
    thread_recorder* a = begin_thread(made.inside, 1, ~0U);
    thread_recorder* b = begin_thread(made.inside, 2, 0);
    for (std::uint64_t i = 0; i < 30; ++i) {
      record_access(a, i % 3, i * i, 8, false);
      record_access(b, i % 2, i * 8, 4, true);
    }
    const std::uint64_t object = 5;
    record_event(a, event_kind::release, &object, 1);
    end_thread(a);
    end_thread(b);
    made.finish_trace();
    good_ = bytes_of_file(file_);
  }
  void expect_refused(const std::string& bytes, const std::string& what) {
    put_file(file_, bytes);
    const std::string message = read_everything(file_);
    EXPECT_NE(message, "") << what;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    const result<check_report> report = check_trace(file_);
    EXPECT_TRUE(!report || report->broken) << what;
  }
  scratch_folder folder_;
  std::filesystem::path file_ = folder_ / "t.nmt";
  std::string good_;
};

TEST_F(Damage, TheUndamagedTraceIsSound) {
  EXPECT_EQ(read_everything(file_), "");
  const check_report report = value_of(check_trace(file_));
  EXPECT_FALSE(report.broken);
  EXPECT_EQ(report.accesses, 60U);
  EXPECT_EQ(report.threads, 2U);
  EXPECT_EQ(report.events, 5U);
}

TEST_F(Damage, CutOffAtAnyByteItIsRefused) {
  for (std::size_t size = 0; size < good_.size(); ++size) {
    expect_refused(good_.substr(0, size), "cut to " + std::to_string(size));
  }
}

TEST_F(Damage, WithAnyBitFlippedItIsRefused) {
  std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
  const auto put_byte = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
    file.flush();
  };
  for (std::size_t at = 0; at < good_.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      put_byte(at, static_cast<char>(good_[at] ^ (1 << bit)));
      ASSERT_NE(read_everything(file_), "") << "byte " << at << ", bit " << bit;
    }
    const result<check_report> report = check_trace(file_);
    ASSERT_TRUE(!report || report->broken) << "byte " << at;
    put_byte(at, good_[at]);
  }
  EXPECT_EQ(read_everything(file_), "");
}

TEST_F(Damage, WithBytesBehindItsEndItIsRefused) {
  expect_refused(good_ + "x", "one byte more");
  expect_refused(good_ + good_, "twice");
}

TEST_F(Damage, TheMessageNamesTheChunk) {
  const std::uint64_t offset = value_of(reader::open(file_)).chunks()[0].offset;
  std::string bytes = good_;
  bytes[offset + sizeof(chunk_header)] ^= 1;
  put_file(file_, bytes);
  const std::string place = "t.nmt, chunk at offset " + std::to_string(offset);
  EXPECT_NE(read_everything(file_).find(place), std::string::npos) << read_everything(file_);
  const check_report report = value_of(check_trace(file_));
  ASSERT_TRUE(report.broken);
  EXPECT_EQ(report.broken->offset, offset);
}

TEST_F(Damage, OtherFilesAreRefusedInOneLine) {
  const auto message_for = [&](const std::filesystem::path& path) {
    const result<check_report> report = check_trace(path);
    return report ? std::string() : report.error().message();
  };
  EXPECT_NE(message_for(folder_ / "none.nmt").find("No such file"), std::string::npos);
  EXPECT_NE(message_for(folder_.path()).find("is a directory"), std::string::npos);
  put_file(file_, "");
  EXPECT_NE(message_for(file_).find("is empty"), std::string::npos);
  put_file(file_, "#!/bin/sh\necho a text that is no trace\n");
  EXPECT_NE(message_for(file_).find("is no trace"), std::string::npos);
  std::string newer = good_;
  newer[8] = 9;
  put_file(file_, newer);
  EXPECT_NE(message_for(file_).find("format version 9"), std::string::npos);
  EXPECT_NE(message_for(file_).find("use a newer numatch"), std::string::npos);
}

}  // namespace
}  // namespace numatch::trace
