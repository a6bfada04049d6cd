// SPDX-License-Identifier: Apache-2.0
#include "symbols/symbols.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>

namespace numatch::symbols {
namespace {

using ask_function = void* (*)(const char*, int*);

/// A fixture library loaded into this process, and a symbolizer that knows its mappings.
struct loaded {
  void* handle = nullptr;
  ask_function ask = nullptr;
  symbolizer symbols;
  std::string path;
  int line = 0;

  explicit loaded(const std::string& variant)
      : path(std::string(SYMBOLS_FIXTURES "/libsymbols_fixture") + variant + ".so") {
    handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return;
    ask = reinterpret_cast<ask_function>(::dlsym(handle, "fixture_ask"));
    std::ifstream maps("/proc/self/maps");
    for (std::string text; std::getline(maps, text);) {
      std::uint64_t first = 0;
      std::uint64_t end = 0;
      std::uint64_t offset = 0;
      const std::size_t slash = text.find('/');
      if (slash == text.npos || std::sscanf(text.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64,
                                            &first, &end, &offset) != 3) {
        continue;
      }
      symbols.add({first, end - first, offset, text.substr(slash)});
    }
  }
  ~loaded() {
    if (handle != nullptr) ::dlclose(handle);
  }
  std::uint64_t address(const char* what) {
    return reinterpret_cast<std::uint64_t>(ask(what, &line));
  }
};

TEST(Symbols, FindsFunctionsAndLinesThroughInlining) {
  loaded fixture("");
  ASSERT_NE(fixture.ask, nullptr) << ::dlerror();
  const std::vector<code_location> frames = fixture.symbols.code(fixture.address("inlined") - 1);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_NE(frames[0].function.find("inlined_part"), std::string::npos) << frames[0].function;
  EXPECT_TRUE(frames[0].inlined);
  EXPECT_EQ(frames[0].line, static_cast<std::uint32_t>(fixture.line));
  EXPECT_TRUE(frames[0].file.ends_with("fixture/fixture.cpp")) << frames[0].file;
  EXPECT_EQ(frames[1].function, "fixture_ask");
  EXPECT_FALSE(frames[1].inlined);
  EXPECT_GT(frames[1].line, frames[0].line);
}

TEST(Symbols, FindsAGlobalByAnyByteOfIt) {
  loaded fixture("");
  ASSERT_NE(fixture.ask, nullptr);
  const std::uint64_t table = fixture.address("table");
  for (const std::uint64_t offset : {0U, 8U, 799U}) {
    const std::optional<data_location> found = fixture.symbols.data(table + offset);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, "fixture::table");
    EXPECT_EQ(found->address, table);
    EXPECT_EQ(found->bytes, 800U);
    EXPECT_EQ(found->line, static_cast<std::uint32_t>(fixture.line));
    EXPECT_TRUE(found->file.ends_with("fixture/fixture.cpp"));
    EXPECT_EQ(found->module, fixture.path);
  }
}

TEST(Symbols, NamesStaticVariablesOfFunctionsAsTheyAreWritten) {
  loaded fixture("");
  ASSERT_NE(fixture.ask, nullptr);
  const std::optional<data_location> found = fixture.symbols.data(fixture.address("static"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "counter");
  EXPECT_EQ(found->bytes, 128U);
  EXPECT_EQ(found->line, static_cast<std::uint32_t>(fixture.line));
}

TEST(Symbols, SpaceBetweenVariablesHasBoundsAndNoName) {
  loaded fixture("");
  ASSERT_NE(fixture.ask, nullptr);
  const std::uint64_t table = fixture.address("table");
  std::uint64_t at = table;
  std::optional<data_location> found = fixture.symbols.data(at);
  while (found && !found->name.empty()) {
    ASSERT_GT(found->address + found->bytes, at) << "each answer leads onwards";
    at = found->address + found->bytes;
    found = fixture.symbols.data(at);
  }
  if (found) {
    EXPECT_LE(found->address, at);
    EXPECT_GT(found->address + found->bytes, at);
  }
}

TEST(Symbols, WithoutDebugInformationNamesRemainAndLinesAreUnknown) {
  loaded fixture("_no_debug");
  ASSERT_NE(fixture.ask, nullptr) << ::dlerror();
  const std::vector<code_location> frames = fixture.symbols.code(fixture.address("inlined") - 1);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].function, "fixture_ask");
  EXPECT_EQ(frames[0].line, 0U);
  const std::optional<data_location> found = fixture.symbols.data(fixture.address("table") + 16);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "fixture::table");
  EXPECT_TRUE(found->file.empty());
}

TEST(Symbols, AStrippedLibraryStillHasItsExportedNames) {
  loaded fixture("_no_all");
  ASSERT_NE(fixture.ask, nullptr) << ::dlerror();
  const std::uint64_t variable =
      reinterpret_cast<std::uint64_t>(::dlsym(fixture.handle, "plain_c_variable"));
  const std::optional<data_location> found = fixture.symbols.data(variable);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "plain_c_variable");
  EXPECT_EQ(fixture.symbols.module_of(variable), fixture.path);
}

TEST(Symbols, AMissingFileStillHasItsPath) {
  symbolizer symbols;
  symbols.add({0x10000, 0x4000, 0, "/no/such/library.so"});
  EXPECT_EQ(symbols.module_of(0x12000), "/no/such/library.so");
  EXPECT_TRUE(symbols.code(0x12000).empty());
  EXPECT_FALSE(symbols.data(0x12000));
}

TEST(Symbols, AFileThatIsNoProgramHasNoAnswers) {
  symbolizer symbols;
  symbols.add({0x10000, 0x4000, 0, NUMATCH_SOURCE_DIR "/CMakeLists.txt"});
  symbols.add({0x20000, 0x4000, 0, NUMATCH_SOURCE_DIR});
  EXPECT_TRUE(symbols.code(0x10000).empty());
  EXPECT_FALSE(symbols.data(0x20000));
}

TEST(Symbols, ALaterMappingReplacesWhatLayThere) {
  symbolizer symbols;
  symbols.add({0x10000, 0x6000, 0, "/old"});
  symbols.add({0x12000, 0x1000, 0, "/new"});
  EXPECT_EQ(symbols.module_of(0x11fff), "/old");
  EXPECT_EQ(symbols.module_of(0x12000), "/new");
  EXPECT_EQ(symbols.module_of(0x13000), "/old");
  EXPECT_EQ(symbols.module_of(0x16000), "");
}

TEST(Symbols, OwnFrameSkipsSystemHeaders) {
  const std::vector<code_location> frames{
      {"std::allocator", "/usr/include/c++/12/bits/new_allocator.h", 137, true},
      {"make_grid", "/opt/me/grid.cpp", 12, false}};
  EXPECT_EQ(own_frame(frames), &frames[1]);
  EXPECT_EQ(own_frame({}), nullptr);
  const std::vector<code_location> only_system{{"malloc", "", 0, false}};
  EXPECT_EQ(own_frame(only_system), &only_system[0]);
}

TEST(Symbols, FunctionsAreNamedWithoutTheirParameters) {
  EXPECT_EQ(without_parameters("grid::resize(int, (anonymous namespace)::box) const"),
            "grid::resize");
  EXPECT_EQ(without_parameters("(anonymous namespace)::fill"), "(anonymous namespace)::fill");
  EXPECT_EQ(without_parameters("(anonymous namespace)::fill(double)"),
            "(anonymous namespace)::fill");
  EXPECT_EQ(without_parameters("call::operator()(int)"), "call::operator()");
  EXPECT_EQ(without_parameters("call::operator()"), "call::operator()");
  EXPECT_EQ(without_parameters("main"), "main");
}

TEST(Symbols, DemanglesOnlyWhatIsMangled) {
  EXPECT_EQ(demangle("_ZN7fixture5tableE"), "fixture::table");
  EXPECT_EQ(demangle("i"), "i") << "a valid encoding of int, but a C name";
  EXPECT_EQ(demangle("_Zbroken"), "_Zbroken");
}

}  // namespace
}  // namespace numatch::symbols
