// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fault_check {

struct fault {
  pid_t task = 0;
  std::uintptr_t address = 0;
};

/// The page faults of one thread, each with thread and address, as the kernel's software event
/// page-faults gives them to an ordinary user. Throws std::system_error.
class fault_event {
 public:
  /// `ring_pages` is a power of two; a full ring loses faults.
  fault_event(pid_t task, std::size_t ring_pages);
  ~fault_event();
  fault_event(const fault_event&) = delete;
  fault_event& operator=(const fault_event&) = delete;

  /// The faults since the last call. `lost` grows by what the kernel could not store.
  std::vector<fault> read(std::size_t& lost);

 private:
  int event_ = -1;
  char* mapped_ = nullptr;
  std::size_t data_bytes_ = 0;
};

}  // namespace fault_check
