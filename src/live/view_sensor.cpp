// SPDX-License-Identifier: Apache-2.0
#include "live/view_sensor.hpp"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "live/proc_text.hpp"
#include "live/system_tree.hpp"
#include "live/task_events.hpp"

namespace numatch::live {

namespace {

constexpr unsigned zap_percent = 10;  ///< of arm()
constexpr std::uint32_t ring_records = 1U << 18U;

/// 0 when the process has no memory.
std::uint64_t resident_bytes(pid_t process) {
  const std::string status = read_proc(fmt::format("/proc/{}/status", process)).value_or("");
  const std::string_view kilobytes = status_field(status, "VmRSS").value_or("");
  return leading_number<std::uint64_t>(kilobytes).value_or(0) * 1024;
}

std::uint64_t memory_of_machine() {
  struct sysinfo machine{};
  ::sysinfo(&machine);
  return static_cast<std::uint64_t>(machine.totalram) * machine.mem_unit;
}

sensed_use use_of(const numatch_use& seen) {
  // An entry that was opened for reading may be open for writing: only a write is certain.
  const bool wrote = (seen.flags & NUMATCH_USE_WRITE) != 0;
  return {seen.thread, seen.address, wrote ? std::optional(true) : std::nullopt, 1, seen.time};
}

}  // namespace

result<std::unique_ptr<view_sensor>> view_sensor::open(observed_process& process, closing decided,
                                                       std::uint64_t seed) {
  // First what may say no; it is gone again at once.
  result<module_session> tried = module_session::open();
  if (!tried) return tl::unexpected(tried.error());
  numatch_start least{};
  least.pid = process.pid();
  least.mode = NUMATCH_SINGLE;
  least.threads = least.table_pages = 1;
  least.ring_records = least.pairs = 2;
  if (result<void> allowed = tried->start(least); !allowed) {
    return tl::unexpected(allowed.error());
  }
  result<fault_stream> tasks =
      fault_stream::open(process, fault_stream::reach::best, task_events());
  if (!tasks) return tl::unexpected(tasks.error());
  return std::unique_ptr<view_sensor>(new view_sensor(process, std::move(*tasks), decided, seed));
}

result<void> view_sensor::induce(const fault_plan& plan) {
  unsigned mode = 0;
  unsigned share = 0;
  switch (plan.what) {
    case fault_plan::kind::none:
      mode_ = 0;
      return session_ ? session_->trace(false, false) : result<void>{};
    case fault_plan::kind::thread_views:
      mode = NUMATCH_MULTI;
      break;
    case fault_plan::kind::all_pages:
      mode = NUMATCH_SINGLE;
      break;
    case fault_plan::kind::share:
      mode = NUMATCH_SINGLE;
      share = static_cast<unsigned>(std::lround(100 * plan.share));
      break;
    case fault_plan::kind::pages:
      return fail("sensor module", "closes no chosen pages");
  }
  const bool is_same = session_ && asked_.mode == mode && asked_.zap_share == share;
  mode_ = mode;
  zap_share_ = share;
  return is_same ? session_->trace(true, false) : start();
}

numatch_start view_sensor::wanted(const numatch_info& limits) const {
  numatch_start start{};
  start.pid = process_.pid();
  start.mode = mode_;
  start.views = limits.max_views;
  start.threads = limits.max_threads;
  view_needs needs{.resident_bytes = resident_bytes(process_.pid()),
                   .memory_bytes = memory_of_machine(),
                   .most_pages = limits.max_table_pages};
  if (mode_ == NUMATCH_MULTI) {
    const std::uint64_t tasks = process_.tasks().value_or(std::vector<pid_t>{}).size();
    const std::uint64_t processors = static_cast<std::uint64_t>(::sysconf(_SC_NPROCESSORS_ONLN));
    needs.views = std::min<std::uint64_t>(std::max(tasks, processors), start.views);
  }
  start.table_pages = table_pages_for(needs);
  start.ring_records = std::min(ring_records, limits.max_ring_records);
  start.pairs = 2;  // nobody asks for them
  start.zap_share = zap_share_;
  start.seed = seed_;
  return start;
}

result<void> view_sensor::start() {
  session_.reset();  // a process has one at a time
  result<module_session> opened = module_session::open();
  if (!opened) return tl::unexpected(opened.error());
  asked_ = wanted(opened->limits());
  noted_ = {};
  if (result<void> begun = opened->start(asked_); !begun) return begun;
  session_ = std::move(*opened);
  return {};
}

result<armed> view_sensor::arm(std::span<const page_run>) {
  if (closing_ != closing::by_arm || !session_ || mode_ == 0) return armed{};
  const result<numatch_zap> done = session_->zap(zap_percent);
  if (!done) return tl::unexpected(done.error());
  return armed{done->closed, 0};
}

/// What is left of a session that has ended is taken before a new one begins.
result<void> view_sensor::take_uses(std::vector<sensed_use>& uses, use_sink& sink) {
  if (!session_) return {};
  const result<numatch_stats> now = session_->stats();
  if (!now) return tl::unexpected(now.error());
  for (const numatch_use& seen : session_->take_uses()) uses.push_back(use_of(seen));
  if (now->ring_lost != noted_.ring_lost) sink.on_lost(now->ring_lost - noted_.ring_lost);
  limits_.note(asked_, noted_, *now);
  noted_ = *now;
  return now->process_ended != 0 ? follow_exec() : result<void>{};
}

result<void> view_sensor::follow_exec() {
  const auto has_memory = [this] {
    const result<std::vector<mapped_range>> ranges = process_.mappings();
    return ranges && !ranges->empty();
  };
  if (mode_ == 0) {
    session_.reset();  // induce() makes the next one
    return {};
  }
  if (!has_memory()) return {};
  result<void> again = start();
  // It may have ended meanwhile.
  return again || has_memory() ? again : result<void>{};
}

result<void> view_sensor::collect(use_sink& sink) {
  enum class kind : std::uint8_t { end, birth, use };
  struct happening {
    std::uint64_t time = 0;
    kind what = kind::use;
    pid_t task = 0;
    std::size_t use = 0;
  };
  std::vector<sensed_use> uses;
  if (result<void> taken = take_uses(uses, sink); !taken) return taken;
  task_log tasks;
  if (result<void> read = tasks_.collect(tasks); !read) return read;
  std::vector<happening> due;
  for (const task_moment& end : ended_) due.push_back({end.time, kind::end, end.task});
  for (const task_moment& birth : tasks.born) due.push_back({birth.time, kind::birth, birth.task});
  for (std::size_t i = 0; i < uses.size(); ++i) due.push_back({uses[i].time, kind::use, 0, i});
  ended_ = std::move(tasks.ended);
  std::stable_sort(due.begin(), due.end(),
                   [](const happening& a, const happening& b) { return a.time < b.time; });
  for (const happening& one : due) {
    if (one.what == kind::end) sink.on_task_end(one.task, one.time);
    if (one.what == kind::birth) sink.on_task_start(one.task, one.time);
    if (one.what == kind::use) sink.on_use(uses[one.use]);
  }
  return {};
}

}  // namespace numatch::live
