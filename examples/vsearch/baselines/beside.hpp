// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "other_index.hpp"

namespace vsearch {

struct beside_options {
  std::size_t k = 20;
  std::size_t parts = 2;    ///< of what has parts
  std::size_t threads = 1;  ///< of each search
  std::size_t lists = 256;
  std::size_t probes = 16;
  std::size_t candidates = 64;  ///< hnswlib's ef
};

/// What another library did with the same vectors and queries.
struct beside_row {
  std::string name;
  bool built = false;  ///< otherwise this was built without the library
  double queries_per_second = 0;
  double recall = 0;
  std::string compared_with;  ///< whose answers these should be, exactly
  std::size_t same = 0;       ///< queries for which they are
};

/// faiss' exact scan, IVF-flat and both in parts, and hnswlib, one after another. `exact` are the
/// true answers. An exact scan is compared with them, parts with their whole; equal distances may
/// make a difference there.
std::vector<beside_row> run_beside(const vector_set& base, const vector_set& queries,
                                   const answers& exact, const beside_options& options);

}  // namespace vsearch
