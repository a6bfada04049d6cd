// SPDX-License-Identifier: Apache-2.0
#include "mechanism/static_oracle.hpp"

#include <algorithm>
#include <utility>

#include "mechanism/thread_remapper.hpp"

namespace numatch {

result<std::unique_ptr<mechanism>> static_oracle::make(const std::filesystem::path& profile_file,
                                                       const std::string& algorithm,
                                                       const options& chosen) {
  const result<const mapping_algorithm*> found = find_algorithm(algorithm);
  if (!found) return tl::unexpected(found.error());
  result<profile> learned = load_profile(profile_file);
  if (!learned) return tl::unexpected(learned.error());
  return std::unique_ptr<mechanism>(new static_oracle(*std::move(learned), **found, chosen));
}

void static_oracle::on_begin(world& where) {
  if (where.machine() == nullptr) return;
  const topology& machine = *where.machine();
  const distance_table distances = distances_for(*algorithm_, where);
  const result<mapping_answer> answer = map_threads(
      *algorithm_, {.sharing = learned_.sharing, .machine = machine, .distances = distances});
  if (!answer) return;  // a mapper that fails leaves everything where it is
  mapping_ = answer->mapping;
  use_bytes_ = std::max(where.page_bytes(), learned_.page_bytes);
  for (const page_use& use : learned_.pages) {
    for (std::uint64_t p = 0; p < use.pages; ++p) {
      const std::uint64_t address = (use.first_page.value + p) * learned_.page_bytes;
      uses_.add(page_number(address / use_bytes_), use.thread, use.reads + use.writes);
    }
  }
}

void static_oracle::on_thread_start(thread_id thread, world& where) {
  if (where.machine() == nullptr || !options_.moves.threads || thread.index() < threads_) return;
  threads_ = thread.index() + 1;
  const std::size_t known = std::min(threads_, mapping_.pu_of.size());
  if (known > 0) where.move_threads(std::span(mapping_.pu_of).first(known));
}

void static_oracle::on_accesses(thread_id, std::span<const access_event> accesses, world& where) {
  if (use_bytes_ == 0 || !options_.moves.pages) return;
  std::optional<page_number> last;
  for (const access_event& a : accesses) {
    const page_number page = page_of(a.address, where);
    if (page == last) continue;
    last = page;
    bool& placed = placed_[page.value];
    if (placed) continue;
    const std::optional<node_id> present = where.node_of(page);
    if (!present) continue;
    placed = true;
    const page_number used(page.value * where.page_bytes() / use_bytes_);
    std::vector<double> by_node(where.machine()->node_count());
    const std::optional<node_id> better = oracle::better_node(
        uses_.of(used), nodes_of_threads(where), *present, options_.page_gain, by_node);
    if (better) where.move_page(page, *better);
  }
}

/// Where the profile's threads run: where they are sent, or where the world has put them.
std::vector<std::optional<node_id>> static_oracle::nodes_of_threads(const world& where) const {
  std::vector<std::optional<node_id>> nodes;
  for (std::uint32_t t = 0; t < mapping_.pu_of.size(); ++t) {
    const std::optional<pu_id> sent =
        options_.moves.threads ? std::optional(mapping_.pu_of[t]) : std::nullopt;
    nodes.push_back(node_of_event(sent, thread_id(t), where));
  }
  return nodes;
}

}  // namespace numatch
