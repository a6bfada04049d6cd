// SPDX-License-Identifier: Apache-2.0
#include "profiler/tlb_geometry.hpp"

#include <gtest/gtest.h>

namespace numatch {
namespace {

using testing::IsSubstring;

constexpr const char* recorded = "tlb:entries=512,ways=8,page=8192";

TEST(tlb_geometry, the_papers_tlb_is_the_default) {
  EXPECT_EQ(choose_tlb({}, "none"), (tlb_geometry{64, 4, 4096}));
}

TEST(tlb_geometry, what_is_asked_for_is_taken) {
  EXPECT_EQ(choose_tlb({16, 16, 2 << 20}, "none"), (tlb_geometry{16, 16, 2 << 20}));
}

TEST(tlb_geometry, a_filtered_trace_says_its_own) {
  EXPECT_EQ(choose_tlb({}, recorded), (tlb_geometry{512, 8, 8192}));
  EXPECT_EQ(choose_tlb({512, {}, 8192}, recorded), (tlb_geometry{512, 8, 8192}));
}

TEST(tlb_geometry, a_filtered_trace_cannot_have_another_one) {
  const result<tlb_geometry> other = choose_tlb({64, 4, {}}, recorded);
  ASSERT_FALSE(other);
  EXPECT_PRED_FORMAT2(IsSubstring, "behind a TLB of 512 entries, 8 ways, pages of 8192 bytes",
                      other.error().message());
}

TEST(tlb_geometry, a_filter_that_does_not_parse_is_refused) {
  EXPECT_FALSE(choose_tlb({}, "tlb:"));
  EXPECT_FALSE(choose_tlb({}, "tlb:entries=x,ways=4,page=4096"));
}

TEST(tlb_geometry, geometries_that_cannot_be_built_are_refused) {
  for (const tlb_request& asked :
       {tlb_request{0, 4, {}}, tlb_request{64, 0, {}}, tlb_request{64, 5, {}},
        tlb_request{48, 4, {}}, tlb_request{4, 64, {}}, tlb_request{1u << 31, 4, {}}}) {
    const result<tlb_geometry> made = choose_tlb(asked, "none");
    ASSERT_FALSE(made);
    EXPECT_PRED_FORMAT2(IsSubstring, "power of two of sets", made.error().message());
  }
  for (const std::uint64_t bytes : {0u, 512u, 3000u, 0x80000000u}) {
    const result<tlb_geometry> made = choose_tlb({{}, {}, bytes}, "none");
    ASSERT_FALSE(made);
    EXPECT_PRED_FORMAT2(IsSubstring, "from 1 KiB to 1 GiB", made.error().message());
  }
}

}  // namespace
}  // namespace numatch
