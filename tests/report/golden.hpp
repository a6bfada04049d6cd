// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/atomic_file.hpp"

namespace numatch::test {

/// Compares a text with tests/data/report/NAME. NUMATCH_UPDATE_GOLDEN=1 writes the file instead;
/// look at the difference before you commit it.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file =
      std::filesystem::path(NUMATCH_SOURCE_DIR) / "tests/data/report" / name;
  if (std::getenv("NUMATCH_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(write_file(file, text).has_value());
    return;
  }
  const result<std::string> golden = read_file(file);
  ASSERT_TRUE(golden.has_value()) << golden.error().message();
  EXPECT_EQ(text, *golden) << "run with NUMATCH_UPDATE_GOLDEN=1 if the change is meant";
}

}  // namespace numatch::test
