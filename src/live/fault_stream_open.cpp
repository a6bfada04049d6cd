// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "live/fault_stream.hpp"
#include "live/page_fault_event.hpp"
#include "live/running_program.hpp"

namespace numatch::live {

namespace {

// 32 bytes a sample: 16,384 of them, and just what a user may lock per processor by default.
constexpr std::size_t cpu_ring_pages = 128;
constexpr std::size_t thread_ring_pages = 16;
/// With more events than this, switching threads and making new ones costs the program more than
/// a look at other programs' faults costs us.
constexpr std::size_t most_thread_events = 4096;
/// Descriptors that numatch needs for other things.
constexpr std::size_t spare_descriptors = 64;

bool is_refusal(int code) {
  return code == EACCES || code == EPERM;
}

/// How many files we may have open, after asking for all that we can get.
std::size_t descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit more{limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &more) == 0) limit = more;
  }
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace

tl::unexpected<error> fault_stream::refused(int code) const {
  return tl::unexpected(sampled_->refusal(code, process_));
}

result<fault_stream> fault_stream::open(observed_process& process, reach preferred) {
  return open(process, preferred, page_fault_events());
}

result<fault_stream> fault_stream::open(observed_process& process, reach preferred,
                                        std::unique_ptr<sampled_events> events) {
  result<std::vector<pid_t>> tasks = process.tasks();
  if (!tasks && process.alive()) return tl::unexpected(tasks.error());
  fault_stream stream(process.pid(), tasks.value_or(std::vector<pid_t>{}), std::move(events));
  stream.wake_ = owned_fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!stream.wake_) return stream.refused(errno);
  if (stream.first_tasks_.empty()) return stream;

  const reach wanted = preferred == reach::best ? stream.fitting_reach() : preferred;
  result<void> done = stream.observe(wanted);
  // Seeing everybody may be forbidden where seeing one program is not.
  if (!done && wanted == reach::machine && preferred == reach::best) {
    done = stream.observe(reach::threads);
  }
  if (!done) return tl::unexpected(done.error());
  return stream;
}

result<void> fault_stream::observe(reach wanted) {
  how_ = wanted;
  channels_.clear();
  events_.clear();
  if (how_ == reach::threads) return observe_first_tasks();
  if (result<void> r = make_cpu_channels(); !r) return r;
  return how_ == reach::machine ? observe_by_cpu(-1) : observe_first_tasks();
}

fault_stream::reach fault_stream::fitting_reach() const {
  const std::size_t cpus = static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_CONF));
  const std::size_t limit = descriptor_limit();
  const std::size_t room = limit - std::min(limit, spare_descriptors + cpus);
  const bool fit = first_tasks_.size() * cpus <= std::min(room, most_thread_events);
  return fit ? reach::threads_by_cpu : reach::machine;
}

std::vector<owned_fd> fault_stream::try_events(pid_t task, int cpu, bool inherited) const {
  std::vector<owned_fd> opened;
  int leader = -1;
  bool left_out = false;
  for (const sampled_event& event : sampled_->events(kernel_too_, inherited)) {
    if (event.leads) leader = -1;
    if (left_out && !event.leads) continue;
    owned_fd one = open_event(event.attributes, task, cpu, leader);
    // An event that only the processor's other cores have.
    left_out = !one && errno == ENOENT;
    if (left_out) continue;
    if (!one) return {};
    if (event.leads) leader = one.get();
    opened.push_back(std::move(one));
  }
  if (opened.empty()) errno = ENOENT;
  return opened;
}

/// Without the events in system calls where the kernel keeps them from this user.
result<std::vector<owned_fd>> fault_stream::open_events(pid_t task, int cpu, bool inherited) {
  std::vector<owned_fd> events = try_events(task, cpu, inherited);
  if (events.empty() && is_refusal(errno) && kernel_too_) {
    kernel_too_ = false;
    events = try_events(task, cpu, inherited);
  }
  // A task or a processor that is gone has nothing to show.
  if (events.empty() && errno != ESRCH && errno != ENODEV) return refused(errno);
  return events;
}

result<void> fault_stream::share_ring(std::vector<owned_fd> events, const channel& ring,
                                      std::vector<owned_fd>& holder) {
  for (owned_fd& event : events) {
    if (::ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, ring.event.get()) != 0) {
      return refused(errno);
    }
    holder.push_back(std::move(event));
  }
  return {};
}

result<void> fault_stream::add_channel(pid_t task, owned_fd event, std::size_t data_pages) {
  std::optional<perf_ring> ring;
  // Users share what they may lock; a smaller ring loses more, and says so.
  for (std::size_t pages = data_pages; pages >= 1 && !ring; pages /= 2) {
    ring = perf_ring::map(event.get(), pages);
    if (!ring && errno != EPERM) return refused(errno);
  }
  if (!ring) {
    return fail(fmt::format("process {}", process_), "no memory may be locked to see its faults",
                "as root: sysctl kernel.perf_event_mlock_kb=516, or raise ulimit -l");
  }
  epoll_event readable{};
  readable.events = EPOLLIN;
  if (::epoll_ctl(wake_.get(), EPOLL_CTL_ADD, event.get(), &readable) != 0) return refused(errno);
  channels_.push_back({task, std::move(event), std::move(*ring), {}});
  return {};
}

result<void> fault_stream::make_cpu_channels() {
  const int configured = static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF));
  cpus_.clear();
  for (int cpu = 0; cpu < configured; ++cpu) {
    // The holder watches ourselves, so that the ring outlives every thread of the program.
    owned_fd holder = open_event(ring_holder_attributes(), 0, cpu);
    if (!holder && errno == ENODEV) continue;
    if (!holder) return refused(errno);
    if (result<void> r = add_channel(0, std::move(holder), cpu_ring_pages); !r) return r;
    cpus_.push_back(cpu);
  }
  return {};
}

result<void> fault_stream::observe_by_cpu(pid_t task) {
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    result<std::vector<owned_fd>> events = open_events(task, cpus_[i], true);
    if (!events) return tl::unexpected(events.error());
    if (result<void> r = share_ring(std::move(*events), channels_[i], events_); !r) return r;
  }
  return {};
}

result<void> fault_stream::observe_one(pid_t task) {
  if (how_ != reach::threads) return observe_by_cpu(task);
  const result<bool> observed = observe_alone(task);
  if (!observed) return tl::unexpected(observed.error());
  return {};
}

result<void> fault_stream::observe_first_tasks() {
  const result<std::vector<pid_t>> later = observe_all(first_tasks_);
  if (!later) return tl::unexpected(later.error());
  first_tasks_.insert(first_tasks_.end(), later->begin(), later->end());
  return {};
}

/// Threads born meanwhile have the events of an observed creator, and then a record says so, or
/// they need their own; those are the answer.
result<std::vector<pid_t>> fault_stream::observe_all(std::vector<pid_t> fresh) {
  const std::uint64_t began = now_nanoseconds();
  std::set<pid_t> observed;
  std::vector<pid_t> later;
  while (!fresh.empty()) {
    for (const pid_t task : fresh) {
      if (result<void> r = observe_one(task); !r) return tl::unexpected(r.error());
      observed.insert(task);
    }
    const std::vector<pid_t> now = tasks_there();
    const auto is_observed = [&](pid_t task) { return observed.contains(task); };
    if (std::all_of(now.begin(), now.end(), is_observed)) break;
    // A thread is listed a moment before its record is written.
    constexpr timespec a_moment{0, 1'000'000};
    ::nanosleep(&a_moment, nullptr);
    read_rings();
    for (const happening& h : pending_) {
      const bool has_events = how_ != reach::threads && h.use.time >= began;
      if (h.kind == happening::what::start && has_events) observed.insert(h.use.task);
    }
    fresh.clear();
    std::remove_copy_if(now.begin(), now.end(), std::back_inserter(fresh), is_observed);
    later.insert(later.end(), fresh.begin(), fresh.end());
  }
  return later;
}

result<bool> fault_stream::observe_alone(pid_t task) {
  const bool observed = std::any_of(channels_.begin(), channels_.end(),
                                    [&](const channel& c) { return c.task == task; });
  if (observed) return true;
  result<std::vector<owned_fd>> events = open_events(task, -1, false);
  if (!events) return tl::unexpected(events.error());
  if (events->empty()) return false;
  const result<void> added = add_channel(task, std::move(events->front()), thread_ring_pages);
  if (!added) return tl::unexpected(added.error());
  events->erase(events->begin());
  const result<void> shared =
      share_ring(std::move(*events), channels_.back(), channels_.back().others);
  if (!shared) return tl::unexpected(shared.error());
  return true;
}

}  // namespace numatch::live
