// SPDX-License-Identifier: Apache-2.0
#include "reproduce/find_program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace numatch::reproduce {

namespace {

namespace fs = std::filesystem;

class program_places : public testing::Test {
 protected:
  program_places() {
    program_.name = "cg";
    program_.threads = 4;
    program_.words["version"] = "openmp";
    program_.size["S"] = "12";
    size_.name = "S";
  }

  suite_program program_;
  suite_class size_;
};

TEST_F(program_places, stand_for_program_class_threads_size_and_own_words) {
  EXPECT_EQ(filled("{program}.{class} -t{threads} {size} {version}", places_of(program_, size_)),
            "cg.S -t4 12 openmp");
}

TEST_F(program_places, leave_other_braces_as_they_are) {
  EXPECT_EQ(filled("${NTHREADS} {} {nobody} { {class", places_of(program_, size_)),
            "${NTHREADS} {} {nobody} { {class");
  EXPECT_EQ(filled("{{class}}", places_of(program_, size_)), "{S}");
}

TEST_F(program_places, have_no_size_where_the_class_has_none) {
  size_.name = "W";
  EXPECT_EQ(filled("{size}", places_of(program_, size_)), "{size}");
}

class sources_directory : public program_places {
 protected:
  sources_directory() {
    of_.sources = "some benchmarks";
    of_.layouts = {{"built", {"bin/{program}.{class}*"}, "bin/{program}.{class}*", {}, {}, {}},
                   {"sources", {"Makefile", "C?/{program}.c"}, "cg", {"make"}, {"C?"}, {}}};
  }
  ~sources_directory() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text = "") const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  result<const suite_layout*> layout() const {
    return layout_of(of_, program_, places_of(program_, size_), folder_);
  }
  std::string contents() const {
    const result<std::string> text = contents_of(folder_, {folder_});
    return text ? *text : text.error().message();
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "numatch [sources]*";
  suite of_;
};

TEST_F(sources_directory, has_the_first_layout_of_which_all_is_there) {
  write("Makefile");
  write("CG/cg.c");
  ASSERT_TRUE(layout().has_value()) << layout().error().message();
  EXPECT_EQ((*layout())->name, "sources");
  write("bin/cg.S.x");
  EXPECT_EQ((*layout())->name, "built");
}

TEST_F(sources_directory, without_any_layout_says_what_was_looked_for) {
  write("CG/cg.c");
  ASSERT_FALSE(layout().has_value());
  EXPECT_NE(layout().error().message().find("bin/cg.S*, or Makefile and C?/cg.c"),
            std::string::npos)
      << layout().error().message();
}

TEST_F(sources_directory, that_is_not_there_is_named) {
  ASSERT_FALSE(layout().has_value());
  EXPECT_EQ(layout().error().message(),
            folder_.string() + ": is no directory; --sources DIR names some benchmarks");
}

TEST_F(sources_directory, that_was_not_named_is_asked_for) {
  const result<const suite_layout*> found =
      layout_of(of_, program_, places_of(program_, size_), "");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().hint, "--sources DIR names some benchmarks");
}

TEST_F(sources_directory, matches_patterns_though_its_own_name_looks_like_one) {
  write("CG/cg.c");
  write("CX/cg.c");
  write("DG/cg.c");
  EXPECT_EQ(matches(folder_, "C?/cg.c"),
            (std::vector<fs::path>{folder_ / "CG/cg.c", folder_ / "CX/cg.c"}));
  EXPECT_TRUE(matches(folder_, "C?/mg.c").empty());
}

TEST_F(sources_directory, has_other_contents_when_a_file_a_name_or_a_link_changes) {
  write("CG/cg.c", "one");
  const std::string before = contents();
  EXPECT_EQ(contents(), before);
  write("CG/cg.c", "two");
  const std::string changed = contents();
  EXPECT_NE(changed, before);
  fs::create_symlink("cg.c", folder_ / "CG/link");
  const std::string linked = contents();
  EXPECT_NE(linked, changed);
  fs::remove(folder_ / "CG/link");
  EXPECT_EQ(contents(), changed);
}

TEST_F(sources_directory, is_copied_as_far_as_its_layout_says) {
  write("CG/cg.c");
  write("data/large");
  const places known = places_of(program_, size_);
  EXPECT_EQ(copied_by(of_.layouts[1], known, folder_), std::vector<fs::path>{folder_ / "CG"});
  of_.layouts[1].copy.clear();
  EXPECT_EQ(copied_by(of_.layouts[1], known, folder_), std::vector<fs::path>{folder_});
}

}  // namespace

}  // namespace numatch::reproduce
