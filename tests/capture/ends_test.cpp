// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "recorded.hpp"

namespace numatch::capture {
namespace {

namespace fs = std::filesystem;

struct way {
  const char* name;
  int code;
};

class ends : public testing::TestWithParam<way> {};

TEST_P(ends, pass_the_exit_code_and_leave_a_whole_trace) {
  const recorded run("ends", {GetParam().name});
  EXPECT_EQ(run.end().code, GetParam().code) << run.end().err;
  ASSERT_TRUE(run.has_trace());
  EXPECT_EQ(run.accesses("data").at(0).writes, 1000U);
  const std::map<std::string, std::string>& extra = run.trace().metadata().extra;
  EXPECT_EQ(extra.at("exit_code"), std::to_string(GetParam().code));
  EXPECT_EQ(extra.contains("signal"), GetParam().code > 128);
}

INSTANTIATE_TEST_SUITE_P(all, ends,
                         testing::Values(way{"code", 42}, way{"abort", 128 + SIGABRT},
                                         way{"fault", 128 + SIGSEGV}, way{"kill", 128 + SIGKILL},
                                         way{"exit with threads", 6}));

TEST(interrupt, of_the_group_leaves_a_whole_trace) {
  recorded run(recorded::later{}, "ends", {"wait"});
  run.command().wait_for_line();
  ::kill(-run.command().process(), SIGINT);
  run.finish();
  EXPECT_EQ(run.end().code, 128 + SIGINT) << run.end().err;
  ASSERT_TRUE(run.has_trace());
  EXPECT_EQ(run.total("data").writes, 1000U);
  EXPECT_EQ(run.trace().metadata().extra.at("interrupted"), "true");
}

TEST(interrupt, is_the_programs_own_to_handle) {
  recorded run(recorded::later{}, "ends", {"catch"});
  run.command().wait_for_line();
  ::kill(-run.command().process(), SIGINT);
  run.finish();
  EXPECT_EQ(run.end().code, 5) << run.end().err;
}

TEST(signals, sent_to_numatch_reach_the_program) {
  recorded run(recorded::later{}, "ends", {"wait"});
  run.command().wait_for_line();
  ::kill(run.command().process(), SIGTERM);
  run.finish();
  EXPECT_EQ(run.end().code, 128 + SIGTERM);
  EXPECT_EQ(run.total("data").writes, 1000U);
}

/// What `numatch trace ARGUMENTS` says when it cannot do its work.
class refusals : public testing::Test {
 protected:
  ended trace(std::vector<std::string> arguments,
              const std::map<std::string, std::string>& environment = {}) {
    std::vector<std::string> words{NUMATCH_EXECUTABLE, "trace"};
    if (arguments[0] != "-o")
      words.insert(words.end(), {"-o", (folder_.path() / "t.nmt").string()});
    words.insert(words.end(), arguments.begin(), arguments.end());
    return running_command(words, environment, folder_.path()).wait();
  }
  std::string file(const std::string& name, const std::string& bytes, bool executable = true) {
    const fs::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    if (executable) ::chmod(path.c_str(), 0755);
    return path.string();
  }
  /// The first 64 bytes of an ELF program.
  static std::string elf(char bits, char machine) {
    std::string header(64, '\0');
    header.replace(0, 7, std::string("\177ELF") + bits + "\1\1");
    header[16] = 2;
    header[18] = machine;
    return header;
  }
  /// One line, exit code 2, no file, and the line has `text`.
  void expect(const ended& end, const std::string& text) {
    EXPECT_EQ(end.code, 2);
    EXPECT_NE(end.err.find(text), std::string::npos) << end.err;
    EXPECT_EQ(end.err.find("numatch: "), 0U) << end.err;
    EXPECT_EQ(end.err.find('\n'), end.err.size() - 1) << end.err;
    for (const fs::directory_entry& left : fs::directory_iterator(folder_.path())) {
      EXPECT_EQ(left.path().string().find("nmt"), std::string::npos) << left.path();
    }
  }
  scratch_folder folder_;
};

TEST_F(refusals, no_such_program) {
  expect(trace({"--", "./not-here"}), "no such program");
  expect(trace({"--", "numatch-test-not-here"}), "no such program in PATH");
}

TEST_F(refusals, a_folder_is_no_program) {
  expect(trace({"--", "/tmp/"}), "is a directory");
}

TEST_F(refusals, a_file_that_is_not_executable) {
  expect(trace({"--", file("plain", "text", false)}), "is not executable");
}

TEST_F(refusals, a_32_bit_program) {
  expect(trace({"--", file("old", elf(1, 3))}), "32-bit x86");
  expect(trace({"--", file("x32", elf(1, 62))}), "x32");
}

TEST_F(refusals, a_program_for_another_processor) {
  expect(trace({"--", file("arm", elf(2, static_cast<char>(183)))}), "arm64");
}

TEST_F(refusals, neither_program_nor_script) {
  expect(trace({"--", file("text", "hello\n")}), "neither an ELF program nor a script");
  expect(trace({"--", file("empty", "")}), "neither an ELF program nor a script");
  expect(trace({"--", file("lost", "#!/not/here\n")}), "interpreter /not/here");
}

TEST_F(refusals, a_qemu_without_plugins) {
  const std::string qemu = file("qemu", "#!/bin/sh\necho 'usage: -h help'\n");
  expect(trace({"--", "/bin/true"}, {{"NUMATCH_QEMU", qemu}}), "without plugins");
}

TEST_F(refusals, a_qemu_that_is_not_there) {
  expect(trace({"--", "/bin/true"}, {{"NUMATCH_QEMU", "/not/here"}}), "NUMATCH_QEMU");
  expect(trace({"--", "/bin/true"}, {{"PATH", "/nowhere"}, {"NUMATCH_QEMU", ""}}), "qemu-user");
}

TEST_F(refusals, a_qemu_that_shifts_the_programs_addresses) {
  const char* const real = std::getenv("NUMATCH_QEMU");
  const std::string name = real != nullptr && *real != '\0' ? real : "qemu-x86_64";
  const std::string qemu = file("qemu", "#!/bin/sh\nexec " + name + " -B 0x100000000 \"$@\"\n");
  const ended end = trace({"--", "/bin/true"}, {{"NUMATCH_QEMU", qemu}});
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(end.err.find("QEMU_GUEST_BASE"), std::string::npos) << end.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "t.nmt"));
}

TEST_F(refusals, a_plugin_that_is_not_there) {
  expect(trace({"--", "/bin/true"}, {{"NUMATCH_LIBDIR", folder_.path().string()}}),
         "NUMATCH_LIBDIR");
}

TEST_F(refusals, instrumented_front_end_for_a_plain_program) {
  expect(trace({"--frontend", "instrumented", "--", "/bin/true"}), "numatch-cc");
}

TEST_F(refusals, words_that_are_no_options) {
  expect(trace({"--frontend", "qmeu", "--", "/bin/true"}), "did you mean 'qemu'");
  expect(trace({"--filter", "tbl", "--", "/bin/true"}), "did you mean 'tlb'");
  expect(trace({"--filter", "tlb", "--tlb-entries", "63", "--", "/bin/true"}), "63 entries");
  expect(trace({"--filter", "tlb", "--tlb-page", "1000", "--", "/bin/true"}), "1000 bytes");
}

TEST_F(refusals, a_folder_as_output) {
  expect(trace({"-o", "/tmp", "--", "/bin/true"}), "/tmp");
}

TEST_F(refusals, avx512_is_named_as_the_likely_cause) {
  if (!fs::exists(NUMATCH_GUESTS "/avx512")) GTEST_SKIP() << "no assembler for it";
  const ended end = trace({"--", NUMATCH_GUESTS "/avx512"});
  EXPECT_EQ(end.code, 128 + SIGILL);
  EXPECT_NE(end.err.find("AVX-512"), std::string::npos) << end.err;
}

TEST(full_disk, is_an_error_that_leaves_no_file_and_the_program_unharmed) {
  if (std::system("unshare -rm true 2>/dev/null") != 0) GTEST_SKIP() << "no user namespaces";
  scratch_folder folder;
  const std::string script =
      "mkdir small && mount -t tmpfs -o size=600k none small && "
      "{ head -c 3000000 \"$(command -v bash)\" | " NUMATCH_EXECUTABLE
      " trace -o small/t.nmt -- /bin/gzip -c > out.gz; code=$?; gzip -t out.gz && echo unharmed; "
      "echo \"left: $(ls -A small)\"; exit $code; }";
  running_command command(
      {"unshare", "-rm", "bash", "-c", "cd " + folder.path().string() + "; " + script}, {},
      folder.path());
  const ended end = command.wait();
  EXPECT_EQ(end.code, 2);
  EXPECT_EQ(end.out, "unharmed\nleft: \n") << end.err;
  EXPECT_NE(end.err.find("No space left"), std::string::npos) << end.err;
}

TEST(scripts, run_under_qemu_through_their_interpreter) {
  scratch_folder folder;
  const fs::path script = folder.path() / "script";
  std::ofstream(script) << "#!/bin/sh -e\necho \"$0 $1\"\nexit 9\n";
  ::chmod(script.c_str(), 0755);
  running_command command({NUMATCH_EXECUTABLE, "trace", "-o", (folder.path() / "t.nmt").string(),
                           "--", script.string(), "an argument"},
                          {}, folder.path());
  const ended end = command.wait();
  EXPECT_EQ(end.code, 9) << end.err;
  EXPECT_EQ(end.out, script.string() + " an argument\n");
  EXPECT_TRUE(trace::reader::open(folder.path() / "t.nmt"));
}

}  // namespace
}  // namespace numatch::capture
