// SPDX-License-Identifier: Apache-2.0
#include "live/policy_armer.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "live/policy_restore.hpp"
#include "live/syscall_injector.hpp"
#include "live/text_fields.hpp"

namespace numatch::live {

namespace {

constexpr std::size_t pages_at_once = 4096;
/// Placing is looked up for so many pages in one go (4 GiB); what is beyond waits for the next.
constexpr std::uint64_t most_pages = 1 << 20;
/// Each run may split a mapping in three, and a process has 65,530 of them (vm.max_map_count).
constexpr std::size_t most_runs = 4000;

/// Node of each page; -1 when it is nowhere.
std::vector<int> nodes_of(pid_t process, std::uint64_t first, std::size_t pages) {
  std::vector<void*> addresses(pages);
  for (std::size_t i = 0; i < pages; ++i) {
    addresses[i] = reinterpret_cast<void*>(first + i * sensed_page_bytes);
  }
  std::vector<int> nodes(pages, -1);
  if (::syscall(SYS_move_pages, process, pages, addresses.data(), nullptr, nodes.data(), 0) != 0) {
    nodes.assign(pages, -1);
  }
  return nodes;
}

/// The node of a policy with one node: "bind=balancing:3".
std::optional<unsigned> node_of_policy(std::string_view policy) {
  unsigned node = 0;
  if (!parse_number(policy.substr(policy.rfind(':') + 1), 10, node)) return std::nullopt;
  return node;
}

remote_call policy_call(const node_run& run, int mode) {
  constexpr std::size_t word_bits = 64;
  remote_call call;
  call.number = SYS_mbind;
  call.data.assign(run.node / word_bits + 1, 0);
  call.data.back() = std::uint64_t{1} << (run.node % word_bits);
  call.data_at = 3;
  // The kernel takes one bit less than it is told.
  call.arguments = {run.first,
                    run.end - run.first,
                    static_cast<std::uint64_t>(mode) | MPOL_F_NUMA_BALANCING,
                    0,
                    call.data.size() * word_bits + 1,
                    0};
  return call;
}

/// Stops balancing where it is called: this policy allocates as the default does, and the kernel
/// neither samples nor moves pages of it.
remote_call hold_call(const byte_range& range) {
  remote_call call;
  call.number = SYS_mbind;
  call.arguments = {range.first, range.end - range.first, MPOL_LOCAL, 0, 0, 0};
  return call;
}

/// Runs that touch each other as one range; `runs` are in the order of their addresses.
std::vector<byte_range> joined(std::span<const node_run> runs) {
  std::vector<byte_range> ranges;
  for (const node_run& run : runs) {
    if (!ranges.empty() && ranges.back().end == run.first) {
      ranges.back().end = run.end;
    } else {
      ranges.push_back({run.first, run.end});
    }
  }
  return ranges;
}

/// Balancing passes over memory that several processes share and over files that are only read.
bool is_sampled(const mapped_range& range) {
  return range.writable && !range.shared && !range.name.starts_with("[v");
}

bool covers(std::span<const node_run> had, const node_run& wanted) {
  return std::any_of(had.begin(), had.end(), [&wanted](const node_run& run) {
    return run.node == wanted.node && run.first <= wanted.first && run.end >= wanted.end;
  });
}

}  // namespace

std::vector<node_run> runs_of_nodes(std::uint64_t first, std::span<const int> nodes) {
  std::vector<node_run> runs;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] < 0) continue;
    const std::uint64_t page = first + i * sensed_page_bytes;
    const unsigned node = static_cast<unsigned>(nodes[i]);
    if (!runs.empty() && runs.back().end == page && runs.back().node == node) {
      runs.back().end += sensed_page_bytes;
    } else {
      runs.push_back({page, page + sensed_page_bytes, node});
    }
  }
  return runs;
}

result<std::unique_ptr<policy_armer>> policy_armer::open(const observed_process& process) {
  result<guardian> guard = guardian::start();
  if (!guard) return tl::unexpected(guard.error());
  const lasting_id id = lasting_id_of(process.pid(), process.pid());
  return std::unique_ptr<policy_armer>(new policy_armer(process, std::move(*guard), id));
}

policy_armer::~policy_armer() {
  std::vector<byte_range> changed;
  for (const undo_journal::changed_policies& entry : guard_.journal().open_policies()) {
    changed.push_back({entry.first, entry.end});
  }
  if (changed.empty()) return;
  // What cannot be restored now stays in the journal, and the guardian tries once more.
  if (restore_policies(process_, changed)) guard_.journal().policies_restored(id_);
}

bool policy_armer::is_ours(const policy_range& range) const {
  return is_hint_policy(range.policy) && touched_.gaps_in({range.first, range.end}).empty();
}

result<void> policy_armer::watch(std::span<const mapped_range> ranges) {
  // Pages that balancing moves while they are looked at are found on the next look; most never do.
  constexpr int most_looks = 4;
  for (int look = 0; look < most_looks; ++look) {
    const std::uint64_t before = policies_set_;
    if (const result<void> done = look_at(ranges); !done) return done;
    if (policies_set_ == before) break;
  }
  return {};
}

result<void> policy_armer::look_at(std::span<const mapped_range> ranges) {
  const result<std::vector<policy_range>> policies = read_policies(process_);
  if (!policies) return tl::unexpected(policies.error());
  watched_.clear();
  prepared_.clear();
  range_set allowed;
  for (const mapped_range& range : ranges) {
    if (is_sampled(range)) allowed.add({range.first, range.end});
  }
  std::vector<node_run> had;
  for (const policy_range& known : *policies) {
    const bool ours = is_ours(known);
    if (known.policy != "default" && !ours) continue;
    for (const byte_range& part : allowed.parts_of({known.first, known.end})) watched_.add(part);
    const std::optional<unsigned> node = ours ? node_of_policy(known.policy) : std::nullopt;
    if (node) had.push_back({known.first, known.end, *node});
  }
  return prepare(watched_.ranges(), had);
}

std::vector<node_run> policy_armer::present_runs(std::span<const byte_range> wanted) const {
  std::vector<node_run> runs;
  std::uint64_t left = most_pages;
  for (const byte_range& range : wanted) {
    for (std::uint64_t at = range.first; at < range.end && left > 0;) {
      const std::size_t pages = static_cast<std::size_t>(
          std::min<std::uint64_t>({pages_at_once, left, (range.end - at) / sensed_page_bytes}));
      const std::vector<int> nodes = nodes_of(process_.pid(), at, pages);
      for (const node_run& run : runs_of_nodes(at, nodes)) {
        const bool goes_on = !runs.empty() && runs.back().end == run.first &&
                             runs.back().node == run.node && run.first != range.first;
        if (goes_on) {
          runs.back().end = run.end;
        } else {
          runs.push_back(run);
        }
      }
      at += pages * sensed_page_bytes;
      left -= pages;
    }
  }
  return runs;
}

result<void> policy_armer::prepare(std::span<const byte_range> wanted,
                                   std::span<const node_run> had) {
  std::vector<node_run> missing;
  for (const node_run& run : present_runs(wanted)) {
    if (covers(had, run)) {
      prepared_.add({run.first, run.end});
    } else {
      missing.push_back(run);
    }
  }
  if (missing.empty()) return {};
  for (const byte_range& range : wanted) {
    const result<void> noted = guard_.journal().policies_change(id_, range.first, range.end);
    if (!noted) return noted;
    touched_.add(range);
  }
  return set_policies(std::move(missing));
}

/// Which of the policies this kernel takes with the flag: "prefer" is milder, "bind" is older.
result<int> policy_armer::find_mode(const node_run& run) {
  for (const int mode : {MPOL_PREFERRED_MANY, MPOL_BIND}) {
    const remote_call call = policy_call(run, mode);
    const result<injection> done = syscall_injector(process_).run(std::span(&call, 1));
    if (!done) return tl::unexpected(done.error());
    if (done->answers.front() == 0) return mode;
    if (done->answers.front() != -EINVAL) {
      return fail("mbind", std::strerror(static_cast<int>(-done->answers.front())));
    }
  }
  return fail("mbind", "this kernel has no memory policy that balances", "needs Linux 5.12");
}

result<void> policy_armer::set_policies(std::vector<node_run> runs) {
  // The largest first, where there are more than a process may have mappings.
  std::stable_sort(runs.begin(), runs.end(), [](const node_run& one, const node_run& other) {
    return one.end - one.first > other.end - other.first;
  });
  runs.resize(std::min(runs.size(), most_runs - std::min(most_runs, prepared_.ranges().size())));
  if (runs.empty()) return {};
  std::sort(runs.begin(), runs.end(),
            [](const node_run& one, const node_run& other) { return one.first < other.first; });

  // A page that balancing moved after the look would belong elsewhere and be moved back. So pages
  // are held first, and looked at again where they stay.
  const std::vector<byte_range> held = joined(runs);
  std::vector<remote_call> holds;
  for (const byte_range& range : held) holds.push_back(hold_call(range));
  if (const result<injection> done = syscall_injector(process_).run(holds); !done) {
    return tl::unexpected(done.error());
  }
  runs = present_runs(held);
  if (runs.empty()) return {};

  if (!mode_) {
    const result<int> mode = find_mode(runs.front());
    if (!mode) return tl::unexpected(mode.error());
    mode_ = *mode;
  }
  std::vector<remote_call> calls;
  for (const node_run& run : runs) calls.push_back(policy_call(run, *mode_));
  const result<injection> done = syscall_injector(process_).run(calls);
  if (!done) return tl::unexpected(done.error());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (done->answers[i] != 0) continue;
    prepared_.add({runs[i].first, runs[i].end});
    ++policies_set_;
  }
  return {};
}

result<armed> policy_armer::arm(std::span<const page_run> pages) {
  std::vector<byte_range> missing;
  for (const page_run& run : pages) {
    for (const byte_range& part : watched_.parts_of(bytes_of(run))) {
      const std::vector<byte_range> gaps = prepared_.gaps_in(part);
      missing.insert(missing.end(), gaps.begin(), gaps.end());
    }
  }
  if (const result<void> done = prepare(missing, {}); !done) return tl::unexpected(done.error());
  armed done;
  for (const page_run& run : pages) {
    std::uint64_t possible = 0;
    for (const byte_range& part : watched_.parts_of(bytes_of(run))) {
      possible += (part.end - part.first) / sensed_page_bytes;
    }
    for (const byte_range& part : prepared_.parts_of(bytes_of(run))) {
      done.pages += (part.end - part.first) / sensed_page_bytes;
    }
    done.refused += run.pages - possible;
  }
  return done;
}

}  // namespace numatch::live
