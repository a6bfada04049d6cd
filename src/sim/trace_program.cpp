// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/program.hpp"

namespace numatch::sim {

namespace {

/// Merges a thread's accesses with its events: an event comes after `position` accesses.
class traced_thread : public program_thread {
 public:
  traced_thread(const trace::reader& trace, thread_id thread)
      : counts_instructions_(trace.metadata().counts_instructions),
        accesses_(trace.accesses_of(thread)),
        events_(trace.events_of(thread)) {}

  result<piece> next() override {
    if (result<void> read = fetch(); !read) return tl::unexpected(read.error());
    if (event_ != nullptr && (event_->position <= position_ || block_.accesses.empty())) {
      const trace::event* passed = event_;
      event_ = nullptr;
      return piece{{}, 0, passed};
    }
    std::uint64_t count = block_.accesses.size() - used_;
    if (event_ != nullptr) count = std::min(count, event_->position - position_);
    const std::uint64_t before = instructions_at(used_);
    const piece taken{block_.accesses.subspan(used_, count),
                      instructions_at(used_ + count) - before, nullptr};
    used_ += count;
    position_ += count;
    return taken;
  }

 private:
  result<void> fetch() {
    if (event_ == nullptr && !events_ended_) {
      const result<const trace::event*> next = events_.next();
      if (!next) return tl::unexpected(next.error());
      event_ = *next;
      events_ended_ = event_ == nullptr;
    }
    if (used_ == block_.accesses.size() && !accesses_ended_) {
      const result<trace::block> next = accesses_.next();
      if (!next) return tl::unexpected(next.error());
      block_ = *next;
      used_ = 0;
      accesses_ended_ = block_.accesses.empty();
    }
    return {};
  }

  /// Instructions of the block before its access number `used`; spread evenly, at least one each.
  std::uint64_t instructions_at(std::uint64_t used) const {
    const std::uint64_t count = block_.accesses.size();
    if (count == 0) return 0;
    const std::uint64_t all =
        counts_instructions_ ? std::max<std::uint64_t>(block_.instructions, count) : count;
    return all / count * used + all % count * used / count;
  }

  bool counts_instructions_;
  trace::access_cursor accesses_;
  trace::event_cursor events_;
  const trace::event* event_ = nullptr;
  bool events_ended_ = false;
  bool accesses_ended_ = false;
  trace::block block_;
  std::uint64_t used_ = 0;
  std::uint64_t position_ = 0;
};

class recorded_program : public program {
 public:
  explicit recorded_program(const trace::reader& trace) : trace_(trace) {}

  result<void> read_events() {
    for (const trace::thread_info& thread : trace_.threads()) {
      trace::event_cursor events = trace_.events_of(thread.id);
      for (;;) {
        const result<const trace::event*> next = events.next();
        if (!next) return tl::unexpected(next.error());
        if (*next == nullptr) break;
        if ((*next)->kind == trace::event_kind::release) {
          releases_.push_back({(*next)->args[0], (*next)->stamp});
        }
        if ((*next)->kind == trace::event_kind::roi_begin) has_region_of_interest_ = true;
      }
    }
    return {};
  }

  std::size_t threads() const override { return trace_.threads().size(); }
  std::uint64_t accesses() const override { return trace_.accesses(); }
  result<std::unique_ptr<program_thread>> start(thread_id thread) const override {
    return std::make_unique<traced_thread>(trace_, trace_.threads()[thread.index()].id);
  }
  bool has_region_of_interest() const override { return has_region_of_interest_; }
  std::optional<thread_id> thread_of(std::uint64_t os_tid) const override {
    for (std::uint32_t number = 0; number < trace_.threads().size(); ++number) {
      if (trace_.threads()[number].os_tid == os_tid) return thread_id(number);
    }
    return std::nullopt;
  }
  result<std::vector<release>> releases() const override { return releases_; }

 private:
  const trace::reader& trace_;
  std::vector<release> releases_;
  bool has_region_of_interest_ = false;
};

}  // namespace

result<std::unique_ptr<program>> trace_program(const trace::reader& trace) {
  if (trace.tlb_filtered()) {
    return fail(trace.path().string(), "was recorded behind a TLB: its accesses are lost",
                "record the program without a TLB filter");
  }
  std::unique_ptr<recorded_program> recorded = std::make_unique<recorded_program>(trace);
  if (result<void> read = recorded->read_events(); !read) return tl::unexpected(read.error());
  return std::unique_ptr<program>(std::move(recorded));
}

}  // namespace numatch::sim
