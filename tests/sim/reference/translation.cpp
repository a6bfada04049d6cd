// SPDX-License-Identifier: Apache-2.0
#include "sim/reference/translation.hpp"

#include "sim/frame_order.hpp"

namespace numatch::sim::ref {

tlbs::tlbs(const machine_config& machine) : machine_(machine) {
  for (const tlb_config& level : machine.tlbs) {
    levels_.emplace_back(level.shared.count, tlb(level.entries / level.ways, level.ways));
  }
}

tlbs::answer tlbs::look_up(unsigned pu, std::uint64_t page) {
  tlb& first = of(0, pu);
  if (first.has(page)) {
    first.use(page);
    return {};
  }
  answer given;
  given.missed_first = true;
  if (levels_.size() == 1) {
    given.walks = true;
  } else {
    tlb& second = of(1, pu);
    if (second.has(page)) {
      second.use(page);
      given.stall = machine_.tlbs[1].latency;
    } else {
      second.enter(page, {});
      given.walks = true;
    }
  }
  if (given.walks) given.stall = machine_.os.page_walk;
  first.enter(page, {});
  return given;
}

std::optional<page_table::place> page_table::find(std::uint64_t page) const {
  const auto found = places_.find(page);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

page_table::place page_table::map(std::uint64_t page, unsigned touching_node) {
  const unsigned node =
      how_ == placing::first_touch ? touching_node : static_cast<unsigned>(page % frames_.size());
  const std::uint64_t number = frames_[node]++;
  const place given{node,
                    drawn_ ? drawn_frame(static_cast<std::uint32_t>(number), 1 + node) : number};
  places_[page] = given;
  return given;
}

}  // namespace numatch::sim::ref
