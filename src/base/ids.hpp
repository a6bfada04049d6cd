// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace numatch {

/// A whole number that cannot be mixed up with one of another kind. `value` is the index that
/// tables are addressed with; ids count from 0.
template <class Tag, class Rep = std::uint32_t>
struct strong_id {
  using rep = Rep;
  Rep value = 0;

  constexpr strong_id() = default;
  constexpr explicit strong_id(Rep v) : value(v) {}
  constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
  friend constexpr auto operator<=>(const strong_id&, const strong_id&) = default;
};

/// A thread of the observed program, numbered in the order of creation; the first one is 0.
using thread_id = strong_id<struct thread_tag>;
/// A processing unit (hardware thread) by hwloc's logical index.
using pu_id = strong_id<struct pu_tag>;
/// A NUMA node by hwloc's logical index.
using node_id = strong_id<struct node_tag>;
/// A virtual address divided by the page size in use.
using page_number = strong_id<struct page_tag, std::uint64_t>;

}  // namespace numatch

template <class Tag, class Rep>
struct std::hash<numatch::strong_id<Tag, Rep>> {
  std::size_t operator()(const numatch::strong_id<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value);
  }
};
