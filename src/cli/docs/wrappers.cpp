// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/docs/pages.hpp"

namespace numatch::cli {

namespace {

/// What differs between the three names of capture/instrumented/numatch-cc.
struct wrapper {
  const char* name;
  const char* language;
  const char* variable;
  const char* compiler;
  const char* other;  ///< a value of `variable`
  const char* in_build_systems;
  std::array<example, 3> examples;
};

constexpr std::array<wrapper, 3> wrappers{{
    {"numatch-cc",
     "C",
     "NUMATCH_CC",
     "gcc",
     "clang-19",
     "CC",
     {{{"numatch-cc -O2 -fopenmp solver.c -lm -o solver", "compiles and links"},
       {"numatch trace -o solver.nmt -- ./solver", "records a run of it"},
       {"NUMATCH_CC=clang-19 numatch-cc -O2 -flto solver.c -o solver",
        "the fast mode: the recorder is inlined into the program"}}}},
    {"numatch-c++",
     "C++",
     "NUMATCH_CXX",
     "g++",
     "clang++-19",
     "CXX",
     {{{"numatch-c++ -O2 -fopenmp solver.cpp -o solver", "compiles and links"},
       {"numatch trace -o solver.nmt -- ./solver", "records a run of it"},
       {"NUMATCH_CXX=clang++-19 numatch-c++ -O2 -flto solver.cpp -o solver",
        "the fast mode: the recorder is inlined into the program"}}}},
    {"numatch-fc",
     "Fortran",
     "NUMATCH_FC",
     "gfortran",
     "gfortran-12",
     "FC",
     {{{"numatch-fc -O2 -fopenmp solver.f90 -o solver", "compiles and links"},
       {"numatch trace -o solver.nmt -- ./solver", "records a run of it"},
       {"cmake -B build-numatch -DCMAKE_Fortran_COMPILER=numatch-fc",
        "builds a whole project with it"}}}},
}};

std::string about(const wrapper& w) {
  return fmt::format(
      "Compiles and links as {} does, and takes its options. A program that was built with it "
      "records its own memory accesses when numatch trace runs it, several times faster than any "
      "program can be recorded under QEMU. Run without numatch trace, the program behaves as "
      "always and only pays for the calls.",
      w.compiler);
}

constexpr const char* compile_everything =
    "Compile everything whose accesses matter, and link with the wrapper too. Object files of the "
    "plain compiler may be linked in; their accesses are not seen.";

constexpr const char* added =
    "Added are: -fsanitize=thread when compiling, because it makes the compiler call a function "
    "for every access; -g, unless an option of that kind is given; numatch's own run-time when "
    "linking, never that of a sanitizer.";

constexpr const char* refused =
    "Refused are: -static, other sanitizers, -pg, and -flto with gcc, which then drops the "
    "instrumentation. clang 19 and newer with lld take -flto.";

wrapper_doc documentation_of(const wrapper& w) {
  wrapper_doc page;
  page.compiler = w.compiler;
  page.command.name = w.name;
  page.command.summary = fmt::format("{} compiler whose programs record themselves", w.language);
  page.command.paragraphs = {about(w), compile_everything, added, refused,
                             fmt::format("A build system needs to know nothing: {}={} ./configure, "
                                         "or the same variable for cmake.",
                                         w.in_build_systems, w.name)};
  page.command.arguments = {
      {{"OPTION"}, "", fmt::format("What {} takes", w.compiler), "", {}, false, true},
      {{"FILE"}, "", "What it compiles and links", "", {}, true, true}};
  page.environment = {
      {{w.variable}, "", fmt::format("Another compiler, as {}", w.other), w.compiler, {}},
      {{"NUMATCH_RUNTIME"}, "", "The folder of libnumatch_rt.a, where it lies elsewhere", "", {}}};
  page.command.examples.assign(w.examples.begin(), w.examples.end());
  return page;
}

}  // namespace

std::vector<wrapper_doc> wrapper_docs() {
  std::vector<wrapper_doc> all;
  for (const wrapper& w : wrappers) all.push_back(documentation_of(w));
  return all;
}

}  // namespace numatch::cli
