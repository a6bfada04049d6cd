// SPDX-License-Identifier: Apache-2.0
#include "live/module_session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace numatch::live {

namespace {

constexpr const char* device_name = NUMATCH_DEVICE;

tl::unexpected<error> cannot_open(int code) {
  if (code == ENOENT || code == ENODEV || code == ENXIO) {
    return fail(device_name, "the kernel module is not loaded", "numatch module load");
  }
  if (code == EPERM || code == EACCES) {
    return fail(device_name, "this user may not observe through the kernel module",
                "needs CAP_SYS_ADMIN, or CAP_PERFMON for programs of the same user");
  }
  return fail(device_name, fmt::format("cannot be opened: {}", std::strerror(code)));
}

tl::unexpected<error> cannot_start(int code, const numatch_start& asked) {
  const std::string process = fmt::format("process {}", asked.pid);
  switch (code) {
    case EOPNOTSUPP:
      return fail(process, fmt::format("the kernel module refuses it: {}", asked.message));
    case EEXIST:
      return fail(process, "another session of the kernel module observes it");
    case ESRCH:
      return fail(process, "there is no such process");
    case EPERM:
      return fail(process, "is of another user", "needs CAP_SYS_ADMIN");
    case EUSERS:
      return fail(process, "the kernel module has no room for one more session");
    default:
      return fail(process,
                  fmt::format("the kernel module cannot observe it: {}", std::strerror(code)));
  }
}

}  // namespace

result<module_session> module_session::open() {
  owned_fd device(::open(device_name, O_RDWR | O_CLOEXEC));
  if (!device) return cannot_open(errno);
  module_session made(std::move(device));
  numatch_info& info = made.limits_;
  if (const result<void> asked = made.ask(NUMATCH_IOC_INFO, &info, "tell its version"); !asked) {
    return tl::unexpected(asked.error());
  }
  if (info.abi != NUMATCH_ABI) {
    return fail(device_name,
                fmt::format("the kernel module speaks version {} of its interface, not {}",
                            info.abi, NUMATCH_ABI),
                "numatch module build, then unload and load");
  }
  return made;
}

module_session::module_session(module_session&& other) noexcept
    : device_(std::move(other.device_)),
      limits_(other.limits_),
      process_(other.process_),
      ring_(std::exchange(other.ring_, nullptr)),
      ring_bytes_(other.ring_bytes_) {}

module_session& module_session::operator=(module_session&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(limits_, other.limits_);
  std::swap(process_, other.process_);
  std::swap(ring_, other.ring_);
  std::swap(ring_bytes_, other.ring_bytes_);
  return *this;
}

module_session::~module_session() {
  if (ring_ != nullptr) ::munmap(ring_, ring_bytes_);
}

result<void> module_session::ask(unsigned long command, void* argument, const char* what) const {
  if (::ioctl(device_.get(), command, argument) == 0) return {};
  return fail(device_name, fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

result<void> module_session::start(const numatch_start& asked) {
  numatch_start told = asked;
  if (::ioctl(device_.get(), NUMATCH_IOC_START, &told) != 0) return cannot_start(errno, told);
  process_ = asked.pid;
  // The length of the ring is in its first page.
  const long page = ::sysconf(_SC_PAGESIZE);
  const std::size_t bytes =
      static_cast<std::size_t>(page) + std::size_t{told.ring_records} * sizeof(numatch_use);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device_.get(), 0);
  if (mapped == MAP_FAILED) {
    return fail(device_name, fmt::format("cannot map the ring: {}", std::strerror(errno)));
  }
  ring_ = static_cast<numatch_ring*>(mapped);
  ring_bytes_ = bytes;
  return {};
}

result<void> module_session::stop() {
  return ask(NUMATCH_IOC_STOP, nullptr, "stop");
}

result<void> module_session::trace(bool on, bool clear) {
  numatch_trace asked{on ? 1U : 0U, clear ? 1U : 0U};
  return ask(NUMATCH_IOC_TRACE, &asked, "switch the views");
}

result<numatch_zap> module_session::zap(unsigned percent) {
  numatch_zap asked{};
  asked.percent = percent;
  if (const result<void> done = ask(NUMATCH_IOC_ZAP, &asked, "close entries"); !done) {
    return tl::unexpected(done.error());
  }
  return asked;
}

result<numatch_stats> module_session::stats() const {
  numatch_stats found{};
  if (const result<void> done = ask(NUMATCH_IOC_STATS, &found, "tell what it counted"); !done) {
    return tl::unexpected(done.error());
  }
  return found;
}

result<std::vector<numatch_pair>> module_session::snapshot() const {
  std::vector<numatch_pair> pairs(4096);
  for (;;) {
    numatch_snapshot asked{reinterpret_cast<std::uint64_t>(pairs.data()), pairs.size(), 0};
    if (::ioctl(device_.get(), NUMATCH_IOC_SNAPSHOT, &asked) == 0) {
      pairs.resize(asked.count);
      return pairs;
    }
    if (errno != ENOSPC) {
      return fail(device_name, fmt::format("cannot tell its pairs: {}", std::strerror(errno)));
    }
    pairs.resize(asked.count + asked.count / 2);  // more may come meanwhile
  }
}

std::vector<numatch_use> module_session::take_uses() {
  std::vector<numatch_use> taken;
  if (ring_ == nullptr) return taken;
  static_assert(sizeof(unsigned long long) == sizeof(__u64));
  const std::atomic_ref<unsigned long long> head(ring_->head);
  const std::atomic_ref<unsigned long long> tail(ring_->tail);
  const auto* const uses = reinterpret_cast<const numatch_use*>(
      reinterpret_cast<const char*>(ring_) + ring_->first_offset);
  const std::uint64_t end = head.load(std::memory_order_acquire);
  for (std::uint64_t at = tail.load(std::memory_order_relaxed); at != end; ++at) {
    taken.push_back(uses[at & (ring_->records - 1)]);
  }
  tail.store(end, std::memory_order_release);
  return taken;
}

}  // namespace numatch::live
