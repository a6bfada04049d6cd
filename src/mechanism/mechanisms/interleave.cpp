// SPDX-License-Identifier: Apache-2.0
#include "mechanism/start_policy.hpp"

namespace numatch {

extern constinit const mechanism_entry interleave_entry =
    start_entries::of_pages<page_placing::interleave>(
        "interleave", "pages go to the nodes in turn",
        "Linux' MPOL_INTERLEAVE; the baseline of LAPT section IV-A and SAMMU section 3.1");

}  // namespace numatch
