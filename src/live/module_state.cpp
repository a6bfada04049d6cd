// SPDX-License-Identifier: Apache-2.0
#include "live/module_state.hpp"

#include <fmt/format.h>

#include "live/module_files.hpp"
#include "live/module_session.hpp"

namespace numatch::live {

namespace {

std::optional<module_numbers> read_numbers(const system_tree& tree) {
  const std::string folder = "/sys/module/numatch";
  const std::optional<std::uint64_t> users = tree.number<std::uint64_t>(folder + "/refcnt");
  if (!users) return std::nullopt;
  const auto number = [&](const char* name) {
    return tree.number<std::uint64_t>(fmt::format("{}/parameters/{}", folder, name));
  };
  return module_numbers{*users, number("live_sessions"), number("live_threads"),
                        number("live_pages")};
}

}  // namespace

bool is_tried_by_module(const kernel_version& kernel) {
  return kernel == kernel_version{6, 1} || kernel == kernel_version{6, 12};
}

std::vector<std::string> module_refusals(const system_tree& tree, const system_facts& here) {
  std::vector<std::string> found;
#if !defined(__x86_64__)
  found.emplace_back("it is for x86-64 only");
#endif
  if (!is_tried_by_module(here.kernel)) {
    found.push_back(fmt::format(
        "it was tried on kernels 6.1 and 6.12 only, this is {}.{}; the parameter force=1 loads it",
        here.kernel.major, here.kernel.minor));
  }
  const std::string config = tree.text("/boot/config-" + here.release).value_or("");
  const auto has = [&](std::string_view option) {
    return config.find(fmt::format("\n{}=y", option)) != std::string::npos;
  };
  if (has("CONFIG_DEBUG_VM")) {
    found.emplace_back("a kernel with DEBUG_VM checks that the primary page table is loaded");
  }
  if (has("CONFIG_PREEMPT_RT")) {
    found.emplace_back("it was never tried on a kernel with PREEMPT_RT");
  }
  if (!config.empty() && !has("CONFIG_PREEMPT_NOTIFIERS")) {
    found.emplace_back("this kernel has no PREEMPT_NOTIFIERS, which come with KVM");
  }
  if (tree.text("/sys/hypervisor/guest_type") == "PV") {
    found.emplace_back("under Xen PV the hypervisor owns the page tables");
  }
  if (tree.number<int>("/proc/sys/kernel/modules_disabled").value_or(0) != 0) {
    found.emplace_back("this system loads no modules any more (kernel.modules_disabled)");
  }
  const bool locked = here.lockdown && *here.lockdown != "none";
  if (locked || here.signed_modules_only.value_or(false)) {
    found.emplace_back(
        "this kernel loads signed modules only (docs/kernel-module.md, Secure Boot)");
  }
  return found;
}

module_state read_module_state(const system_tree& tree, const system_facts& here) {
  module_state state;
  state.release = here.release;
  state.facts = here.module;
  state.numbers = read_numbers(tree);
  state.installed = installed_module(tree, here.release);
  state.refusals = module_refusals(tree, here);
  if (here.module.usable) {
    const result<module_session> opened = module_session::open();
    if (opened) state.info = opened->limits();
  }
  return state;
}

}  // namespace numatch::live
