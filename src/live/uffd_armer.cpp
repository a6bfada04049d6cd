// SPDX-License-Identifier: Apache-2.0
#include "live/uffd_armer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "live/new_kernel.hpp"
#include "live/syscall_injector.hpp"

namespace numatch::live {

namespace {

constexpr std::uint64_t huge_page_bytes = 2 * 1024 * 1024;

/// Memory of a device may not be memory at all.
bool is_of_device(const mapped_range& range) {
  return range.name.starts_with("/dev/") && !range.name.starts_with("/dev/shm/") &&
         !range.name.starts_with("/dev/zero") && !range.name.starts_with("/dev/hugepages/");
}

bool is_of_kernel(const mapped_range& range) {
  return range.name.starts_with("[v");
}

}  // namespace

result<std::unique_ptr<uffd_armer>> uffd_armer::open(const observed_process& process,
                                                     armed_uses uses) {
  result<pagemap> pages = pagemap::open(process);
  if (!pages) return tl::unexpected(pages.error());
  std::unique_ptr<uffd_armer> armer(new uffd_armer(process, uses, std::move(*pages)));
  if (const result<void> taken = armer->take_uffd(); !taken) return tl::unexpected(taken.error());
  return armer;
}

result<void> uffd_armer::take_uffd() {
  remote_call create;
  create.number = SYS_userfaultfd;
  create.arguments[0] = O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY;
  result<taken_fd> taken = syscall_injector(process_).take(create);
  if (!taken) return tl::unexpected(taken.error());
  uffdio_api api{};
  api.api = UFFD_API;
  api.features =
      uses_ == armed_uses::all ? uffd_feature_rwp | uffd_feature_rwp_async : uffd_feature_wp_async;
  if (::ioctl(taken->fd.get(), UFFDIO_API, &api) != 0) {
    return fail("userfaultfd", fmt::format("cannot arm pages: {}", std::strerror(errno)),
                uses_ == armed_uses::all ? "needs Linux 7.3" : "needs Linux 6.7");
  }
  uffd_ = std::move(taken->fd);
  return {};
}

bool uffd_armer::register_range(const mapped_range& wanted) const {
  uffdio_register arguments{};
  arguments.range = {wanted.first, wanted.end - wanted.first};
  arguments.mode =
      uses_ == armed_uses::all ? uffdio_register_mode_rwp : std::uint64_t{UFFDIO_REGISTER_MODE_WP};
  return ::ioctl(uffd_.get(), UFFDIO_REGISTER, &arguments) == 0;
}

/// Registering fails with ENOMEM then, which may mean other things; this call does nothing to pages
/// that it can reach.
bool uffd_armer::memory_is_gone(const mapped_range& wanted) const {
  uffdio_writeprotect nothing{};
  nothing.range = {wanted.first, sensed_page_bytes};
  return ::ioctl(uffd_.get(), UFFDIO_WRITEPROTECT, &nothing) != 0 && errno == ESRCH;
}

result<void> uffd_armer::watch(std::span<const mapped_range> ranges) {
  registered_.clear();
  bool renewed = false;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const mapped_range& wanted = ranges[i];
    const bool useful = uses_ == armed_uses::all ? wanted.readable : wanted.writable;
    if (!useful || is_of_device(wanted) || is_of_kernel(wanted)) continue;
    // A range that is registered already stays so; the kernel says yes again.
    if (register_range(wanted)) {
      registered_.add({wanted.first, wanted.end});
    } else if (!renewed && memory_is_gone(wanted) && process_.alive()) {
      // The program has started another one (exec).
      result<pagemap> pages = pagemap::open(process_);
      if (!pages) return tl::unexpected(pages.error());
      pagemap_ = std::move(*pages);
      if (const result<void> taken = take_uffd(); !taken) return taken;
      renewed = true;
      registered_.clear();
      i = static_cast<std::size_t>(-1);  // from the start
    }
  }
  return {};
}

std::vector<page_run> uffd_armer::in_memory(std::span<const page_run> pages) const {
  // While the kernel looks, the program can map nothing; so it looks at a part at a time.
  constexpr std::uint64_t part_bytes = std::uint64_t{4} << 30;
  constexpr std::uint64_t hole_bytes = 64 * sensed_page_bytes;  // smaller ones are no use to know
  std::vector<page_run> found;
  for (const page_run& run : pages) {
    const byte_range all = bytes_of(run);
    std::uint64_t end = 0;
    for (std::uint64_t part = all.first; part < all.end; part += part_bytes) {
      for (const present_pages& there :
           pagemap_.present(part, std::min(all.end, part + part_bytes))) {
        if (end != 0 && there.first - end < hole_bytes) {
          found.back().pages += (there.end - end) / sensed_page_bytes;
        } else {
          found.push_back({page_number(there.first / sensed_page_bytes), there.pages()});
        }
        end = there.end;
      }
    }
  }
  return found;
}

/// `part` lies in one registered range.
void uffd_armer::arm_part(byte_range part, armed& done) const {
  if (uses_ == armed_uses::writes) {
    for (const present_pages& found : pagemap_.write_protect(part.first, part.end)) {
      done.pages += found.pages();
    }
    for (const present_pages& found : pagemap_.present(part.first, part.end)) {
      if (found.huge) done.refused += found.pages();
    }
    return;
  }
  for (const present_pages& found : pagemap_.present(part.first, part.end)) {
    uffdio_rwprotect_arguments arguments{{found.first, found.end - found.first},
                                         uffdio_rwprotect_mode_rwp};
    if (found.huge) {
      // A part of a huge page would split it.
      arguments.range.start = found.first / huge_page_bytes * huge_page_bytes;
      arguments.range.len = (found.end + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes -
                            arguments.range.start;
    }
    if (::ioctl(uffd_.get(), uffdio_rwprotect, &arguments) == 0) done.pages += found.pages();
  }
}

result<armed> uffd_armer::arm(std::span<const page_run> pages) {
  armed done;
  for (const page_run& run : pages) {
    std::uint64_t within = 0;
    for (const byte_range& part : registered_.parts_of(bytes_of(run))) {
      within += (part.end - part.first) / sensed_page_bytes;
      arm_part(part, done);
    }
    done.refused += run.pages - within;
  }
  return done;
}

}  // namespace numatch::live
