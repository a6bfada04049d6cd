// SPDX-License-Identifier: Apache-2.0
#include "live/pagemap.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "live/new_kernel.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

std::uint64_t present_pages::pages() const {
  return (end - first) / sensed_page_bytes;
}

result<pagemap> pagemap::open(const observed_process& process) {
  owned_fd file(
      ::open(fmt::format("/proc/{}/pagemap", process.pid()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return fail(fmt::format("process {}", process.pid()),
                fmt::format("its page map cannot be read: {}", std::strerror(errno)));
  }
  return pagemap(std::move(file));
}

std::vector<present_pages> pagemap::scan(std::uint64_t first, std::uint64_t end,
                                         const filter& wanted) const {
  std::array<pagemap_region, 64> regions{};
  pagemap_scan_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.flags = wanted.flags;
  arguments.start = first;
  arguments.end = end;
  arguments.vec = reinterpret_cast<std::uint64_t>(regions.data());
  arguments.vec_len = regions.size();
  arguments.category_inverted = wanted.inverted;
  arguments.category_mask = wanted.mask;
  arguments.return_mask = page_is_present | page_is_huge;
  std::vector<present_pages> found;
  while (arguments.start < end) {
    const int count = ::ioctl(file_.get(), pagemap_scan, &arguments);
    if (count < 0) break;  // the memory is gone
    for (int i = 0; i < count; ++i) {
      const pagemap_region& region = regions[static_cast<std::size_t>(i)];
      found.push_back({region.start, region.end, (region.categories & page_is_huge) != 0});
    }
    if (arguments.walk_end <= arguments.start) break;
    arguments.start = arguments.walk_end;
  }
  return found;
}

std::vector<present_pages> pagemap::present(std::uint64_t first, std::uint64_t end) const {
  return scan(first, end, filter{0, 0, page_is_present});
}

std::vector<present_pages> pagemap::write_protect(std::uint64_t first, std::uint64_t end) const {
  return scan(first, end,
              filter{pagemap_scan_wp_matching, page_is_huge, page_is_present | page_is_huge});
}

}  // namespace numatch::live
