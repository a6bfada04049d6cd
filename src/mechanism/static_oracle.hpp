// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/flat_table.hpp"
#include "mapping/mapper.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/page_uses.hpp"
#include "mechanism/policy.hpp"
#include "pattern/profile.hpp"

namespace numatch {

/// An oracle that decides once, from the profile of an earlier run of the same program: the oracle
/// of the papers' real machines (LAPT section IV-B, SAMMU section 3.2). Every thread goes where it
/// belongs when it starts, every page when it is used first, to the node whose threads use it most
/// in the profile. Deciding costs nothing, moving does.
class static_oracle : public mechanism {
 public:
  struct options {
    acts_on moves;
    double page_gain = 0;  ///< see oracle::page_gain_parameter
  };
  /// Errors: those of load_profile(), an algorithm that is not known (with the nearest one).
  static result<std::unique_ptr<mechanism>> make(const std::filesystem::path& profile_file,
                                                 const std::string& algorithm,
                                                 const options& chosen);

  void on_begin(world& where) override;
  void on_thread_start(thread_id thread, world& where) override;
  void on_accesses(thread_id thread, std::span<const access_event> accesses, world& where) override;
  sharing_matrix sharing() const override { return learned_.sharing; }

 private:
  static_oracle(profile learned, const mapping_algorithm& algorithm, const options& chosen)
      : learned_(std::move(learned)), algorithm_(&algorithm), options_(chosen) {}
  std::vector<std::optional<node_id>> nodes_of_threads(const world& where) const;

  profile learned_;
  const mapping_algorithm* algorithm_;
  options options_;
  thread_mapping mapping_;
  oracle::page_uses uses_;
  std::uint64_t use_bytes_ = 0;  ///< what a page number of uses_ stands for
  flat_table<bool> placed_;      ///< pages that are where they belong
  std::size_t threads_ = 0;      ///< started so far
};

}  // namespace numatch
