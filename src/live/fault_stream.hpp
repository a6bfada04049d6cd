// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "base/result.hpp"
#include "live/observed_process.hpp"
#include "live/owned_fd.hpp"
#include "live/perf_ring.hpp"
#include "live/sampled_events.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

/// Thread and byte address of every page fault of a process, those of later threads included, and
/// the births and ends of its threads: the kernel's `page-faults` software event. Needs
/// perf_event_paranoid <= 2 for the user's own programs; faults inside system calls are seen only
/// where the kernel allows it (paranoid <= 1 or CAP_PERFMON). Not thread safe.
class fault_stream {
 public:
  enum class reach : std::uint8_t {
    best,            ///< the first of these that this system has room for
    threads_by_cpu,  ///< an event for every (thread, processor), a ring per processor
    machine,         ///< an event per processor that sees everybody; needs CAP_PERFMON
    threads          ///< an event and a ring per thread; misses the first faults of new threads
  };

  /// A process that has ended meanwhile is no error: there is nothing to see.
  static result<fault_stream> open(observed_process& process, reach wanted = reach::best);
  /// The same with other events than page faults.
  static result<fault_stream> open(observed_process& process, reach wanted,
                                   std::unique_ptr<sampled_events> events);

  /// Hands on what happened before this call, ordered by time over all processors. (A record that
  /// the kernel was writing in that moment may come with the next call.) Threads that were there
  /// at the beginning start first, in the order of their creation. `write` is not known.
  result<void> collect(use_sink& sink);

  /// While it rests nothing is seen, and a fault costs the program nothing more than without us,
  /// or, with very many events, next to nothing. After that, births and ends of threads that were
  /// not seen are told with the next collect().
  result<void> rest(bool rests);

  /// Readable when a ring is half full.
  int wake_fd() const { return wake_.get(); }
  reach how() const { return how_; }
  bool sees_system_calls() const { return kernel_too_; }

 private:
  /// A ring and the event that holds it. `task`: whose event it is, 0 when many write to it.
  struct channel {
    pid_t task = 0;
    owned_fd event;
    perf_ring ring;
    std::vector<owned_fd> others{};  ///< of the same task, that write to it, too
  };
  struct happening {
    enum class what : std::uint8_t { start, use, end };
    what kind = what::use;
    sensed_use use;  ///< of the other kinds, task and time alone
  };

  fault_stream(pid_t process, std::vector<pid_t> tasks, std::unique_ptr<sampled_events> events);
  reach fitting_reach() const;
  result<void> observe(reach wanted);
  result<void> observe_first_tasks();
  result<std::vector<pid_t>> observe_all(std::vector<pid_t> fresh);
  std::vector<pid_t> tasks_there() const;
  result<void> switch_events(bool on);
  result<void> open_again();
  result<void> observe_one(pid_t task);
  result<void> make_cpu_channels();
  result<void> observe_by_cpu(pid_t task);
  /// False when the thread has ended.
  result<bool> observe_alone(pid_t task);
  result<void> add_channel(pid_t task, owned_fd event, std::size_t data_pages);
  /// None when the task or the processor is gone.
  result<std::vector<owned_fd>> open_events(pid_t task, int cpu, bool inherited);
  /// The same; the kernel's refusal is empty, with errno.
  std::vector<owned_fd> try_events(pid_t task, int cpu, bool inherited) const;
  /// Lets them write to the ring; `holder` keeps them.
  result<void> share_ring(std::vector<owned_fd> events, const channel& ring,
                          std::vector<owned_fd>& holder);
  tl::unexpected<error> refused(int code) const;
  void read_rings();
  void note(const perf_event_header& header, std::span<const std::byte> body);
  result<void> follow(const happening& birth, use_sink& sink);
  result<void> hand_on(const happening& what, use_sink& sink);
  void note_unseen_tasks();
  void announce(pid_t task, std::uint64_t time, use_sink& sink);

  std::unique_ptr<sampled_events> sampled_;
  pid_t process_ = 0;
  reach how_ = reach::threads_by_cpu;
  bool kernel_too_ = true;
  std::uint64_t opened_ = 0;        ///< time
  std::vector<pid_t> first_tasks_;  ///< not announced yet, in the order of creation
  std::set<pid_t> known_;           ///< announced and not ended
  std::vector<int> cpus_;
  owned_fd wake_;
  std::vector<channel> channels_;
  std::vector<owned_fd> events_;  ///< that write to the rings of others
  std::vector<happening> pending_;
  std::uint64_t lost_ = 0;
  bool closed_ = false;  ///< the events of the program, for a rest
};

}  // namespace numatch::live
