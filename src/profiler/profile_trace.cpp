// SPDX-License-Identifier: Apache-2.0
#include "profiler/profile_trace.hpp"

namespace numatch {

namespace {
constexpr std::uint64_t steps_between_progress = 4096;
}

result<profile> profile_trace(const trace::reader& trace, const mechanism_entry& wanted,
                              const profile_options& options, const profile_progress& progress) {
  result<profile_builder> builder = profile_builder::make(facts_of(trace), wanted, options);
  if (!builder) return tl::unexpected(builder.error());
  result<trace::replay> replayed = trace::replay::open(trace, options.replay);
  if (!replayed) return tl::unexpected(replayed.error());
  for (std::uint64_t steps = 0;; ++steps) {
    const result<trace::step> step = replayed->next();
    if (!step) return tl::unexpected(step.error());
    if (replayed->done()) break;
    builder->take(*step);
    if (progress && steps % steps_between_progress == 0) {
      progress(replayed->position(), trace.accesses());
    }
  }
  return builder->finish();
}

}  // namespace numatch
