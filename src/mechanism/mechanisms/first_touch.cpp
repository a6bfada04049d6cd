// SPDX-License-Identifier: Apache-2.0
#include "mechanism/start_policy.hpp"

namespace numatch {

extern constinit const mechanism_entry first_touch_entry =
    start_entries::of_pages<page_placing::first_touch>(
        "first-touch", "a page lies on the node of the thread that touches it first",
        "Linux' default policy; the baseline of SAMMU section 3.2");

}  // namespace numatch
