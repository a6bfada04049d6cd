// SPDX-License-Identifier: Apache-2.0
#include "live/concerns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mapping/recipes.hpp"

namespace numatch::live {

namespace {

concern balancing(const system_facts& here) {
  concern made{"NUMA Balancing", "not built in", false, "", ""};
  if (!here.numa_balancing) return made;
  const unsigned modes = static_cast<unsigned>(*here.numa_balancing);
  constexpr unsigned normal = 1;
  constexpr unsigned tiering = 2;
  made.state = modes == 0 ? "off" : fmt::format("on ({})", modes);
  made.matters = modes != 0 && here.nodes.size() > 1;
  if (!made.matters) return made;
  made.says = "the kernel moves pages and threads by itself, against other placements";
  if ((modes & normal) == 0 && (modes & tiering) != 0) {
    made.says = "the kernel moves pages between fast and slow memory by itself";
  }
  made.remedy =
      "leave it on for the sensor numa-hint, else `sysctl kernel.numa_balancing=0`, which is for "
      "the whole machine";
  return made;
}

concern cache_aware(const system_facts& here) {
  using state = rival_facts::state;
  concern made{"cache-aware scheduling", "not built in", false, "", ""};
  const state found = here.rivals.cache_aware;
  if (found == state::absent) return made;
  made.state = found == state::on ? "on" : "off";
  if (found == state::built_in) made.state = "built in, probably on";
  made.matters = found != state::off;
  if (!made.matters) return made;
  made.says =
      "the kernel gathers the threads of a program on one last-level cache; threads with an "
      "affinity of their own stay where they are";
  made.remedy = "as root: echo 0 > /sys/kernel/debug/sched/llc_balancing/enabled";
  return made;
}

concern sched_ext(const system_facts& here) {
  concern made{"sched_ext", here.rivals.sched_ext.value_or("not built in"), false, "", ""};
  made.matters = here.rivals.sched_ext && *here.rivals.sched_ext != "disabled";
  if (!made.matters) return made;
  const std::string& name = here.rivals.sched_ext_name;
  made.says = fmt::format(
      "the scheduler {} places threads, and the kernel scans no memory for NUMA "
      "hints in its programs",
      name.empty() ? "of a BPF program" : name);
  made.remedy = "stop its service while numatch places threads";
  return made;
}

concern numad(const system_facts& here) {
  concern made{"numad", here.rivals.numad ? "runs" : "does not run", here.rivals.numad, "", ""};
  if (!made.matters) return made;
  made.says = "it moves whole programs, threads and pages, between nodes";
  made.remedy = "systemctl stop numad, or numad -x PID for one program";
  return made;
}

std::size_t processors_of(const system_facts& here) {
  std::size_t count = 0;
  for (const node_facts& node : here.nodes) count += node.cpus.size();
  return count;
}

concern cpuset(const system_facts& here) {
  const std::size_t all = processors_of(here);
  const std::vector<unsigned>& cpus = here.limits.cpus;
  const std::vector<unsigned>& nodes = here.limits.nodes;
  concern made{"processors and nodes", "all", false, "", ""};
  // Lists may name processors that are possible but not there.
  const bool fewer_cpus = !cpus.empty() && cpus.size() < all;
  const bool fewer_nodes = !nodes.empty() && nodes.size() < here.nodes.size();
  if (!fewer_cpus && !fewer_nodes) return made;
  made.matters = true;
  made.state.clear();
  if (fewer_cpus) {
    made.state = fmt::format("processors {} of {}", cpu_list(cpus), all);
  }
  if (fewer_nodes) {
    made.state +=
        fmt::format("{}nodes {} of {}", fewer_cpus ? ", " : "", cpu_list(nodes), here.nodes.size());
  }
  made.says = "a cpuset or affinity of this process; it is respected";
  return made;
}

std::string size_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(1ULL << 30U));
}

concern memory_limit(const system_facts& here) {
  std::uint64_t all = 0;
  for (const node_facts& node : here.nodes) all += node.memory_bytes;
  concern made{"control group: memory", "no limit", false, "", ""};
  if (!here.limits.memory_bytes || *here.limits.memory_bytes >= all) return made;
  made.state = size_text(*here.limits.memory_bytes);
  made.matters = true;
  made.says = "a page needs room on its new node within this limit before it can move";
  return made;
}

concern time_limit(const system_facts& here) {
  concern made{"control group: processor time", "no limit", false, "", ""};
  if (!here.limits.cpu_time) return made;
  made.state = fmt::format("{:g} processors", *here.limits.cpu_time);
  made.matters = *here.limits.cpu_time < static_cast<double>(processors_of(here));
  if (made.matters) {
    made.says = "threads beyond it are stopped for part of the time, wherever they are placed";
  }
  return made;
}

concern memory_only(const system_facts& here) {
  std::vector<unsigned> bare;
  for (const node_facts& node : here.nodes) {
    if (node.cpus.empty()) bare.push_back(node.os_index);
  }
  concern made{"nodes without processors", "none", false, "", ""};
  if (bare.empty() || bare.size() == here.nodes.size()) return made;  // all: they could not be read
  made.state = fmt::format("{}", cpu_list(bare));
  made.matters = true;
  made.says = "their memory is remote to every thread, and pages there may be meant to be there";
  return made;
}

concern huge_pages(const system_facts& here) {
  concern made{"transparent huge pages", here.huge_pages.value_or("not built in"), false, "", ""};
  made.matters = made.state == "always";
  if (made.matters) {
    made.says =
        "many threads may share a huge page though they use other parts of it; some sensors "
        "split huge pages";
  }
  return made;
}

concern modules(const system_facts& here) {
  const bool locked = here.lockdown && *here.lockdown != "none";
  const bool signed_only = here.signed_modules_only.value_or(false);
  concern made{"kernel modules", "may be loaded by root", false, "", ""};
  if (here.secure_boot.value_or(false)) made.state += " (Secure Boot)";
  if (!locked && !signed_only) return made;
  made.state =
      locked ? fmt::format("signed ones only (lockdown: {})", *here.lockdown) : "signed ones only";
  if (locked && *here.lockdown == "confidentiality") {
    made.matters = true;
    made.says = "kernel profiling is shut off, too";
  }
  return made;
}

}  // namespace

std::vector<concern> concerns_of(const system_facts& here) {
  return {balancing(here),  cache_aware(here),  sched_ext(here),  numad(here),
          cpuset(here),     memory_limit(here), time_limit(here), memory_only(here),
          huge_pages(here), modules(here)};
}

}  // namespace numatch::live
