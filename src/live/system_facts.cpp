// SPDX-License-Identifier: Apache-2.0
#include "live/system_facts.hpp"

#include <fmt/format.h>
#include <linux/capability.h>

#include <algorithm>
#include <charconv>

#include "live/limit_facts.hpp"
#include "live/module_files.hpp"
#include "live/system_tree.hpp"

namespace numatch::live {

namespace {

constexpr unsigned cap_perfmon = 38;  // not in the headers of older systems

kernel_version version_of(const std::string& release) {
  kernel_version version;
  version.major = leading_number<unsigned>(release).value_or(0);
  const std::size_t dot = release.find('.');
  if (dot != std::string::npos) {
    version.minor = leading_number<unsigned>(std::string_view(release).substr(dot + 1)).value_or(0);
  }
  return version;
}

void read_rights(const system_tree& tree, system_facts& facts) {
  const std::string status = "/proc/self/status";
  // "Uid:" has the real, the effective and two more; the effective one decides.
  const std::string uids = tree.value(status, "Uid").value_or("0 0");
  facts.user = leading_number<unsigned>(
                   std::string_view(uids).substr(std::min(uids.size(), uids.find_first_of(" \t"))))
                   .value_or(0);
  const std::string held = tree.value(status, "CapEff").value_or("0");
  std::uint64_t rights = 0;
  std::from_chars(held.data(), held.data() + held.size(), rights, 16);
  const auto holds = [&](unsigned right) { return (rights >> right & 1U) != 0; };
  facts.may_trace_all = holds(CAP_SYS_PTRACE);
  facts.may_administer = holds(CAP_SYS_ADMIN);
  facts.may_sample_all = holds(cap_perfmon) || facts.may_administer;
  facts.may_renice_all = holds(CAP_SYS_NICE);
}

std::uint64_t bytes_of(const std::string& kilobytes) {
  return leading_number<std::uint64_t>(kilobytes).value_or(0) * 1024;
}

std::vector<node_facts> read_nodes(const system_tree& tree) {
  const std::string folder = "/sys/devices/system/node";
  std::vector<node_facts> nodes;
  for (const unsigned index : number_list(tree.text(folder + "/online").value_or(""))) {
    const std::string node = fmt::format("{}/node{}", folder, index);
    node_facts found;
    found.os_index = index;
    found.cpus = number_list(tree.text(node + "/cpulist").value_or(""));
    found.memory_bytes = bytes_of(
        tree.value(node + "/meminfo", fmt::format("Node {} MemTotal", index)).value_or(""));
    nodes.push_back(found);
  }
  if (!nodes.empty()) return nodes;
  // A kernel without NUMA is one node.
  node_facts only;
  only.cpus = number_list(tree.text("/sys/devices/system/cpu/online").value_or(""));
  only.memory_bytes = bytes_of(tree.value("/proc/meminfo", "MemTotal").value_or(""));
  return {only};
}

/// The unit of the processor that samples data addresses, by what it offers and not by its model.
std::optional<std::string> sampling_unit(const system_tree& tree) {
  const std::string units = "/sys/bus/event_source/devices";
  for (const std::string& name : tree.names_in(units)) {
    if (name == "ibs_op" || name.starts_with("arm_spe_")) return name;
    if (tree.exists(fmt::format("{}/{}/events/mem-loads", units, name))) return name;
  }
  return std::nullopt;
}

rival_facts::state cache_awareness(const system_tree& tree, const std::string& release) {
  const std::optional<std::string> enabled =
      tree.text("/sys/kernel/debug/sched/llc_balancing/enabled");
  if (enabled) {
    const bool on = !enabled->empty() && (enabled->front() == 'Y' || enabled->front() == '1');
    return on ? rival_facts::state::on : rival_facts::state::off;
  }
  const std::optional<std::string> config = tree.text("/boot/config-" + release);
  if (config && config->find("CONFIG_SCHED_CACHE=y") != std::string::npos) {
    return rival_facts::state::built_in;
  }
  return rival_facts::state::absent;
}

bool runs(const system_tree& tree, std::string_view program) {
  for (const std::string& name : tree.names_in("/proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (tree.text("/proc/" + name + "/comm") == program) return true;
  }
  return false;
}

void read_rivals(const system_tree& tree, system_facts& facts) {
  facts.rivals.cache_aware = cache_awareness(tree, facts.release);
  facts.rivals.sched_ext = tree.text("/sys/kernel/sched_ext/state");
  facts.rivals.sched_ext_name = tree.text("/sys/kernel/sched_ext/root/ops").value_or("");
  facts.rivals.numad = runs(tree, "numad");
}

/// Whether only signed code may enter the kernel, and who says so.
void read_protection(const system_tree& tree, system_facts& facts) {
  facts.lockdown = tree.chosen("/sys/kernel/security/lockdown");
  // Four bytes of attributes, then the value; the name holds the identity of UEFI's own variables.
  const std::optional<std::string> boot =
      tree.text("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
  if (boot && boot->size() == 5) facts.secure_boot = boot->back() == 1;
  const std::optional<std::string> enforced =
      tree.text("/sys/module/module/parameters/sig_enforce");
  if (enforced) facts.signed_modules_only = enforced->starts_with('Y');
}

kernel_module_facts read_module(const system_tree& tree, const std::string& release) {
  const std::string modules = "/lib/modules/" + release;
  kernel_module_facts found;
  found.loaded = tree.exists("/sys/module/numatch");
  found.headers = tree.exists(modules + "/build/Makefile");
  found.built = installed_module(tree, release).has_value();
  return found;
}

}  // namespace

system_facts read_system_files(const std::string& root) {
  const system_tree tree(root);
  system_facts facts;
  facts.release = tree.text("/proc/sys/kernel/osrelease").value_or("");
  facts.kernel = version_of(facts.release);
  read_rights(tree, facts);
  facts.nodes = read_nodes(tree);
  facts.perf_event_paranoid = tree.number<int>("/proc/sys/kernel/perf_event_paranoid");
  const std::optional<std::uint64_t> lockable =
      tree.number<std::uint64_t>("/proc/sys/kernel/perf_event_mlock_kb");
  if (lockable) facts.perf_buffer_bytes = *lockable * 1024;
  facts.yama_ptrace_scope = tree.number<int>("/proc/sys/kernel/yama/ptrace_scope");
  facts.numa_balancing = tree.number<int>("/proc/sys/kernel/numa_balancing");
  facts.memory_sampling = sampling_unit(tree);
  facts.huge_pages = tree.chosen("/sys/kernel/mm/transparent_hugepage/enabled");
  read_protection(tree, facts);
  facts.module = read_module(tree, facts.release);
  read_rivals(tree, facts);
  facts.limits = read_limits(tree);
  return facts;
}

system_facts read_system_facts() {
  system_facts facts = read_system_files("/");
  probe_kernel(facts);
  return facts;
}

}  // namespace numatch::live
