// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace numatch::live {

using tree_files = std::map<std::string, std::string>;

/// A copy of the files in which Linux describes itself, gone with the object.
class written_tree {
 public:
  explicit written_tree(const tree_files& files) {
    std::string name = testing::TempDir() + "/system_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the tree");
    folder_ = name;
    for (const auto& [path, content] : files) {
      const std::filesystem::path file(folder_ + path);
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << content;
    }
  }
  ~written_tree() { std::filesystem::remove_all(folder_); }
  written_tree(const written_tree&) = delete;
  written_tree& operator=(const written_tree&) = delete;
  const std::string& root() const { return folder_; }

 private:
  std::string folder_;
};

/// A server with two nodes as Debian 12 sets it up, seen by an ordinary user.
inline tree_files debian_server() {
  return {
      {"/proc/sys/kernel/osrelease", "6.1.0-40-amd64\n"},
      {"/proc/self/status",
       "Name:\tnumatch\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n"
       "Cpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0-1\n"},
      {"/proc/self/cgroup", "0::/user.slice/user-1000.slice/session-4.scope\n"},
      {"/proc/sys/kernel/perf_event_paranoid", "3\n"},
      {"/proc/sys/kernel/perf_event_mlock_kb", "516\n"},
      {"/proc/sys/kernel/numa_balancing", "1\n"},
      {"/proc/1/comm", "systemd\n"},
      {"/sys/devices/system/node/online", "0-1\n"},
      {"/sys/devices/system/node/node0/cpulist", "0-3\n"},
      {"/sys/devices/system/node/node0/meminfo",
       "Node 0 MemTotal:       16384 kB\nNode 0 MemFree:  100 kB\n"},
      {"/sys/devices/system/node/node1/cpulist", "4-7\n"},
      {"/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       32768 kB\n"},
      {"/sys/fs/cgroup/user.slice/memory.max", "max\n"},
      {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
      {"/sys/kernel/security/lockdown", "[none] integrity confidentiality\n"},
  };
}

/// Debian 13: the same server, newer, for root, with a processor that samples data addresses.
inline tree_files newer_server() {
  tree_files files = debian_server();
  files["/proc/sys/kernel/osrelease"] = "6.12.48+deb13-amd64\n";
  files["/proc/self/status"] =
      "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nCpus_allowed_list:\t0-7\n"
      "Mems_allowed_list:\t0-1\n";
  files["/sys/bus/event_source/devices/cpu/events/mem-loads"] = "event=0xcd,umask=0x1,ldlat=3\n";
  files["/sys/bus/event_source/devices/software/type"] = "1\n";
  files["/sys/kernel/sched_ext/state"] = "disabled\n";
  files["/proc/812/comm"] = "numad\n";
  return files;
}

/// A container that may use three processors of one node, half their time, and 256 MiB.
inline tree_files container() {
  tree_files files = debian_server();
  files["/proc/sys/kernel/osrelease"] = "6.8.0-60-generic\n";
  files["/proc/sys/kernel/perf_event_paranoid"] = "4\n";
  files["/proc/sys/kernel/yama/ptrace_scope"] = "1\n";
  files["/proc/self/status"] =
      "Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\nCpus_allowed_list:\t0,2-3\n"
      "Mems_allowed_list:\t0\n";
  files["/proc/self/cgroup"] = "0::/app/worker\n";
  files["/sys/fs/cgroup/memory.max"] = "536870912\n";
  files["/sys/fs/cgroup/app/memory.max"] = "268435456\n";
  files["/sys/fs/cgroup/app/worker/memory.max"] = "max\n";
  files["/sys/fs/cgroup/app/worker/cpu.max"] = "max 100000\n";
  files["/sys/fs/cgroup/app/cpu.max"] = "150000 100000\n";
  return files;
}

/// Four nodes with processors and four with memory alone; everything that places things runs.
inline tree_files eight_nodes() {
  tree_files files = debian_server();
  files["/proc/sys/kernel/osrelease"] = "7.2.12-amd64\n";
  files["/proc/self/status"] =
      "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0\nCpus_allowed_list:\t0-7\n"
      "Mems_allowed_list:\t0-7\n";
  files["/proc/sys/kernel/numa_balancing"] = "3\n";
  files["/sys/devices/system/node/online"] = "0-7\n";
  for (unsigned node = 0; node < 8; ++node) {
    const std::string number = std::to_string(node);
    const std::string folder = "/sys/devices/system/node/node" + number;
    files[folder + "/cpulist"] =
        node < 4 ? std::to_string(2 * node) + "-" + std::to_string(2 * node + 1) + "\n" : "\n";
    files[folder + "/meminfo"] = "Node " + number + " MemTotal:  8192 kB\n";
  }
  files["/boot/config-7.2.12-amd64"] = "CONFIG_SMP=y\nCONFIG_SCHED_CACHE=y\n";
  files["/sys/kernel/sched_ext/state"] = "enabled\n";
  files["/sys/kernel/sched_ext/root/ops"] = "rusty_1.0.8\n";
  files["/sys/kernel/security/lockdown"] = "none [integrity] confidentiality\n";
  files["/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"] =
      std::string("\x06\0\0\0\x01", 5);
  files["/sys/module/module/parameters/sig_enforce"] = "Y\n";
  files["/sys/bus/event_source/devices/ibs_op/type"] = "11\n";
  return files;
}

}  // namespace numatch::live
