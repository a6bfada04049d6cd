// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "live/guardian.hpp"
#include "live/observed_process.hpp"
#include "live/page_armer.hpp"
#include "live/policy_ranges.hpp"
#include "live/range_set.hpp"

namespace numatch::live {

/// Neighbouring pages on one node.
struct node_run {
  std::uint64_t first = 0;  ///< byte address
  std::uint64_t end = 0;
  unsigned node = 0;  ///< as the operating system numbers it
};

/// Runs in `nodes`, one entry per page from `first` on: its node, or negative when it is nowhere.
std::vector<node_run> runs_of_nodes(std::uint64_t first, std::span<const int> nodes);

/// Lets the kernel's NUMA balancing take its samples (hinting faults) in a process without moving
/// pages: memory gets the policy "prefer the node where you are, and balance", with which a page is
/// where it belongs whoever uses it (mm/mempolicy.c, mpol_misplaced). Set by system calls made in
/// the program, one per run of pages on one node; only private memory without a policy of the
/// program's own, and only pages that are there: new pages go where they would have gone. Kernels
/// that do not know the flag for "prefer" (before 6.10) get "bind"; then a page that was swapped
/// out comes back to its node only.
///
/// Restored by the destructor, or by a guardian.
class policy_armer final : public page_armer {
 public:
  static result<std::unique_ptr<policy_armer>> open(const observed_process& process);
  policy_armer(const policy_armer&) = delete;
  policy_armer& operator=(const policy_armer&) = delete;
  ~policy_armer() override;

  result<void> watch(std::span<const mapped_range> ranges) override;
  /// Pages that have appeared in watched ranges since are prepared.
  result<armed> arm(std::span<const page_run> pages) override;

 private:
  policy_armer(const observed_process& process, guardian guard, lasting_id id)
      : process_(process), guard_(std::move(guard)), id_(id) {}
  result<void> look_at(std::span<const mapped_range> ranges);
  bool is_ours(const policy_range& range) const;
  std::vector<node_run> present_runs(std::span<const byte_range> wanted) const;
  result<void> prepare(std::span<const byte_range> wanted, std::span<const node_run> had);
  result<void> set_policies(std::vector<node_run> runs);
  result<int> find_mode(const node_run& run);

  const observed_process& process_;
  guardian guard_;
  lasting_id id_;
  std::optional<int> mode_;  ///< the kernel's policy mode, once it is known
  range_set watched_;        ///< may be prepared
  range_set prepared_;
  std::uint64_t policies_set_ = 0;
  range_set touched_;  ///< may have had a policy of ours; as in the journal
};

}  // namespace numatch::live
