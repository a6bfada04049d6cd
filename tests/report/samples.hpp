// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "pattern/profile.hpp"

namespace numatch::test {

/// Synthetic profiles for the tests of the report; every one passes check_profile().

/// A ring of threads: each has `own` pages of its own and shares two pages with the next thread.
/// Thread 0 touches everything first. With data objects and one falsely shared line.
profile ring_sample(std::size_t threads, std::uint64_t own = 20);
/// Four threads that use their own pages only.
profile private_sample();
/// Eight threads that all use the same pages alike; without names, page usage or objects.
profile transpose_sample();
/// A ring whose every name tries to break out of the markup.
profile hostile_sample();
/// Threads that share in two groups which are interleaved: even and odd ids.
profile groups_sample(std::size_t threads);

struct named_sample {
  std::string_view name;
  profile (*make)();
  friend void PrintTo(const named_sample& sample, std::ostream* out) { *out << sample.name; }
};
/// All of them by name: "ring", "private", "transpose", "hostile", "groups", "two", "many",
/// "crowd".
const std::vector<named_sample>& all_samples();

}  // namespace numatch::test
