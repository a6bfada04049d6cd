// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "control/managed_program.hpp"
#include "live/observed_process.hpp"
#include "live/sensor.hpp"

namespace numatch::control {

/// Several processes that are placed as one program, because they share memory. A page of memory
/// that is mapped shared is known by its object and the offset in it, so what two processes do to
/// it is done to one page, at whatever addresses they have it. All other pages are known by process
/// and address. Pages of a joined program have numbers of their own; joined_page() makes them.
/// Not thread safe.
class joined_program : public managed_program {
 public:
  struct member {
    managed_program* program = nullptr;
    std::function<result<std::vector<live::mapped_range>>()> mappings;  ///< as they are now
  };
  static constexpr std::size_t most_members = 63;

  /// The members must outlive it; one at least, most_members at most, on one machine.
  explicit joined_program(std::vector<member> members);

  page_number joined_page(std::size_t of, page_number own) const;
  /// A thread of that member exists.
  void belongs(pid_t task, std::size_t to) { member_of_[task] = to; }
  void ended(pid_t task) { member_of_.erase(task); }

  const topology& machine() const override { return members_.front().program->machine(); }
  std::vector<managed_thread> threads() override;
  std::optional<managed_thread> thread(pid_t task) override;
  void welcome(pid_t task) override;
  result<std::vector<std::optional<node_id>>> nodes_of(std::span<const page_number> pages) override;
  /// Those that all members may use.
  std::vector<node_id> page_targets() override;
  result<void> look_at_memory() override;
  bool is_huge(page_number page) const override;
  bool may_move(page_number page) const override;
  std::uint64_t huge_bytes() const override { return members_.front().program->huge_bytes(); }
  live::binding bind(pid_t task, node_id node) override;
  void release(pid_t task) override;
  void move_pages(std::span<const planned_page> pages) override;
  bool pages_wait() const override;
  std::vector<planned_page> take_moved_pages() override;

 private:
  /// A page as a member knows it.
  struct own_page {
    std::size_t member = 0;
    page_number page;
  };
  struct shared_range {
    std::uint64_t first = 0;  ///< page, of the member
    std::uint64_t pages = 0;
    std::uint64_t joined = 0;  ///< the first one's number here
  };
  struct found_page {
    own_page where;
    node_id node;
  };
  using object_id = std::pair<std::uint64_t, std::uint64_t>;  ///< device, inode

  std::vector<own_page> places_of(page_number page) const;
  result<std::vector<std::optional<found_page>>> find(std::span<const page_number> pages);
  managed_program* program_of(pid_t task);

  std::vector<member> members_;
  std::vector<std::vector<shared_range>> shared_;  ///< by member, ascending
  std::map<object_id, std::uint64_t> objects_;
  std::map<pid_t, std::size_t> member_of_;
};

/// Hands on what the sensor of one member sees, with the pages' joined numbers.
class member_sink : public live::use_sink {
 public:
  member_sink(joined_program& program, std::size_t member, live::use_sink& client)
      : program_(program), member_(member), client_(client) {}
  void on_use(const live::sensed_use& use) override;
  void on_task_start(pid_t task, std::uint64_t time) override;
  void on_task_end(pid_t task, std::uint64_t time) override;
  void on_lost(std::uint64_t uses) override { client_.on_lost(uses); }

 private:
  joined_program& program_;
  std::size_t member_;
  live::use_sink& client_;
};

}  // namespace numatch::control
