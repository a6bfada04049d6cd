// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/result.hpp"
#include "bench/mapping/instances.hpp"

namespace numatch::bench {

/// The lowest cost known of every instance, kept in a text file: family, threads, machine, seed,
/// cost and how it was found, separated by tabs. Not proven to be the optimum.
class best_known {
 public:
  struct entry {
    double cost = 0;
    std::string how;
  };

  /// The file of this source tree.
  static std::filesystem::path usual_path();
  /// Errors name the line.
  static result<best_known> read(const std::filesystem::path& path);
  result<void> write(const std::filesystem::path& path) const;

  const entry* find(const instance& one) const;
  /// Takes a lower cost and says whether it was one.
  bool improve(const instance& one, double cost, const std::string& how);
  /// Takes what is lower in `other`.
  void merge(const best_known& other);

 private:
  using key = std::tuple<std::size_t, std::string, std::string, std::uint64_t>;
  static key key_of(const instance& one);
  std::map<key, entry> entries_;
};

}  // namespace numatch::bench
