// SPDX-License-Identifier: Apache-2.0
#include "sim/simulated_world.hpp"

#include <algorithm>
#include <cmath>

#include "sim/pu_distances.hpp"

namespace numatch::sim {

namespace {

constexpr unsigned table_bits = 43;
constexpr std::uint64_t table_mask = (std::uint64_t{1} << table_bits) - 1;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48) - 1;

}  // namespace

simulated_world::simulated_world(const setting& chosen, page_table& pages,
                                 std::vector<sim_thread>& threads, thread_starts& new_threads,
                                 page_starts& new_pages)
    : chosen_(chosen),
      pages_(pages),
      threads_(threads),
      new_threads_(new_threads),
      new_pages_(new_pages) {
  if (chosen.machine != nullptr) distances_ = pu_distances(*chosen.machine, *chosen.config);
}

void simulated_world::at(std::uint64_t cycle, lane& touched, unsigned shards) {
  cycle_ = cycle;
  touched_ = &touched;
  shards_ = shards;
  touches_ = 0;
}

std::uint64_t simulated_world::cycles_of(instant when) const {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(when.nanoseconds) /
                                              chosen_.time_scale * chosen_.config->core.hertz /
                                              1e9));
}

instant simulated_world::now() const {
  const double nanoseconds = static_cast<double>(cycle_) / chosen_.config->core.hertz * 1e9;
  return std::max(
      earliest_, instant{static_cast<std::uint64_t>(std::floor(nanoseconds * chosen_.time_scale))});
}

std::optional<pu_id> simulated_world::pu_of(thread_id thread) const {
  if (thread.index() >= threads_.size()) return std::nullopt;
  const sim_thread& asked = threads_[thread.index()];
  const std::uint32_t pu_number = asked.pu;
  if (pu_number == sim_thread::no_pu || asked.now == sim_thread::state::ended) return std::nullopt;
  return pu_id(pu_number);
}

std::optional<node_id> simulated_world::node_of(page_number page) const {
  const page_entry* const entry = pages_.find(page.value);
  if (entry == nullptr) return std::nullopt;
  return node_id(entry->node);
}

std::optional<thread_progress> simulated_world::progress_of(thread_id thread) const {
  if (thread.index() >= threads_.size()) return std::nullopt;
  const sim_thread& t = threads_[thread.index()];
  return thread_progress{t.instructions, t.running};
}

ticket simulated_world::move_threads(std::span<const pu_id> pu_of_thread) {
  requests.push_back({next_ticket(),
                      action_kind::move_threads,
                      0,
                      0,
                      {pu_of_thread.begin(), pu_of_thread.end()},
                      pu});
  return requests.back().number;
}

ticket simulated_world::move_page(page_number page, node_id node) {
  requests.push_back({next_ticket(), action_kind::move_pages, page.value, node.value, {}, pu});
  return requests.back().number;
}

ticket simulated_world::replicate_page(page_number page) {
  requests.push_back({next_ticket(), action_kind::replicate_pages, page.value, 0, {}, pu});
  return requests.back().number;
}

ticket simulated_world::induce_faults(const fault_plan& plan) {
  asked_faults wanted;
  // Plans for single pages add up until they are carried out.
  if (faults && faults->what == plan.what && plan.what == fault_plan::kind::pages) {
    wanted = std::move(*faults);
  }
  wanted.what = plan.what;
  wanted.share = plan.share;
  for (const page_number page : plan.pages) wanted.pages.push_back(page.value);
  wanted.number = next_ticket();
  faults = std::move(wanted);
  return faults->number;
}

void simulated_world::touch(const table_touch& access) {
  const std::uint64_t begin =
      tables_begin + ((std::uint64_t{access.table} << table_bits | (access.offset & table_mask)) &
                      (tables_begin - 1));
  const std::uint64_t line_bytes = chosen_.config->line_bytes;
  const std::uint64_t last = begin + (access.bytes == 0 ? 0 : access.bytes - 1);
  for (std::uint64_t line = begin / line_bytes; line <= last / line_bytes; ++line) {
    const std::uint64_t address = (line * line_bytes) & address_mask;
    const std::uint64_t page = address / chosen_.config->page_bytes;
    // The tables are the kernel's: their pages are spread over the nodes.
    if (pages_.find(page) == nullptr) {
      pages_.map(page, static_cast<unsigned>(page % chosen_.config->nodes));
    }
    reference made;
    made.offset =
        static_cast<std::uint32_t>(cycle_ > touched_->start ? cycle_ - touched_->start : 0);
    made.address = address;
    made.write = access.write;
    const std::uint64_t shard = line & (shards_ - 1);
    made.shard = static_cast<std::uint8_t>(shard);
    touched_->by_shard[shard].push_back(
        {line, made.offset, static_cast<std::uint32_t>(touched_->references.size()),
         static_cast<std::uint16_t>(touched_->thread), access.write});
    touched_->references.push_back(made);
    ++touches_;
    ++table_accesses;
  }
}

void simulated_world::spend(software_work kind, std::uint64_t amount) {
  const os_config& costs = chosen_.config->os;
  switch (kind) {
    case software_work::map_threads:
      spent += amount * costs.map_threads;
      break;
    case software_work::scan_pages:
      spent += amount * costs.scan_page;
      break;
    case software_work::take_samples:
      spent += amount * costs.take_sample;
      break;
  }
}

}  // namespace numatch::sim
