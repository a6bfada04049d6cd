// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// However the program ends, the trace is whole or there is none.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <thread>

#include "trace/check.hpp"
#include "trace/recording.hpp"

namespace numatch::trace {
namespace {

/// Runs `program` in a process of its own that joins the session; its wait status.
template <class Program>
int run_apart(const session& made, Program program) {
  const pid_t child = ::fork();
  if (child == 0) {
    program(join_session(made.path().c_str()));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

void expect_sound(const std::filesystem::path& file) {
  const check_report report = value_of(check_trace(file));
  EXPECT_FALSE(report.broken) << report.broken->what.message();
}

class Ending : public testing::Test {
 protected:
  scratch_folder folder_;
  std::filesystem::path file_ = folder_ / "t.nmt";
  session made_ = value_of(session::create(file_, test_metadata(), {}));
  std::size_t files_in_folder() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      ++count;
    }
    return count;
  }
};

TEST_F(Ending, AKilledProgramLosesNothingThatItHadRecorded) {
  const int status = run_apart(made_, [](recorder* r) {
    thread_recorder* t = begin_thread(r, 1, ~0U);
    for (std::uint64_t i = 0; i < 123456; ++i) record_access(t, i % 7, 8 * i * (i % 7), 8, true);
    ::kill(::getpid(), SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(made_.joined());
  check(made_.finish({{"interrupted", "SIGKILL"}}));
  expect_sound(file_);
  const reader trace = value_of(reader::open(file_));
  EXPECT_EQ(trace.metadata().extra.at("interrupted"), "SIGKILL");
  const std::vector<access> accesses = read_accesses(trace, 0).accesses;
  ASSERT_EQ(accesses.size(), 123456U);
  for (std::uint64_t i = 0; i < accesses.size(); ++i) {
    ASSERT_EQ(accesses[i].address, 8 * i * (i % 7));
  }
}

TEST_F(Ending, KilledAtAnyMomentItLeavesASoundTrace) {
  for (unsigned round = 0; round < 30; ++round) {
    session made = value_of(session::create(file_, test_metadata(), {}));
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      recorder* r = join_session(made.path().c_str());
      thread_recorder* t = begin_thread(r, 1, ~0U);
      std::thread other([r] {
        for (;;) {
          thread_recorder* short_one = begin_thread(r, 1, 0);
          for (std::uint64_t i = 0; i < 50000; ++i) {
            record_access(short_one, i * i, i * i * i, 8, false);
          }
          end_thread(short_one);
        }
      });
      for (std::uint64_t i = 0;; ++i) {
        record_access(t, i % 1000, i * i, 4, true);
        if (i % 1000 == 0) record_event(t, event_kind::release, &i, 1);
        if (i == 20000 * (round + 1) && ::write(ready[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char byte;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    check(made.finish({}));
    expect_sound(file_);
    const std::vector<access> accesses = read_accesses(value_of(reader::open(file_)), 0).accesses;
    ASSERT_GE(accesses.size(), 20000 * (round + 1));
    for (std::uint64_t i = 0; i < accesses.size(); ++i) ASSERT_EQ(accesses[i].address, i * i);
  }
}

TEST_F(Ending, ThreadsAliveAtExitAreSaved) {
  run_apart(made_, [](recorder* r) {
    thread_recorder* a = begin_thread(r, 1, ~0U);
    thread_recorder* b = begin_thread(r, 2, 0);
    for (std::uint64_t i = 0; i < 1000; ++i) record_access(a, 1, i, 8, true);
    for (std::uint64_t i = 0; i < 500; ++i) record_access(b, 1, i, 8, true);
    record_instructions(b, 777);
    end_thread(a);
    finish(r);
    finish(r);
    for (std::uint64_t i = 0; i < 100000; ++i) record_access(b, i, i * i, 8, true);
  });
  check(made_.finish({}));
  expect_sound(file_);
  const reader trace = value_of(reader::open(file_));
  EXPECT_EQ(read_accesses(trace, 0).accesses.size(), 1000U);
  EXPECT_EQ(read_accesses(trace, 1).accesses.size(), block_accesses) << "stops with its block";
  EXPECT_EQ(trace.instructions(), 777U);
}

TEST_F(Ending, AForkedChildLeavesTheParentsTraceAlone) {
  run_apart(made_, [](recorder* r) {
    thread_recorder* t = begin_thread(r, 1, ~0U);
    for (std::uint64_t i = 0; i < 1000; ++i) record_access(t, i % 3, i, 8, true);
    const pid_t child = ::fork();
    if (child == 0) {
      forget_session(r);
      for (std::uint64_t i = 0; i < 100000; ++i) record_access(t, i % 5, i * i, 8, true);
      const std::uint64_t object = 1;
      record_event(t, event_kind::release, &object, 1);
      end_thread(t);
      finish(r);
      ::_exit(begin_thread(r, 1, 0) == nullptr ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    for (std::uint64_t i = 1000; i < 2000; ++i) record_access(t, i % 3, i, 8, true);
    if (status == 0) end_thread(t);
  });
  check(made_.finish({}));
  expect_sound(file_);
  const std::vector<access> accesses = read_accesses(value_of(reader::open(file_)), 0).accesses;
  ASSERT_EQ(accesses.size(), 2000U);
  for (std::uint64_t i = 0; i < 2000; ++i) ASSERT_EQ(accesses[i].address, i);
}

TEST_F(Ending, AFullDiskEndsTheTraceAndNotTheProgram) {
  const int status = run_apart(made_, [](recorder* r) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100000, 100000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    thread_recorder* t = begin_thread(r, 1, ~0U);
    for (std::uint64_t i = 0; i < 1000000; ++i) record_access(t, i * i, i * i * i, 8, true);
    end_thread(t);
    finish(r);
  });
  EXPECT_EQ(status, 0) << "the program goes on";
  const result<void> finished = made_.finish({});
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().message().find("recording stopped"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(Ending, WithoutFinishNothingIsLeftBehind) {
  std::filesystem::path shared;
  {
    const session abandoned = value_of(session::create(folder_ / "no.nmt", test_metadata(), {}));
    shared = abandoned.path();
    EXPECT_TRUE(std::filesystem::exists(shared));
    EXPECT_EQ(files_in_folder(), 2U) << "both sessions' unfinished files";
  }
  EXPECT_FALSE(std::filesystem::exists(shared));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Ending, AProgramThatClosesAllItsDescriptorsIsRecordedAllTheSame) {
  run_apart(made_, [this](recorder* r) {
    thread_recorder* t = begin_thread(r, 1, ~0U);
    for (int descriptor = 3; descriptor < 1024; ++descriptor) ::close(descriptor);
    std::FILE* own = std::fopen((folder_ / "own.txt").c_str(), "w");
    for (std::uint64_t i = 0; i < 100000; ++i) record_access(t, i * i, i * i * i, 8, true);
    std::fputs("own", own);
    std::fclose(own);
    end_thread(t);
  });
  check(made_.finish({}));
  expect_sound(file_);
  EXPECT_EQ(value_of(reader::open(file_)).accesses(), 100000U);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "own.txt"), 3U);
}

TEST_F(Ending, OnlyOneProgramJoins) {
  recorder* first = join_session(made_.path().c_str());
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(join_session(made_.path().c_str()), nullptr);
  EXPECT_EQ(join_session(nullptr), nullptr);
  EXPECT_EQ(join_session(""), nullptr);
  EXPECT_EQ(join_session("/nonexistent/session"), nullptr);
}

TEST(FilteredEnding, AKilledThreadsTlbIsFlushedForIt) {
  const scratch_folder folder;
  session made = value_of(session::create(folder / "t.nmt", test_metadata(), {8, 4, 4096}));
  run_apart(made, [](recorder* r) {
    thread_recorder* t = begin_thread(r, 1, ~0U);
    for (std::uint64_t i = 0; i < 1000; ++i) record_access(t, 1, i * 512, 8, true);
    record_access(t, 1, 4095, 2, true);
    ::kill(::getpid(), SIGKILL);
  });
  check(made.finish({}));
  expect_sound(folder / "t.nmt");
  const reader trace = value_of(reader::open(folder / "t.nmt"));
  EXPECT_EQ(trace.accesses(), 1001U);
  access_cursor cursor = trace.accesses_of(thread_id(0));
  std::uint64_t counted = 0;
  std::uint64_t misses = 0;
  for (;;) {
    const std::span<const tlb_record> records = value_of(cursor.next_tlb());
    if (records.empty()) break;
    for (const tlb_record& record : records) {
      if (record.missed_page != ~std::uint64_t{0}) ++misses;
      if (record.evicted_page != ~std::uint64_t{0}) counted += record.evicted_accesses;
    }
  }
  EXPECT_EQ(counted, 1002U) << "an access that touches two pages counts for both";
  EXPECT_EQ(misses, 127U) << "125 pages, and pages 0 and 1 again";
}

TEST(FilteredEnding, ASlotHasRoomForTheLargestTlb) {
  const scratch_folder folder;
  session made = value_of(session::create(folder / "t.nmt", test_metadata(), {4096, 1, 4096}));
  run_apart(made, [](recorder* r) {
    thread_recorder* t = begin_thread(r, 1, ~0U);
    for (std::uint64_t page = 0; page < 4096; ++page) record_access(t, 1, page << 12, 8, true);
    end_thread(t);
  });
  check(made.finish({}));
  expect_sound(folder / "t.nmt");
  const reader trace = value_of(reader::open(folder / "t.nmt"));
  access_cursor cursor = trace.accesses_of(thread_id(0));
  std::vector<std::uint64_t> left;
  for (;;) {
    const std::span<const tlb_record> records = value_of(cursor.next_tlb());
    if (records.empty()) break;
    for (const tlb_record& record : records) {
      if (record.missed_page == ~std::uint64_t{0}) left.push_back(record.evicted_page);
    }
  }
  ASSERT_EQ(left.size(), 4096U);
  for (std::uint64_t page = 0; page < 4096; ++page) EXPECT_EQ(left[page], page);
}

TEST(Session, RefusesATlbThatCannotBe) {
  const scratch_folder folder;
  for (const filter_options& wrong :
       {filter_options{64, 0, 4096}, filter_options{64, 3, 4096}, filter_options{96, 4, 4096},
        filter_options{64, 4, 1000}, filter_options{64, 4, 32}, filter_options{1 << 13, 4, 4096}}) {
    EXPECT_FALSE(session::create(folder / "t.nmt", test_metadata(), wrong));
  }
  EXPECT_FALSE(session::create(folder.path(), test_metadata(), {}));
  EXPECT_FALSE(session::create("/nonexistent/folder/t.nmt", test_metadata(), {}));
}

}  // namespace
}  // namespace numatch::trace
