// SPDX-License-Identifier: Apache-2.0
#include "module_fuzz/places.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <system_error>

namespace fuzz {

namespace {

constexpr std::size_t page = 4096;

char* map(std::size_t bytes) {
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  return static_cast<char*>(mapped);
}

std::uint64_t address_of(const char* where) {
  return reinterpret_cast<std::uint64_t>(where);
}

}  // namespace

places::places() : memory_(map(good_bytes + 2 * page)), awaited_(map(page)) {
  ::mprotect(memory_ + good_bytes, page, PROT_READ);
  ::mprotect(memory_ + good_bytes + page, page, PROT_NONE);
  // A page that never comes (userfaultfd(2)): whoever needs it waits.
  pager_ = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC));
  uffdio_api api{UFFD_API, 0, 0};
  uffdio_register all{{address_of(awaited_), page}, UFFDIO_REGISTER_MODE_MISSING, 0};
  if (pager_ < 0 || ::ioctl(pager_, UFFDIO_API, &api) != 0 ||
      ::ioctl(pager_, UFFDIO_REGISTER, &all) != 0) {
    throw std::system_error(errno, std::generic_category(), "userfaultfd");
  }
}

places::~places() {
  ::close(pager_);
  ::munmap(awaited_, page);
  ::munmap(memory_, good_bytes + 2 * page);
}

std::uint64_t places::bad(random& source) const {
  const std::uint64_t end = address_of(memory_ + good_bytes);
  if (source.once_in(500)) return address_of(awaited_);
  const std::uint64_t choices[] = {
      0,
      8,
      end,                                            // may be read
      end + page,                                     // may not
      end - 1 - source.below(200),                    // begins well
      end + page - 1 - source.below(200),             // may be read at first
      address_of(memory_) + source.below(page),       // good, but at an odd address
      0x00007ffffffff000U - source.below(64),         // the end of what a program may have
      0x8000000000000000U >> source.below(16),        // no address at all
      0xffff888000000000U + source.below(1U << 30U),  // the kernel's
      ~std::uint64_t{0} - source.below(4096),
      source.next(),
  };
  return source.one_of(choices);
}

}  // namespace fuzz
