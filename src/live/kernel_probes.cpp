// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "live/module_session.hpp"
#include "live/system_facts.hpp"

namespace numatch::live {

namespace {

class descriptor {
 public:
  explicit descriptor(long number) : number_(static_cast<int>(number)) {}
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  bool open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

/// The event that shows every armed page's next use; 0 or the errno of the refusal.
int try_page_faults() {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.size = sizeof wanted;
  wanted.config = PERF_COUNT_SW_PAGE_FAULTS;
  wanted.sample_period = 1;
  wanted.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_TID;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.disabled = 1;
  const descriptor event(::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  return event.open() ? 0 : errno;
}

std::optional<std::uint64_t> ask_userfaultfd() {
  // Linux 5.11; older headers do not name it. No privilege is needed for faults of user code.
  constexpr long user_mode_only = 1;
  const descriptor handler(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only));
  if (!handler.open()) return std::nullopt;
  uffdio_api talk{};
  talk.api = UFFD_API;
  if (::ioctl(handler.number(), UFFDIO_API, &talk) != 0) return std::nullopt;
  return talk.features;
}

class own_page {
 public:
  explicit own_page(std::size_t bytes)
      : bytes_(bytes),
        at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~own_page() {
    if (there()) ::munmap(at_, bytes_);
  }
  own_page(const own_page&) = delete;
  own_page& operator=(const own_page&) = delete;
  bool there() const { return at_ != MAP_FAILED; }
  void write() { *static_cast<volatile char*>(at_) = 1; }
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(at_); }

 private:
  std::size_t bytes_;
  void* at_;
};

/// Whether writing clears and a later write sets the bit. The bits of this process serve nobody
/// else.
bool try_soft_dirty() {
  constexpr std::uint64_t soft_dirty_bit = 1ULL << 55U;
  const std::size_t page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  own_page page(page_bytes);
  const descriptor clear(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  const descriptor pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!page.there() || !clear.open() || !pagemap.open()) return false;
  const auto is_dirty = [&] {
    std::uint64_t entry = 0;
    const off_t place = static_cast<off_t>(page.address() / page_bytes * sizeof entry);
    return ::pread(pagemap.number(), &entry, sizeof entry, place) == sizeof entry &&
           (entry & soft_dirty_bit) != 0;
  };
  page.write();
  if (::write(clear.number(), "4", 1) != 1 || is_dirty()) return false;
  page.write();
  return is_dirty();
}

}  // namespace

void probe_kernel(system_facts& facts) {
  facts.perf_error = try_page_faults();
  facts.perf_page_faults = facts.perf_error == 0;
  facts.userfaultfd_features = ask_userfaultfd();
  facts.soft_dirty = try_soft_dirty();
  const result<module_session> module = module_session::open();
  facts.module.usable = module.has_value();
  if (!module) facts.module.trouble = module.error().what;
}

}  // namespace numatch::live
