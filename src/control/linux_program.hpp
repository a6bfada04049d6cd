// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "control/managed_program.hpp"
#include "live/guardian.hpp"
#include "live/observed_process.hpp"
#include "live/page_mover.hpp"
#include "live/range_set.hpp"
#include "live/thread_mover.hpp"

namespace numatch::control {

/// A running process on this machine. Threads are bound to the processors of a node, so that the
/// kernel still balances inside it. What the kernel does not undo by itself is put back by the
/// destructor, or by a guardian; pages stay where they are.
class linux_program : public managed_program {
 public:
  /// `machine` is the live one. Both must outlive it. To be made before a sensor is opened: memory
  /// policies that are there now are the program's.
  static result<std::unique_ptr<linux_program>> open(live::observed_process& process,
                                                     const topology& machine,
                                                     const live::page_mover_options& options);

  const topology& machine() const override { return machine_; }
  std::vector<managed_thread> threads() override;
  std::optional<managed_thread> thread(pid_t task) override;
  void welcome(pid_t task) override { threads_.adopt(task); }
  result<std::vector<std::optional<node_id>>> nodes_of(std::span<const page_number> pages) override;
  std::vector<node_id> page_targets() override;
  result<void> look_at_memory() override;
  bool is_huge(page_number page) const override;
  bool may_move(page_number page) const override;
  std::uint64_t huge_bytes() const override { return huge_bytes_; }
  live::binding bind(pid_t task, node_id node) override;
  void release(pid_t task) override { threads_.restore(task); }
  void move_pages(std::span<const planned_page> pages) override;
  bool pages_wait() const override { return !pages_.idle(); }
  std::vector<planned_page> take_moved_pages() override;

  /// One slice of the pages that wait.
  result<void> step() { return pages_.step(); }
  const live::page_mover_totals& page_totals() const { return pages_.totals(); }

 private:
  linux_program(live::observed_process& process, const topology& machine, live::guardian guard,
                const live::page_mover_options& options);
  std::optional<node_id> node_of_system(int number) const;
  void note_policies(bool all);

  live::observed_process& process_;
  const topology& machine_;
  std::map<unsigned, pu_id> pu_of_cpu_;
  std::map<unsigned, node_id> node_of_number_;
  std::vector<std::vector<unsigned>> cpus_of_node_;
  live::guardian guard_;
  live::kernel_page_system system_;
  live::thread_mover threads_;
  live::page_mover pages_;
  std::map<page_number, unsigned> sent_to_;
  live::range_set huge_;
  live::range_set with_policy_;
  std::uint64_t huge_bytes_;
  unsigned looks_ = 0;
};

}  // namespace numatch::control
