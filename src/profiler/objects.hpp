// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "profiler/object_table.hpp"
#include "profiler/observer.hpp"

namespace numatch {

/// Which data the accesses go to: fills profile::objects, those with accesses only, the most shared
/// first. A page counts as shared when at least two threads used it, through whatever object.
/// Memory: one counter per (thread, page, object) that occurs.
class object_observer : public observer {
 public:
  explicit object_observer(std::uint64_t page_bytes);

  void on_event(thread_id thread, const trace::event& happened) override;
  void on_accesses(thread_id thread, std::uint64_t time,
                   std::span<const trace::access> accesses) override;
  result<void> finish(profile& learned) override;

  /// The object at an address now, for index_of() after finish().
  object_table::object_id object_at(std::uint64_t address) { return table_.at(address).object; }
  /// Its place in profile::objects; -1 for one that is not listed.
  std::int64_t index_of(object_table::object_id object) const;

 private:
  struct page_of_object {
    std::uint64_t page;
    object_table::object_id object;
    friend bool operator==(const page_of_object&, const page_of_object&) = default;
  };
  struct page_of_object_hash {
    std::size_t operator()(const page_of_object& key) const noexcept;
  };
  /// Where a thread's last access to this slot's page went. True as long as `changes` is the number
  /// of changes to the slot; first == end when nothing is known.
  struct recent {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::uint64_t* accesses = nullptr;
    std::uint64_t changes = 0;
  };
  static constexpr std::size_t recent_slots = 256;
  struct thread_counts {
    std::array<recent, recent_slots> recents;
    std::unordered_map<page_of_object, std::uint64_t, page_of_object_hash> accesses;
  };

  thread_counts& counts_of(thread_id thread);
  void forget(const address_range& changed);
  void look_up(thread_counts& counts, std::uint64_t address, std::size_t slot);
  std::unordered_map<std::uint64_t, bool> shared_pages() const;

  std::uint64_t page_bytes_;
  object_table table_;
  std::vector<std::unique_ptr<thread_counts>> threads_;
  /// How often objects have come or gone at each slot's pages: one number for all threads, so that
  /// a change costs the same however many threads there are.
  std::array<std::uint64_t, recent_slots> changes_{};
  std::vector<std::int64_t> index_of_object_;
};

}  // namespace numatch
