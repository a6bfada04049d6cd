// SPDX-License-Identifier: Apache-2.0
#include "profiler/detector_observer.hpp"

#include <algorithm>
#include <array>

namespace numatch {

namespace {

constexpr std::array full_trace_events{event_kind::access, event_kind::tlb_miss,
                                       event_kind::tlb_evict, event_kind::thread_start,
                                       event_kind::thread_end};
constexpr std::array filtered_trace_events{event_kind::tlb_miss, event_kind::tlb_evict,
                                           event_kind::thread_start, event_kind::thread_end};
constexpr std::uint64_t no_page = ~std::uint64_t{0};
/// Counters this wide never saturate between a miss and an eviction of a recorded program.
constexpr std::uint64_t wide_counter = 0xffffffff;

bool needs(const mechanism_entry& entry, event_kind kind) {
  return std::find(entry.needs.begin(), entry.needs.end(), kind) != entry.needs.end();
}

}  // namespace

world_offer offer_of_trace(bool tlb_filtered) {
  if (tlb_filtered) {
    return {"a trace recorded behind a TLB", filtered_trace_events, {}, true};
  }
  return {"a trace", full_trace_events, {}, true};
}

result<std::unique_ptr<detector_observer>> detector_observer::make(
    const mechanism_entry& entry, const std::map<std::string, std::string>& parameters,
    const settings& chosen) {
  result<parameter_set> values = parameter_set::make(entry.parameters, parameters);
  if (!values) return tl::unexpected(values.error());
  if (result<void> detects = check_detects(entry); !detects) {
    return tl::unexpected(detects.error());
  }
  if (result<void> fit = check_fit(entry, offer_of_trace(chosen.tlb_filtered)); !fit) {
    error problem = fit.error();
    if (chosen.tlb_filtered) problem.hint = "record the program without a TLB filter";
    return tl::unexpected(problem);
  }
  result<std::unique_ptr<mechanism>> detector = entry.make(*values);
  if (!detector) return tl::unexpected(detector.error());
  if (chosen.tlb_filtered && (*detector)->sensors().counter_max < wide_counter) {
    return fail("", "a trace recorded behind a TLB does not say when access counters saturated",
                "record the program without a TLB filter");
  }
  return std::unique_ptr<detector_observer>(
      new detector_observer(entry, std::move(*values), std::move(*detector), chosen));
}

detector_observer::detector_observer(const mechanism_entry& entry, parameter_set values,
                                     std::unique_ptr<mechanism> detector, const settings& chosen)
    : entry_(entry),
      values_(std::move(values)),
      detector_(std::move(detector)),
      settings_(chosen),
      world_(chosen.tlb.page_bytes),
      wants_accesses_(needs(entry, event_kind::access)) {
  const bool wants_tlb = needs(entry, event_kind::tlb_miss) || needs(entry, event_kind::tlb_evict);
  if (wants_tlb && !chosen.tlb_filtered) sensor_.emplace(chosen.tlb, *detector_);
  detector_->on_begin(world_);
}

void detector_observer::on_event(thread_id thread, const trace::event& happened) {
  if (happened.kind == trace::event_kind::thread_start) {
    detector_->on_thread_start(thread, world_);
  } else if (happened.kind == trace::event_kind::thread_end) {
    if (sensor_ && settings_.flush_at_thread_end) sensor_->flush(thread, world_);
    detector_->on_thread_end(thread, world_);
  }
}

void detector_observer::on_accesses(thread_id thread, std::uint64_t time,
                                    std::span<const trace::access> accesses) {
  world_.set_time(time);
  if (wants_accesses_) forward(thread, accesses);
  if (sensor_) sensor_->accesses(thread, accesses, world_);
}

void detector_observer::forward(thread_id thread, std::span<const trace::access> accesses) {
  batch_.resize(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    batch_[i] = {accesses[i].address, accesses[i].bytes, accesses[i].write};
  }
  detector_->on_accesses(thread, batch_, world_);
}

void detector_observer::on_tlb_records(thread_id thread, std::uint64_t time,
                                       std::span<const trace::tlb_record> records) {
  world_.set_time(time);
  for (const trace::tlb_record& r : records) {
    if (r.missed_page == no_page && !settings_.flush_at_thread_end) continue;
    if (r.evicted_page != no_page) {
      detector_->on_tlb_evict({thread, page_number(r.evicted_page), r.evicted_accesses, false, {}},
                              world_);
    }
    if (r.missed_page != no_page) {
      ++recorded_misses_;
      detector_->on_tlb_miss({thread, page_number(r.missed_page), {}}, world_);
    }
  }
}

result<void> detector_observer::finish(profile& learned) {
  // Threads whose end was not recorded still hold entries.
  if (sensor_ && settings_.flush_at_thread_end) sensor_->flush_all(world_);
  learned.mechanism = entry_.name;
  learned.matrix_unit = entry_.matrix_unit;
  learned.parameters = values_.values();
  learned.sharing = detector_->sharing();
  learned.sharing.grow(learned.threads.size());
  // Whatever TLB was used is not the one of the machine that ran the program.
  learned.how = wants_accesses_ ? evidence::measured : evidence::simulated;
  if (sensor_ || settings_.tlb_filtered) {
    learned.metadata["tlb"] = settings_.tlb.text();
    learned.metadata["tlb_misses"] = std::to_string(sensor_ ? sensor_->misses() : recorded_misses_);
  }
  sensor_.reset();
  detector_.reset();  // the page tables of a big program are worth giving back early
  return {};
}

}  // namespace numatch
