// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_table.hpp"
#include "base/ids.hpp"
#include "mechanism/event.hpp"

// SPCD's hash table of page faults (slides "SPCD: Implementation").

namespace numatch::spcd {

struct table_rule {
  std::uint64_t entries = std::uint64_t{1} << 22;  ///< a power of two, 2 or more
  std::size_t list_length = 2;                     ///< threads that an entry remembers
  bool overwrite = true;     ///< a block takes the entry of another block that has its hash
  std::uint64_t window = 0;  ///< nanoseconds in which threads meet; 0: for ever
};

/// A hash table of fixed size from blocks of the address space to the last threads that faulted
/// there. An entry belongs to one block. Only entries in use take memory here.
class fault_table {
 public:
  explicit fault_table(const table_rule& rule) : rule_(rule) {}

  /// Where a block's entry lies, 0..entries − 1.
  std::uint64_t entry_of(std::uint64_t block) const;

  /// A fault of a thread in a block: the other threads that the block's entry remembers, most
  /// recent first, those that were there longer ago than the window left out. The thread is then
  /// the most recent one; the oldest drops out of a full list. Valid until the next call.
  std::span<const thread_id> note(std::uint64_t block, thread_id thread, instant now);

 private:
  struct visit {
    thread_id thread;
    instant when;
  };
  struct entry {
    std::uint64_t block = 0;
    std::vector<visit> visits;  ///< most recent first
  };

  table_rule rule_;
  flat_table<std::uint32_t> used_;  ///< number of the entry to 1 + its place in entries_
  std::vector<entry> entries_;
  std::vector<thread_id> met_;
};

}  // namespace numatch::spcd
