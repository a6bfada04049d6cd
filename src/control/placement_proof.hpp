// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "control/placement_plan.hpp"
#include "control/placement_trial.hpp"

namespace numatch::control {

struct proof_rules {
  std::size_t least_stretches = 4;
  std::size_t most_stretches = 16;  ///< what they do not show is given up
  std::size_t patience = 8;         ///< for the rest, when a part is proven
  double least_uses = 20;           ///< of a stretch that counts
  double error = 1e-4;              ///< that chance passes for a proof
  double least_gain = 0.01;         ///< share of all uses
};

/// Whether a gain, as a share of uses, is above 0 and above `least_gain` by more than chance. Uses
/// of one stretch of time depend on each other: who has the processors is seen on many pages. So
/// each stretch is one observation (the ratio estimator of cluster sampling: W. G. Cochran,
/// Sampling Techniques, 1977, chapter 6), and Student's t tells how far its mean can be trusted.
class gain_by_stretch {
 public:
  void add(double gain, double uses) { seen_.push_back({gain, uses}); }
  bool is_proven(const proof_rules& rules) const;

 private:
  struct observation {
    double gain = 0;
    double uses = 0;
  };
  std::vector<observation> seen_;
};

/// A placement that looked better must prove itself on uses that come later and had no part in
/// finding it: pages that one thread uses alone, pages of several threads, and the mapping of
/// threads, each for what it adds alone. What all threads use by turns looks like a pattern for as
/// long as the turns last, and does not stand this. Not thread safe.
class placement_proof {
 public:
  explicit placement_proof(const proof_rules& rules) : rules_(rules) {}

  bool is_open() const { return open_; }
  void propose(const plan_candidates& wanted, const seen_program& seen);
  /// The stretch of time that is over now, in which the program was placed as it is.
  void try_on_latest(const seen_program& seen, std::uint64_t cached_bytes);
  /// What is proven, once it makes no sense to wait for more; nothing until then.
  plan_parts proven() const;
  /// There was time enough, whatever came of it.
  bool is_over() const { return stretches_ >= rules_.most_stretches; }
  void drop() { *this = placement_proof(rules_); }

 private:
  struct proposal {
    std::map<std::uint32_t, node_id> threads;
    std::map<page_number, node_id> pages;
  };
  static proposal proposal_of(const placement_plan& plan);
  tried_placement placed_by(const proposal& wanted, const thread_nodes& now,
                            const seen_program& seen) const;

  proof_rules rules_;
  bool open_ = false;
  proposal stay_;
  std::optional<proposal> move_;
  std::map<page_number, bool> own_;  ///< as they were when they were proposed
  std::size_t stretches_ = 0;
  gain_by_stretch own_pages_;
  gain_by_stretch shared_pages_;
  gain_by_stretch threads_;
};

}  // namespace numatch::control
