// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.hpp"
#include "live/observed_process.hpp"
#include "live/owned_fd.hpp"
#include "live/page_armer.hpp"
#include "live/pagemap.hpp"
#include "live/range_set.hpp"

namespace numatch::live {

/// Whose next use an armed page reveals.
enum class armed_uses : std::uint8_t {
  writes,  ///< UFFD_FEATURE_WP_ASYNC, Linux 6.7
  all      ///< UFFD_FEATURE_RWP_ASYNC, Linux 7.3
};

/// Arms pages of a process with a userfaultfd that the program made for us and does not have
/// itself. A fault on an armed page is resolved by the kernel at once, in system calls too; nobody
/// waits for us. The kernel undoes everything when the descriptor is closed, however this process
/// ends.
///
/// Transparent huge pages: arming writes would split them, so they are refused; arming all uses
/// keeps them, and arms them whole.
class uffd_armer final : public page_armer {
 public:
  static result<std::unique_ptr<uffd_armer>> open(const observed_process& process, armed_uses uses);

  /// Ranges that cannot be armed (of devices, of a userfaultfd of the program's own, not writable
  /// where only writes are seen) are left out.
  result<void> watch(std::span<const mapped_range> ranges) override;
  std::vector<page_run> in_memory(std::span<const page_run> pages) const override;
  result<armed> arm(std::span<const page_run> pages) override;

 private:
  uffd_armer(const observed_process& process, armed_uses uses, pagemap pages)
      : process_(process), uses_(uses), pagemap_(std::move(pages)) {}
  result<void> take_uffd();
  bool register_range(const mapped_range& wanted) const;
  bool memory_is_gone(const mapped_range& wanted) const;
  void arm_part(byte_range part, armed& done) const;

  const observed_process& process_;
  armed_uses uses_;
  pagemap pagemap_;
  owned_fd uffd_;
  range_set registered_;
};

}  // namespace numatch::live
