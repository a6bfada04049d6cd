// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <fstream>
#include <string>

#include "scenes.hpp"

namespace imgsearch {
namespace {

std::filesystem::path file_with(const std::string& name, const std::string& bytes) {
  const std::filesystem::path path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string complaint_about(const std::string& name, const std::string& bytes) {
  try {
    read_picture(file_with(name, bytes));
  } catch (const std::runtime_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(Picture, IsReadAsItWasWritten) {
  const picture drawn = draw_scene({}, 3, 1);
  const std::filesystem::path path = testing::TempDir() + "/drawn.ppm";
  write_ppm(drawn, path);
  const picture read = read_picture(path);
  EXPECT_EQ(read.width, drawn.width);
  EXPECT_EQ(read.height, drawn.height);
  EXPECT_EQ(read.pixels, drawn.pixels);
}

TEST(Picture, APngIsReadToo) {
  const picture drawn = draw_scene({}, 3, 1);
  const std::filesystem::path path = testing::TempDir() + "/drawn.png";
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(drawn.width);
  image.height = static_cast<png_uint_32>(drawn.height);
  image.format = PNG_FORMAT_RGB;
  ASSERT_NE(png_image_write_to_file(&image, path.c_str(), 0, drawn.pixels.data(), 0, nullptr), 0);
  EXPECT_EQ(read_picture(path).pixels, drawn.pixels);
}

TEST(Picture, CommentsInAHeaderAreNoNumbers) {
  const picture read = read_picture(file_with("comment.ppm", "P6\n# by hand\n1 1\n255\nabc"));
  EXPECT_EQ(read.pixels, std::vector<colour>({{'a', 'b', 'c'}}));
}

TEST(Picture, DamagedFilesAreRefusedWithWhatIsWrong) {
  EXPECT_NE(complaint_about("cut.ppm", "P6 2 2 255 abcdef").find("6 of 12 bytes"),
            std::string::npos);
  EXPECT_NE(complaint_about("header.ppm", "P6 2").find("header ends early"), std::string::npos);
  EXPECT_NE(complaint_about("deep.ppm", "P6 1 1 65535 abcdef").find("255 as maximum"),
            std::string::npos);
  EXPECT_NE(complaint_about("huge.ppm", "P6 99999999999 99999999999 255 ").find("not supported"),
            std::string::npos);
  EXPECT_NE(complaint_about("none.ppm", "P6 0 4 255 ").find("not supported"), std::string::npos);
  EXPECT_NE(complaint_about("cut.png", "\x89PNG\r\n\x1a\n").find("cut.png"), std::string::npos);
  EXPECT_NE(complaint_about("text.png", "hello").find("neither a PNG nor a PPM"),
            std::string::npos);
}

TEST(Picture, AFolderGivesItsPicturesInTheOrderOfTheirNames) {
  const std::filesystem::path folder = testing::TempDir() + "/some-pictures";
  std::filesystem::create_directories(folder);
  write_ppm(draw_scene({}, 1, 1), folder / "b.ppm");
  write_ppm(draw_scene({}, 1, 2), folder / "a.ppm");
  std::ofstream(folder / "notes.txt") << "none";
  EXPECT_EQ(pictures_in(folder),
            std::vector<std::filesystem::path>({folder / "a.ppm", folder / "b.ppm"}));
  EXPECT_THROW(pictures_in(folder / "nowhere"), std::runtime_error);
}

TEST(Scenes, AreTheSameForTheSameNumbersAndOthersForOthers) {
  EXPECT_EQ(draw_scene({}, 2, 1).pixels, draw_scene({}, 2, 1).pixels);
  EXPECT_NE(draw_scene({}, 2, 1).pixels, draw_scene({}, 2, 2).pixels);
  EXPECT_NE(draw_scene({}, 2, 1).pixels, draw_scene({}, 3, 1).pixels);
}

}  // namespace
}  // namespace imgsearch
