// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "mechanism/event.hpp"
#include "sim/machine_config.hpp"

namespace numatch::sim {

/// Where new threads start.
class thread_starts {
 public:
  thread_starts(const machine_config& config, thread_placing how, std::uint64_t seed);
  void place_by(thread_placing how);

  /// The PU of the next thread. `load`: live threads of every PU. `allowed`: empty for all.
  std::uint32_t next(std::span<const std::uint32_t> load, std::span<const std::uint32_t> allowed);

 private:
  std::uint32_t idlest(std::span<const std::uint32_t> load, std::span<const std::uint32_t> allowed);
  std::uint64_t draw();

  const machine_config& config_;
  thread_placing how_;
  std::uint64_t random_;
  std::vector<std::uint32_t> order_;  ///< PUs in the order in which threads get them
  std::size_t given_ = 0;
};

/// Where pages start: the program's own policies before the machine's.
class page_starts {
 public:
  page_starts(const machine_config& config, page_placing how, std::uint64_t seed)
      : nodes_(config.nodes), how_(how), seed_(seed) {}
  void place_by(page_placing how) { how_ = how; }

  /// Linux' numbers of memory policies, as traces hold them.
  struct policy {
    std::uint64_t mode = 0;
    std::uint64_t nodes = 0;  ///< a bit each
  };
  void bind(std::uint64_t first_page, std::uint64_t pages, const policy& wanted);
  /// These pages are unmapped: a policy goes with its mapping.
  void forget(std::uint64_t first_page, std::uint64_t pages);
  /// Where a mapping has grown, shrunk or moved its policy goes along; what was said before about
  /// the pages it has now is forgotten. `from` of no pages: its first page's policy is copied.
  struct stretch {
    std::uint64_t first = 0;
    std::uint64_t pages = 0;
  };
  void carry(const stretch& from, const stretch& to);
  void set_policy(std::uint32_t thread, const policy& wanted);

  unsigned node_for(std::uint64_t page, std::uint32_t thread, unsigned own_node) const;
  /// What the policy of a page's range asks for; nullopt where the program said nothing.
  std::optional<unsigned> bound_node(std::uint64_t page, unsigned own_node) const;

 private:
  struct range {
    std::uint64_t end = 0;
    policy wanted;
  };
  std::optional<policy> policy_of(std::uint64_t page) const;
  std::optional<unsigned> node_by(const policy& wanted, std::uint64_t page,
                                  unsigned own_node) const;

  unsigned nodes_;
  page_placing how_;
  std::uint64_t seed_;
  std::map<std::uint64_t, range> ranges_;  ///< by first page; none overlaps another
  std::vector<policy> of_thread_;
};

}  // namespace numatch::sim
