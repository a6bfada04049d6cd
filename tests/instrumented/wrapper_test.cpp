// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "instrumented/captured.hpp"

namespace numatch::test {
namespace {

class Wrapper : public testing::Test {
 protected:
  Wrapper() {
    write("one.c",
          "int two(void);\nint x[10];\nint main(void) { x[3] = 1; return two() + x[3]; }\n");
    write("two.c", "extern int x[10];\nint two(void) { return x[3] + 2; }\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  finished sh(const std::string& line) const { return shell(line, folder_.path()); }
  void expect_refused(const std::string& line, const std::string& reason) const {
    const finished refused = sh(line);
    EXPECT_EQ(refused.code, 2) << line;
    EXPECT_NE(refused.errors.find(reason), std::string::npos) << refused.errors;
    EXPECT_EQ(std::count(refused.errors.begin(), refused.errors.end(), '\n'), 1) << refused.errors;
    EXPECT_EQ(sh("ls a.out").code, 2) << line;
  }
  scratch folder_;
};

TEST_F(Wrapper, RefusesWhatWouldDropTheInstrumentation) {
  expect_refused("numatch-cc -O2 -flto one.c two.c", "gcc drops the instrumentation");
  expect_refused("numatch-cc -flto=auto -c one.c", "NUMATCH_CC=clang-19");
  expect_refused("numatch-fc -flto -c one.f90", "gcc drops the instrumentation");
  expect_refused("numatch-cc -static one.c two.c", "link dynamically");
  expect_refused("numatch-cc -fsanitize=address one.c two.c", "leave it out");
  EXPECT_EQ(sh("numatch-cc -flto -fno-lto -c one.c").code, 0);
}

TEST_F(Wrapper, SaysWhatToInstallForTheFastMode) {
  write("clang-old", "#!/bin/sh\necho 14.0.6\n");
  expect_refused("chmod +x clang-old; NUMATCH_CC=./clang-old numatch-cc -flto one.c two.c",
                 "install clang-19 and lld-19");
  write("clang-bare", "#!/bin/sh\ncase $1 in -dumpversion) echo 19.1.7;; *) echo ld.lld;; esac\n");
  expect_refused("chmod +x clang-bare; NUMATCH_CC=./clang-bare numatch-cc -flto one.c two.c",
                 "install lld-19");
  expect_refused("mkdir rt; cp '" NUMATCH_BINARY_DIR
                 "/lib/numatch/libnumatch_rt.a' rt; "
                 "NUMATCH_RUNTIME=rt NUMATCH_CC=clang-19 numatch-cc -flto one.c two.c",
                 "install clang-19 and lld-19, then build numatch again");
}

TEST_F(Wrapper, SaysWhereItLooksForTheRuntime) {
  expect_refused("NUMATCH_RUNTIME=/nowhere numatch-cc one.c two.c", "libnumatch_rt.a");
}

TEST_F(Wrapper, PassesQuestionsToTheCompiler) {
  EXPECT_EQ(sh("numatch-cc --version").output, sh("gcc --version").output);
  EXPECT_EQ(sh("numatch-c++ -dumpmachine").output, sh("g++ -dumpmachine").output);
  EXPECT_EQ(sh("numatch-fc -dumpversion").output, sh("gfortran -dumpversion").output);
  EXPECT_EQ(sh("NUMATCH_CC=clang-19 numatch-cc --version").output, sh("clang-19 --version").output);
}

TEST_F(Wrapper, StopsWhereTheCompilerStops) {
  EXPECT_NE(sh("numatch-cc -E one.c").output.find("int main"), std::string::npos);
  EXPECT_EQ(sh("numatch-cc -O2 -S two.c -o - | grep -c 'call.*__tsan_read4'").output, "1\n");
  EXPECT_EQ(sh("echo 'int x; int f(void) { return x; }' | numatch-cc -x c -O2 -S - -o - | "
               "grep -c 'jmp.*__tsan_read4\\|call.*__tsan_read4'")
                .output,
            "1\n");
  EXPECT_EQ(sh("numatch-cc -c one.c two.c && numatch-cc one.o two.o -o linked && ./linked").code,
            4);
}

TEST_F(Wrapper, CompilesAndLinksInOneStep) {
  EXPECT_EQ(sh("mkdir 'a folder' && cp two.c 'a folder' && "
               "numatch-cc -O2 -Wall -DX=1 one.c 'a folder/two.c' -lm -o 'a folder/out' && "
               "'./a folder/out'")
                .code,
            4);
  EXPECT_EQ(sh("cp two.c two.txt && numatch-cc one.c -x c two.txt && ./a.out").code, 4);
  EXPECT_EQ(sh("ls -d ${TMPDIR:-/tmp}/numatch-cc.*").code, 2);  // nothing is left behind
}

TEST_F(Wrapper, FailsAsTheCompilerFails) {
  write("wrong.c", "int main(void) { return y; }\n");
  const finished wrong = sh("numatch-cc wrong.c");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.errors.find("wrong.c:1"), std::string::npos);
  EXPECT_EQ(sh("numatch-cc missing.c").code, 1);
  EXPECT_EQ(sh("numatch-cc one.c").code, 1);  // two() is undefined
}

TEST_F(Wrapper, UnderstandsResponseFiles) {
  write("what", "-c\n\"one.c\"\n'two.c' -O2\n");
  EXPECT_EQ(sh("numatch-cc @what && ls one.o two.o").code, 0);
  write("objects", "one.o two.o -o linked");
  EXPECT_EQ(sh("numatch-cc @objects && ./linked").code, 4);
  write("lto", "-flto -c one.c");
  expect_refused("numatch-cc @lto", "gcc drops the instrumentation");
}

TEST_F(Wrapper, AddsDebugInformationUnlessTheUserDecides) {
  EXPECT_EQ(sh("numatch-cc -c one.c && readelf -S one.o | grep -q debug_info").code, 0);
  EXPECT_EQ(sh("numatch-cc -g0 -c one.c && readelf -S one.o | grep -q debug_info").code, 1);
}

TEST_F(Wrapper, LinksTheMarkerAndNotLibtsan) {
  ASSERT_EQ(sh("numatch-cc -fsanitize=thread -Wl,--gc-sections one.c two.c && strip a.out").code,
            0);
  EXPECT_EQ(sh("readelf -S a.out | grep -q '.numatch_runtime'").code, 0);
  EXPECT_EQ(sh("numatch-cc -fopenmp -Wl,--as-needed one.c two.c && ./a.out").code, 4);
  EXPECT_EQ(sh("ldd a.out | grep -q tsan").code, 1);
}

/// Every function that is wrapped has its wrapper, and the other way round: a missing one would
/// be an unresolved symbol in some program, or events that are never seen.
TEST_F(Wrapper, WrapsWhatTheRuntimeProvides) {
  const finished difference = sh("nm '" NUMATCH_BINARY_DIR
                                 "/lib/numatch/libnumatch_rt.a' | "
                                 "sed -n 's/.* T __wrap_//p' | sort >provided; "
                                 "sed -n 's/^-Wl,--wrap=//p' '" NUMATCH_BINARY_DIR
                                 "/lib/numatch/wraps' | sort >wanted; "
                                 "test -s wanted && diff provided wanted");
  EXPECT_EQ(difference.code, 0) << difference.output;
}

/// As CC, CXX and FC of a project that does not know about it; a shared library finds the run-time
/// in the program.
TEST_F(Wrapper, BuildsACmakeProjectOfThreeLanguages) {
  const finished built =
      sh("CC=numatch-cc CXX=numatch-c++ FC=numatch-fc cmake -S '" NUMATCH_SOURCE_DIR
         "/tests/instrumented/programs/project' -B b -DCMAKE_BUILD_TYPE=Release "
         "-DCMAKE_CXX_FLAGS=-I'" NUMATCH_SOURCE_DIR "/include' && cmake --build b");
  ASSERT_EQ(built.code, 0) << built.output << built.errors;
  const captured seen = capture("b/program", folder_.path());
  EXPECT_EQ(seen.run.output, "999\n");
  // main fills, Fortran reads and writes, the library copies and writes, main prints.
  EXPECT_EQ(seen.writes_of("values"), 3000U);
  EXPECT_EQ(seen.reads_of("values"), 2001U);
  EXPECT_EQ(seen.threads.size(), 3U);
  EXPECT_TRUE(reads_before_writes(seen, folder_.path()).empty());
}

}  // namespace
}  // namespace numatch::test
