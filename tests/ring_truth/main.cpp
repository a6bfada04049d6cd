// SPDX-License-Identifier: Apache-2.0
// ring_truth REPORT PROFILE: compares a profile of a running ring_program with the program's own
// record. Prints one line per measure, `name value`; exit code 2 when a file cannot be read.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "ring_truth/ring_truth.hpp"

namespace {

int complain(const numatch::error& trouble) {
  fmt::print(stderr, "ring_truth: {}\n", trouble.message());
  return 2;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "usage: ring_truth REPORT PROFILE\n");
    return 2;
  }
  std::ifstream report(words[1]);
  const numatch::result<numatch::ring_truth::truth> real = numatch::ring_truth::read_truth(report);
  if (!real) return complain(real.error());
  const numatch::result<numatch::profile> seen = numatch::load_profile(words[2]);
  if (!seen) return complain(seen.error());
  const numatch::ring_truth::comparison found = numatch::ring_truth::compare(*seen, *real);
  fmt::print("unknown-threads {}\n", found.unknown_threads);
  fmt::print("wrong-uses {}\n", found.wrong_uses);
  fmt::print("wrong-increments {:.0f}\n", found.wrong_increments);
  fmt::print("written-pairs-missed {}\n", found.written - found.written_found);
  fmt::print("written-pairs {}\n", found.written);
  fmt::print("used-pairs-missed {}\n", found.used - found.used_found);
  fmt::print("used-pairs {}\n", found.used);
  fmt::print("correlation {:.4f}\n", found.correlation);
  return 0;
}
