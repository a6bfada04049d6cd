// SPDX-License-Identifier: Apache-2.0
// Soft-dirty bits: writing 4 to /proc/PID/clear_refs makes every page of the process read-only in
// its page table, and the next write to each a fault that the kernel resolves by itself. Nothing
// is done inside the program. A page that is never written again stays so; that changes nothing
// for the program, and cannot be taken back from outside.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "live/fault_stream.hpp"
#include "live/owned_fd.hpp"
#include "live/sees_faults.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

namespace {

/// Says of every use that it writes: what is armed shows writes only. (The first read of memory
/// that was never touched is a fault, too, and counts as a write.)
class as_writes : public use_sink {
 public:
  explicit as_writes(use_sink& next) : next_(next) {}
  void on_use(const sensed_use& use) override {
    sensed_use write = use;
    write.write = true;
    next_.on_use(write);
  }
  void on_task_start(pid_t task, std::uint64_t time) override { next_.on_task_start(task, time); }
  void on_task_end(pid_t task, std::uint64_t time) override { next_.on_task_end(task, time); }
  void on_lost(std::uint64_t uses) override { next_.on_lost(uses); }

 private:
  use_sink& next_;
};

class soft_dirty : public sensor {
 public:
  soft_dirty(observed_process& process, fault_stream faults, owned_fd clear_refs, owned_fd size)
      : process_(process),
        faults_(std::move(faults)),
        clear_refs_(std::move(clear_refs)),
        size_(std::move(size)) {}

  result<void> watch(std::span<const mapped_range>) override { return {}; }

  result<armed> arm(std::span<const page_run>) override {
    const std::uint64_t pages = present_pages();
    if (::write(clear_refs_.get(), "4", 1) == 1) return armed{pages, 0};
    if (errno == ESRCH || !process_.alive()) return armed{};
    return fail(fmt::format("/proc/{}/clear_refs", process_.pid()), std::strerror(errno));
  }

  result<void> collect(use_sink& sink) override {
    as_writes writes(sink);
    return faults_.collect(writes);
  }
  int wake_fd() const override { return faults_.wake_fd(); }
  result<bool> rest(bool rests) override {
    const result<void> done = faults_.rest(rests);
    return done ? result<bool>(true) : tl::unexpected(done.error());
  }

 private:
  /// The second number of /proc/PID/statm; 0 when the process has ended.
  std::uint64_t present_pages() const {
    std::array<char, 128> text{};
    const ssize_t bytes = ::pread(size_.get(), text.data(), text.size(), 0);
    if (bytes <= 0) return 0;
    const char* end = text.data() + bytes;
    const char* space =
        static_cast<const char*>(std::memchr(text.data(), ' ', static_cast<std::size_t>(bytes)));
    std::uint64_t pages = 0;
    if (space != nullptr) std::from_chars(space + 1, end, pages);
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / sensed_page_bytes;
  }

  observed_process& process_;
  fault_stream faults_;
  owned_fd clear_refs_;
  owned_fd size_;
};

availability probe(const system_facts& here) {
  if (!here.soft_dirty) {
    return {false, "this kernel keeps no soft-dirty bits", "CONFIG_MEM_SOFT_DIRTY (not on arm64)"};
  }
  return sees_faults(here);
}

result<std::unique_ptr<sensor>> make(observed_process& process) {
  const std::string clear_refs = fmt::format("/proc/{}/clear_refs", process.pid());
  owned_fd opened(::open(clear_refs.c_str(), O_WRONLY | O_CLOEXEC));
  if (!opened) {
    return fail(clear_refs, std::strerror(errno), "be the user who runs the program, or root");
  }
  owned_fd size(::open(fmt::format("/proc/{}/statm", process.pid()).c_str(), O_RDONLY | O_CLOEXEC));
  result<fault_stream> faults = fault_stream::open(process);
  if (!faults) return tl::unexpected(faults.error());
  return std::make_unique<soft_dirty>(process, std::move(*faults), std::move(opened),
                                      std::move(size));
}

}  // namespace

extern const sensor_entry soft_dirty_sensor;
const sensor_entry soft_dirty_sensor{
    .name = "soft-dirty",
    .summary = "all pages become read-only for a moment; does nothing inside the program",
    .sees = "writes",
    .source = "Linux 3.11, Documentation/admin-guide/mm/soft-dirty.rst",
    .how = arming::whole,
    .sees_reads = false,
    .rank = 40,
    .probe = probe,
    .make = make,
};

}  // namespace numatch::live
