// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "vector_source.hpp"

namespace vsearch {

/// A file of ann-benchmarks (github.com/erikbern/ann-benchmarks): the data sets train, test and
/// neighbors.
struct hdf5_data {
  std::unique_ptr<vector_source> base;
  vector_set queries;
  std::vector<std::vector<std::uint32_t>> neighbours;  ///< of each query, the nearest first
};

/// Throws std::runtime_error when it is no such file, and always where this was built without HDF5.
hdf5_data open_hdf5(const std::filesystem::path& path);

}  // namespace vsearch
