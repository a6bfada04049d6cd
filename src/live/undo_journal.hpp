// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "live/cpu_mask.hpp"
#include "live/observed_process.hpp"

namespace numatch::live {

/// A task or a process for good: its number may be reused, its start is its own.
struct lasting_id {
  pid_t number = 0;
  std::uint64_t start_time = 0;
};

/// What was changed in other processes and the kernel does not undo by itself, in memory that is
/// shared with processes forked afterwards. A change is written down before it is made; whoever
/// takes it back strikes it out afterwards, so that after the writer's death what is left is what
/// is to be taken back. One writer; readers only after its end.
class undo_journal {
 public:
  static result<undo_journal> make();
  undo_journal(undo_journal&& other) noexcept;
  undo_journal& operator=(undo_journal&& other) noexcept;
  ~undo_journal();

  /// Memory policies in [first, end) of the process will change.
  result<void> policies_change(lasting_id process, std::uint64_t first, std::uint64_t end);
  void policies_restored(lasting_id process);
  /// The task of `process` will be moved from `before`. Only the first one counts.
  result<void> affinity_changes(pid_t process, lasting_id task, const cpu_mask& before);
  void affinity_restored(lasting_id task);
  /// Tasks of the process that may run on `before` are bound to `given`, which threads and
  /// processes that they create inherit.
  result<void> processors_given(lasting_id process, const cpu_mask& before, const cpu_mask& given);
  void processors_taken_back(lasting_id process);

  struct changed_policies {
    lasting_id process;
    std::uint64_t first = 0;
    std::uint64_t end = 0;
  };
  struct changed_affinity {
    pid_t process = 0;
    lasting_id task;
    std::vector<unsigned> cpus;
  };
  struct given_processors {
    lasting_id process;
    std::vector<unsigned> before;
    std::vector<unsigned> given;
  };
  std::vector<changed_policies> open_policies() const;
  std::vector<changed_affinity> open_affinities() const;
  std::vector<given_processors> open_given() const;

 private:
  static constexpr std::size_t most_cpus = 4096;
  static constexpr std::size_t most_policies = 1 << 16;
  static constexpr std::size_t most_affinities = 1 << 16;
  static constexpr std::size_t most_given = 1 << 12;
  static constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;

  using cpu_words = std::array<unsigned long, most_cpus / word_bits>;

  struct policy_entry {
    std::atomic<bool> open{false};
    changed_policies what;
  };
  struct affinity_entry {
    std::atomic<bool> open{false};
    pid_t process = 0;
    lasting_id task;
    cpu_words cpus{};
  };
  struct given_entry {
    std::atomic<bool> open{false};
    lasting_id process;
    cpu_words before{};
    cpu_words given{};
  };
  struct pages {
    std::atomic<std::size_t> policy_count{0};
    std::atomic<std::size_t> affinity_count{0};
    std::atomic<std::size_t> given_count{0};
    std::array<policy_entry, most_policies> policies;
    std::array<affinity_entry, most_affinities> affinities;
    std::array<given_entry, most_given> given;
  };
  static bool write(const cpu_mask& mask, cpu_words& words);
  static std::vector<unsigned> read(const cpu_words& words);
  explicit undo_journal(pages* shared) : shared_(shared) {}

  pages* shared_;
};

}  // namespace numatch::live
