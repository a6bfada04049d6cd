// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "numatch/numa/runtime.hpp"

namespace numatch {

/// A way to run a runtime: every behaviour holds for each.
struct way {
  backend run_by = backend::pinned_pool;
  stealing steal = stealing::never;
  const char* shape = "";
};

inline std::vector<way> all_ways() {
  std::vector<way> all;
  for (const char* shape : {"node:1 core:1 pu:1", "node:1 core:3 pu:1", "node:2 core:1 pu:1",
                            "node:2 core:2 pu:1", "node:4 core:2 pu:1"}) {
    for (const stealing steal : {stealing::never, stealing::any}) {
      all.push_back({backend::pinned_pool, steal, shape});
#ifndef __SANITIZE_THREAD__  // oneTBB is not built for it
      all.push_back({backend::arenas, steal, shape});
#endif
    }
  }
  return all;
}

inline std::string name_of(const testing::TestParamInfo<way>& info) {
  std::string name = info.param.run_by == backend::arenas ? "Arenas" : "Pool";
  name += info.param.steal == stealing::any ? "Stealing" : "";
  for (const char* at = info.param.shape; *at != '\0'; ++at) {
    if (*at >= '0' && *at <= '9') name += std::string("_") + *at;
  }
  return name;
}

inline runtime_options options_of(const way& one) {
  runtime_options options;
  options.run_by = one.run_by;
  options.execution.steal = one.steal;
  return options;
}

}  // namespace numatch
