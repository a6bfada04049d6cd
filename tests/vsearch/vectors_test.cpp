// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "vector_source.hpp"

namespace vsearch {
namespace {

std::filesystem::path file_with(const std::string& name, const std::string& bytes) {
  const std::filesystem::path path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string message_of(const std::filesystem::path& path, bool opened = false) {
  try {
    if (opened) {
      open_fvecs(path)->slice(0, 1, std::pmr::get_default_resource());
    } else {
      read_fvecs(path);
    }
  } catch (const std::runtime_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(Vectors, TheSameSeedGivesTheSameVectors) {
  const made_data a = generate(50, 5, 32, 3);
  const made_data b = generate(50, 5, 32, 3);
  const made_data other = generate(50, 5, 32, 4);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(distance(a.base[i], b.base[i]), 0);
  EXPECT_NE(distance(a.base[0], other.base[0]), 0);
}

TEST(Vectors, ASliceKeepsTheNumbersOfTheWhole) {
  const made_data made = generate(10, 1, 16, 1);
  const vector_set part = memory_source(made.base).slice(1, 4, std::pmr::get_default_resource());
  ASSERT_EQ(part.size(), 3u);
  for (std::size_t i = 0; i < part.size(); ++i) {
    EXPECT_EQ(part.number(i), 1 + 4 * i);
    EXPECT_EQ(distance(part[i], made.base[part.number(i)]), 0);
  }
}

TEST(Vectors, SlicesTogetherAreTheWholeHoweverManyThereAre) {
  const made_data made = generate(10, 1, 16, 1);
  for (const std::size_t parts : {1u, 3u, 10u, 12u}) {
    std::size_t all = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      all += memory_source(made.base).slice(p, parts, std::pmr::get_default_resource()).size();
    }
    EXPECT_EQ(all, 10u) << parts << " parts";
  }
}

TEST(Vectors, DistanceIsTheSumOfSquares) {
  std::vector<float> a(37, 1);
  std::vector<float> b(37, 3);
  EXPECT_EQ(distance(a, b), 37 * 4);
}

TEST(Fvecs, ComeBackAsTheyWere) {
  const made_data made = generate(20, 1, 24, 9);
  const std::filesystem::path path = testing::TempDir() + "/numatch_round_trip.fvecs";
  write_fvecs(made.base, path);
  const vector_set read = read_fvecs(path);
  ASSERT_EQ(read.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(distance(read[i], made.base[i]), 0);
  std::filesystem::remove(path);
}

TEST(Fvecs, ASliceIsReadFromTheFileAlone) {
  const made_data made = generate(11, 1, 24, 9);
  const std::filesystem::path path = testing::TempDir() + "/numatch_slices.fvecs";
  write_fvecs(made.base, path);
  const std::unique_ptr<vector_source> file = open_fvecs(path);
  EXPECT_EQ(file->size(), 11u);
  EXPECT_EQ(file->dimension(), 24u);
  const vector_set part = file->slice(2, 3, std::pmr::get_default_resource());
  ASSERT_EQ(part.size(), 3u);
  for (std::size_t i = 0; i < part.size(); ++i) {
    EXPECT_EQ(part.number(i), 2 + 3 * i);
    EXPECT_EQ(distance(part[i], made.base[part.number(i)]), 0);
  }
  std::filesystem::remove(path);
}

TEST(Fvecs, DamageIsFoundByWhoReadsASlice) {
  const std::string one("\x01\0\0\0\0\0\x80\x3f", 8);
  const auto message = [](const char* name, const std::string& bytes) {
    return message_of(file_with(name, bytes), true);
  };
  EXPECT_NE(message("numatch_cut2.fvecs", one + std::string("\x01\0\0\0\0", 5))
                .find("a vector is cut off at byte 8"),
            std::string::npos);
  EXPECT_NE(message("numatch_dim2.fvecs", one + std::string("\x02\0\0\0aaaa", 8))
                .find("the dimension changes at byte 8"),
            std::string::npos);
  EXPECT_NE(message("numatch_neg2.fvecs", std::string("\xff\xff\xff\xff", 4)).find("no dimension"),
            std::string::npos);
  EXPECT_NE(message("numatch_empty2.fvecs", "").find("no vectors"), std::string::npos);
  EXPECT_NE(message_of("/nowhere.fvecs", true).find("no vectors"), std::string::npos);
}

TEST(Fvecs, DamageIsNamedWithItsPlace) {
  const std::string one("\x01\0\0\0\0\0\x80\x3f", 8);
  EXPECT_NE(message_of(file_with("numatch_cut.fvecs", one + std::string("\x01\0\0\0\0", 5)))
                .find("a vector is cut off at byte 8"),
            std::string::npos);
  EXPECT_NE(message_of(file_with("numatch_dim.fvecs", one + std::string("\x02\0\0\0aaaabbbb", 12)))
                .find("the dimension changes at byte 8"),
            std::string::npos);
  EXPECT_NE(message_of(file_with("numatch_neg.fvecs", std::string("\xff\xff\xff\xff", 4)))
                .find("no dimension"),
            std::string::npos);
  EXPECT_NE(message_of(file_with("numatch_short.fvecs", "ab")).find("a dimension is cut off"),
            std::string::npos);
  EXPECT_NE(message_of(file_with("numatch_empty.fvecs", "")).find("no vectors"), std::string::npos);
  EXPECT_NE(message_of("/nowhere.fvecs").find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace vsearch
