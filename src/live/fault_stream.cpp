// SPDX-License-Identifier: Apache-2.0
#include "live/fault_stream.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <utility>

#include "live/text_fields.hpp"

namespace numatch::live {

namespace {

/// Bodies of PERF_RECORD_FORK and PERF_RECORD_EXIT, and of PERF_RECORD_LOST.
struct task_record {
  std::uint32_t process = 0;
  std::uint32_t parent_process = 0;
  std::uint32_t task = 0;
  std::uint32_t parent_task = 0;
  std::uint64_t time = 0;
};
struct lost_record {
  std::uint64_t event = 0;
  std::uint64_t samples = 0;
};

std::uint64_t monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

fault_stream::fault_stream(pid_t process, std::vector<pid_t> tasks,
                           std::unique_ptr<sampled_events> events)
    : sampled_(std::move(events)),
      process_(process),
      opened_(monotonic_now()),
      first_tasks_(std::move(tasks)) {}

void fault_stream::note(const perf_event_header& header, std::span<const std::byte> body) {
  if (header.type == PERF_RECORD_SAMPLE) {
    if (const std::optional<sensed_use> use = sampled_->use_of(body, process_)) {
      pending_.push_back({happening::what::use, *use});
    }
  } else if (header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT) {
    const auto record = perf_ring::as<task_record>(body);
    if (record && static_cast<pid_t>(record->process) == process_) {
      const bool born = header.type == PERF_RECORD_FORK;
      pending_.push_back({born ? happening::what::start : happening::what::end,
                          {static_cast<pid_t>(record->task), 0, std::nullopt, 0, record->time}});
    }
  } else if (header.type == PERF_RECORD_LOST) {
    if (const auto record = perf_ring::as<lost_record>(body)) lost_ += record->samples;
  } else if (header.type == PERF_RECORD_LOST_SAMPLES) {
    // Of the processor's own buffer.
    if (const auto samples = perf_ring::as<std::uint64_t>(body)) lost_ += *samples;
  }
}

void fault_stream::read_rings() {
  for (channel& c : channels_) {
    c.ring.drain([&](const perf_event_header& header, std::span<const std::byte> body) {
      note(header, body);
    });
  }
}

/// As long as there is an event, even one that is switched off, the kernel looks for it at every
/// page fault of the machine. So few events are closed; many would take too long to open again.
result<void> fault_stream::rest(bool rests) {
  constexpr std::size_t few = 64;
  if (rests && how_ != reach::threads && events_.size() <= few) {
    events_.clear();
    closed_ = true;
    return {};
  }
  const bool was_closed = std::exchange(closed_, false);
  if (result<void> done = was_closed ? open_again() : switch_events(!rests); !done) return done;
  if (!rests) note_unseen_tasks();
  return {};
}

result<void> fault_stream::open_again() {
  if (how_ == reach::machine) return observe_by_cpu(-1);
  const result<std::vector<pid_t>> observed = observe_all(tasks_there());
  return observed ? result<void>{} : tl::unexpected(observed.error());
}

result<void> fault_stream::switch_events(bool on) {
  const unsigned long order = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
  // An order to an event is one to those that later threads inherited from it, too.
  for (const owned_fd& event : events_) {
    if (::ioctl(event.get(), order, 0) != 0) return refused(errno);
  }
  for (const channel& c : channels_) {
    // The rings of processors belong to events that watch ourselves.
    if (c.task == 0) continue;
    if (::ioctl(c.event.get(), order, 0) != 0) return refused(errno);
    for (const owned_fd& other : c.others) {
      if (::ioctl(other.get(), order, 0) != 0) return refused(errno);
    }
  }
  return {};
}

/// Ascending, which need not be the order of their creation.
std::vector<pid_t> fault_stream::tasks_there() const {
  std::vector<pid_t> there;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(fmt::format("/proc/{}/task", process_), failed), end;
       !failed && at != end; at.increment(failed)) {
    pid_t task = 0;
    if (parse_number(at->path().filename().string(), 10, task)) there.push_back(task);
  }
  std::sort(there.begin(), there.end());
  return there;
}

/// Events that are switched off do not tell of births and ends either.
void fault_stream::note_unseen_tasks() {
  const std::uint64_t now = monotonic_now();
  const std::vector<pid_t> listed = tasks_there();
  const std::set<pid_t> there(listed.begin(), listed.end());
  // A program that has ended ends as always.
  if (there.empty()) return;
  const auto note_task = [&](happening::what kind, pid_t task) {
    pending_.push_back({kind, {task, 0, std::nullopt, 0, now}});
  };
  for (const pid_t task : known_) {
    if (!there.contains(task)) note_task(happening::what::end, task);
  }
  for (const pid_t task : there) {
    if (!known_.contains(task)) note_task(happening::what::start, task);
  }
}

void fault_stream::announce(pid_t task, std::uint64_t time, use_sink& sink) {
  if (known_.insert(task).second) sink.on_task_start(task, time);
}

result<void> fault_stream::hand_on(const happening& what, use_sink& sink) {
  switch (what.kind) {
    case happening::what::start:
      announce(what.use.task, what.use.time, sink);
      if (how_ == reach::threads) return follow(what, sink);
      break;
    case happening::what::use:
      // Its birth was lost, or it was born while the events were opened.
      announce(what.use.task, what.use.time, sink);
      sink.on_use(what.use);
      break;
    case happening::what::end:
      if (known_.erase(what.use.task) != 0) sink.on_task_end(what.use.task, what.use.time);
      std::erase_if(channels_, [&](const channel& c) { return c.task == what.use.task; });
      break;
  }
  return {};
}

result<void> fault_stream::follow(const happening& birth, use_sink& sink) {
  const pid_t task = birth.use.task;
  const result<bool> observed = observe_alone(task);
  if (!observed) return tl::unexpected(observed.error());
  // It has ended already, and nobody else will say so.
  if (!*observed && known_.erase(task) != 0) sink.on_task_end(task, birth.use.time);
  return {};
}

result<void> fault_stream::collect(use_sink& sink) {
  for (const pid_t task : first_tasks_) announce(task, opened_, sink);
  first_tasks_.clear();
  // A ring that is read late has younger records than one that was read early.
  const std::uint64_t called = monotonic_now();
  read_rings();
  if (lost_ != 0) sink.on_lost(lost_);
  lost_ = 0;
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const happening& a, const happening& b) { return a.use.time < b.use.time; });
  const auto young = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const happening& h) { return h.use.time > called; });
  const std::vector<happening> due(pending_.begin(), young);
  pending_.erase(pending_.begin(), young);
  for (const happening& h : due) {
    if (result<void> done = hand_on(h, sink); !done) return done;
  }
  return {};
}

}  // namespace numatch::live
