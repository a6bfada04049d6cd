// SPDX-License-Identifier: Apache-2.0
#include "profiler/profile_builder.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/detector_observer.hpp"
#include "profiler/lines.hpp"
#include "profiler/objects.hpp"
#include "profiler/page_usage.hpp"

namespace numatch {

namespace {

profile described(const trace_facts& facts, const profile_options& options) {
  profile p;
  p.command = fmt::format("{}", fmt::join(facts.metadata.command, " "));
  p.frontend = facts.metadata.frontend;
  p.time_unit = facts.metadata.counts_instructions ? "instructions" : "accesses";
  for (const auto& [key, value] : facts.metadata.extra) p.metadata["trace_" + key] = value;
  p.metadata["trace_filter"] = facts.metadata.filter;
  p.metadata["quantum"] = std::to_string(options.replay.quantum);
  p.metadata["region_of_interest"] = options.replay.region_of_interest ? "yes" : "no";
  return p;
}

}  // namespace

trace_facts facts_of(const trace::reader& trace) {
  return {trace.metadata(), {trace.threads().begin(), trace.threads().end()}, trace.tlb_filtered()};
}

std::size_t trace_facts::thread_count() const {
  std::size_t count = 0;
  for (const trace::thread_info& t : threads) count = std::max(count, t.id.index() + 1);
  return count;
}

result<profile_builder> profile_builder::make(const trace_facts& facts,
                                              const mechanism_entry& wanted,
                                              const profile_options& options) {
  const std::size_t threads = facts.thread_count();
  if (threads > max_profile_threads) {
    return fail("", fmt::format("the trace has {} threads, a profile at most {}", threads,
                                max_profile_threads));
  }
  if (result<void> fit = check_threads(wanted, threads); !fit) {
    return tl::unexpected(fit.error());
  }
  const result<tlb_geometry> tlb = choose_tlb(options.tlb, facts.metadata.filter);
  if (!tlb) return tl::unexpected(tlb.error());
  result<std::unique_ptr<detector_observer>> detector = detector_observer::make(
      wanted, options.parameters, {*tlb, options.flush_at_thread_end, facts.tlb_filtered});
  if (!detector) return tl::unexpected(detector.error());

  profile_builder builder(facts, !options.replay.region_of_interest);
  builder.learned_ = described(facts, options);
  // Every observer that a profile is made of, in the order in which they write to it.
  builder.observers_.push_back(std::move(*detector));
  builder.observers_.push_back(std::make_unique<page_usage_observer>(page_usage_observer::settings{
      .page_bytes = tlb->page_bytes, .most_windows = options.most_windows}));
  if (options.objects && !facts.tlb_filtered) {
    std::unique_ptr<object_observer> objects = std::make_unique<object_observer>(tlb->page_bytes);
    std::unique_ptr<line_observer> lines = std::make_unique<line_observer>(*objects);
    builder.observers_.push_back(std::move(objects));
    builder.observers_.push_back(std::move(lines));
  }
  return builder;
}

void profile_builder::take(const trace::step& step) {
  threads_.take(step);
  for (const std::unique_ptr<observer>& o : observers_) {
    if (step.happened != nullptr) o->on_event(step.thread, *step.happened);
    if (!step.accesses.empty()) o->on_accesses(step.thread, step.time, step.accesses);
    if (!step.tlb_records.empty()) o->on_tlb_records(step.thread, step.time, step.tlb_records);
  }
}

result<profile> profile_builder::finish() {
  threads_.finish(learned_);
  for (std::unique_ptr<observer>& o : observers_) {
    if (result<void> r = o->finish(learned_); !r) return tl::unexpected(r.error());
  }
  observers_.clear();
  return std::move(learned_);
}

}  // namespace numatch
