// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/system_facts.hpp"
#include "live/system_tree.hpp"
#include "uapi/numatch.h"

namespace numatch::live {

/// The kernels that the module was tried on.
bool is_tried_by_module(const kernel_version& kernel);

/// What a loaded module holds now, as it says in sysfs; nullopt: it does not say so.
struct module_numbers {
  std::uint64_t users = 0;                ///< who keeps it from being unloaded
  std::optional<std::uint64_t> sessions;  ///< started and not closed
  std::optional<std::uint64_t> threads;   ///< that the scheduler tells it of
  std::optional<std::uint64_t> pages;     ///< of 4096 bytes, for page tables
};

/// What this machine has of the module.
struct module_state {
  std::string release;  ///< of the running kernel
  kernel_module_facts facts;
  std::optional<module_numbers> numbers;  ///< nullopt: not loaded
  std::optional<numatch_info> info;       ///< nullopt: not loaded, or not for this user
  std::optional<std::string> installed;   ///< the file that modprobe would load
  std::vector<std::string> refusals;      ///< why it would not load here, one sentence each
};

/// Changes nothing. Asks the device only where `tree` is the running system's ("/").
module_state read_module_state(const system_tree& tree, const system_facts& here);

/// What of this machine makes the module or the kernel refuse to load it.
std::vector<std::string> module_refusals(const system_tree& tree, const system_facts& here);

}  // namespace numatch::live
