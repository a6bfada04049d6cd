// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mechanism/mechanism.hpp"
#include "pattern/profile.hpp"
#include "profiler/observer.hpp"
#include "profiler/thread_table.hpp"
#include "profiler/tlb_geometry.hpp"
#include "trace/reader.hpp"
#include "trace/replay.hpp"

namespace numatch {

struct profile_options {
  std::map<std::string, std::string> parameters{};  ///< of the mechanism
  tlb_request tlb{};                                ///< its page size is the profile's, too
  bool flush_at_thread_end = true;
  trace::replay_options replay{};
  unsigned most_windows = 16;
  bool objects = true;  ///< which data it is, and false sharing
};

/// What a profile takes from the trace besides its steps.
struct trace_facts {
  trace::trace_metadata metadata;
  std::vector<trace::thread_info> threads;
  bool tlb_filtered = false;
  /// The highest thread id plus one: an id of a thread that never ran may be missing in `threads`.
  std::size_t thread_count() const;
};
trace_facts facts_of(const trace::reader& trace);

/// Shows every step of a replay to all observers and puts the profile together. Not thread safe.
class profile_builder {
 public:
  /// An error when the mechanism, its parameters and the trace do not go together.
  static result<profile_builder> make(const trace_facts& facts, const mechanism_entry& wanted,
                                      const profile_options& options);
  void take(const trace::step& step);
  result<profile> finish();

 private:
  explicit profile_builder(const trace_facts& facts, bool whole_trace)
      : threads_(facts.threads, facts.thread_count(), whole_trace) {}
  profile learned_;
  thread_table threads_;
  std::vector<std::unique_ptr<observer>> observers_;
};

}  // namespace numatch
