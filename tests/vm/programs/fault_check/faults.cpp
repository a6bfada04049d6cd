// SPDX-License-Identifier: Apache-2.0
#include "fault_check/faults.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace fault_check {

namespace {

/// The samples of PERF_SAMPLE_TID | PERF_SAMPLE_ADDR, in the order of perf_event_open(2).
struct sample {
  std::uint32_t process;
  std::uint32_t task;
  std::uint64_t address;
};

constexpr std::size_t control_bytes = 4096;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

perf_event_attr attributes() {
  perf_event_attr wanted;
  std::memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_PAGE_FAULTS;
  wanted.sample_period = 1;
  wanted.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR;
  wanted.exclude_kernel = 1;  // what an ordinary user may see
  wanted.exclude_hv = 1;
  wanted.watermark = 1;
  return wanted;
}

}  // namespace

fault_event::fault_event(pid_t task, std::size_t ring_pages)
    : data_bytes_(ring_pages * control_bytes) {
  perf_event_attr wanted = attributes();
  wanted.wakeup_watermark = static_cast<std::uint32_t>(data_bytes_ / 2);
  event_ =
      static_cast<int>(syscall(SYS_perf_event_open, &wanted, task, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (event_ < 0) fail("perf_event_open");
  void* const mapped =
      mmap(nullptr, control_bytes + data_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, event_, 0);
  if (mapped == MAP_FAILED) {
    close(event_);
    fail("the ring of a perf event");
  }
  mapped_ = static_cast<char*>(mapped);
}

fault_event::~fault_event() {
  munmap(mapped_, control_bytes + data_bytes_);
  close(event_);
}

std::vector<fault> fault_event::read(std::size_t& lost) {
  auto* const control = reinterpret_cast<perf_event_mmap_page*>(mapped_);
  const std::uint64_t head = std::atomic_ref(control->data_head).load(std::memory_order_acquire);
  std::uint64_t tail = control->data_tail;
  const auto copy = [&](void* to, std::uint64_t from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; ++at) {
      static_cast<char*>(to)[at] = mapped_[control_bytes + (from + at) % data_bytes_];
    }
  };
  std::vector<fault> found;
  while (tail < head) {
    perf_event_header header{};
    copy(&header, tail, sizeof(header));
    if (header.type == PERF_RECORD_SAMPLE) {
      sample seen{};
      copy(&seen, tail + sizeof(header), sizeof(seen));
      found.push_back({static_cast<pid_t>(seen.task), seen.address});
    } else if (header.type == PERF_RECORD_LOST) {
      std::uint64_t numbers[2] = {};  // the event's id, the count
      copy(numbers, tail + sizeof(header), sizeof(numbers));
      lost += numbers[1];
    }
    tail += header.size;
  }
  std::atomic_ref(control->data_tail).store(tail, std::memory_order_release);
  return found;
}

}  // namespace fault_check
