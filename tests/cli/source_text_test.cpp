// SPDX-License-Identifier: Apache-2.0
#include "cli/source_text.hpp"

#include <gtest/gtest.h>

namespace numatch::cli {
namespace {

TEST(SourceText, NamesWhatIsThereWithItsShare) {
  live::source_counts counts{};
  EXPECT_EQ(source_text(counts), "");
  counts[0] = 50;
  EXPECT_EQ(source_text(counts), "");
  counts[static_cast<std::size_t>(live::data_source::core_cache)] = 6;
  counts[static_cast<std::size_t>(live::data_source::remote_memory)] = 2;
  EXPECT_EQ(source_text(counts), "core's caches 75.0 %, remote memory 25.0 %");
}

}  // namespace
}  // namespace numatch::cli
