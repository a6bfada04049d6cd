// SPDX-License-Identifier: Apache-2.0
#include "live/page_mover.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "live/sensor.hpp"

namespace numatch::live {

namespace {

constexpr std::size_t asked_at_once = 4096;
/// Credit that nobody used is kept for so long, in seconds, so that a rest is not followed by a
/// burst.
constexpr double longest_saving = 0.25;
constexpr double first_saving = 0.02;

page_stays reason_of(int status) {
  switch (-status) {
    case EBUSY:
    case EAGAIN:
      return page_stays::busy;
    case EACCES:
    case EPERM:
      return page_stays::shared;
    case ENOENT:
    case EFAULT:
      return page_stays::absent;
    case ENOMEM:
      return page_stays::no_memory;
    default:
      return page_stays::fixed;
  }
}

error trouble(int code) {
  if (code == ESRCH) return {"the process has ended", "move_pages", ""};
  if (code == EPERM) {
    return {"its pages may not be moved by this user", "move_pages",
            "run numatch as the program's user or as root"};
  }
  return {std::strerror(code), "move_pages", ""};
}

}  // namespace

std::string_view to_string(page_stays reason) {
  switch (reason) {
    case page_stays::busy:
      return "busy";
    case page_stays::shared:
      return "shared with other processes";
    case page_stays::absent:
      return "not in memory";
    case page_stays::no_memory:
      return "no memory on its node";
    case page_stays::fixed:
      break;
  }
  return "cannot be moved";
}

page_mover_options options_for(kernel_version kernel) {
  page_mover_options options;
  if (kernel >= kernel_version{6, 3}) options.group_bytes = 512 * 1024;
  return options;
}

int kernel_page_system::move(std::span<const page_number> pages, std::span<const int> nodes,
                             std::span<int> status) {
  std::vector<void*> addresses(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    addresses[i] = reinterpret_cast<void*>(pages[i].value * sensed_page_bytes);
  }
  const auto call = [&](int flag) {
    return ::syscall(SYS_move_pages, process_, pages.size(), addresses.data(),
                     nodes.empty() ? nullptr : nodes.data(), status.data(), flag);
  };
  long done = call(shared_too_ ? MPOL_MF_MOVE_ALL : MPOL_MF_MOVE);
  if (done < 0 && errno == EPERM && std::exchange(shared_too_, false)) done = call(MPOL_MF_MOVE);
  // A positive answer is the number of pages that did not move; their status says why.
  return done < 0 ? errno : 0;
}

result<std::vector<int>> nodes_of_pages(page_system& system, std::span<const page_number> pages) {
  std::vector<int> nodes(pages.size(), -ENOENT);
  for (std::size_t at = 0; at < pages.size(); at += asked_at_once) {
    const std::size_t count = std::min(asked_at_once, pages.size() - at);
    const int failed =
        system.move(pages.subspan(at, count), {}, std::span(nodes).subspan(at, count));
    if (failed != 0) return tl::unexpected(trouble(failed));
  }
  return nodes;
}

void page_mover::ask(std::span<const page_move> moves) {
  for (const page_move& move : moves) waiting_.push_back({move, 0});
}

void page_mover::forget() {
  waiting_.clear();
  again_.clear();
}

std::vector<page_mover::waiting_page> page_mover::next_group() {
  std::vector<waiting_page> group;
  std::uint64_t bytes = 0;
  while (!waiting_.empty()) {
    const waiting_page& next = waiting_.front();
    if (!group.empty() && bytes + next.move.bytes > options_.group_bytes) break;
    bytes += next.move.bytes;
    group.push_back(next);
    waiting_.pop_front();
  }
  return group;
}

result<void> page_mover::step() {
  const std::uint64_t began = now_();
  const double passed = last_ == 0 ? first_saving : static_cast<double>(began - last_) / 1e9;
  credit_ = std::min(credit_ + options_.bytes_per_second * passed,
                     options_.bytes_per_second * longest_saving);
  last_ = began;
  // What was busy has its next try when the others had theirs.
  if (waiting_.empty()) {
    waiting_.assign(again_.begin(), again_.end());
    again_.clear();
  }
  while (!waiting_.empty() && credit_ >= 0 && now_() - began < options_.slice) {
    if (result<void> r = move(next_group()); !r) {
      forget();
      return r;
    }
  }
  return {};
}

result<void> page_mover::move(const std::vector<waiting_page>& group) {
  std::vector<page_number> pages;
  std::vector<int> nodes;
  for (const waiting_page& next : group) {
    pages.push_back(next.move.page);
    nodes.push_back(static_cast<int>(next.move.node));
    credit_ -= static_cast<double>(next.move.bytes);
  }
  const result<std::vector<int>> before = nodes_of_pages(system_, pages);
  if (!before) return tl::unexpected(before.error());
  std::vector<int> status(pages.size(), -EBUSY);
  const std::uint64_t began = now_();
  const int failed = system_.move(pages, nodes, status);
  totals_.longest_call = std::max(totals_.longest_call, now_() - began);
  if (failed == ENOMEM) {
    std::fill(status.begin(), status.end(), -ENOMEM);
  } else if (failed != 0) {
    return tl::unexpected(trouble(failed));
  }
  for (std::size_t i = 0; i < group.size(); ++i) judge(group[i], status[i], (*before)[i]);
  return {};
}

void page_mover::judge(const waiting_page& page, int status, int before) {
  const page_move& asked = page.move;
  if (status == static_cast<int>(asked.node)) {
    if (before == status || before < 0) return;
    ++totals_.moved_pages;
    totals_.moved_bytes += asked.bytes;
    origins_.try_emplace(asked.page,
                         page_move{asked.page, static_cast<unsigned>(before), asked.bytes});
    return;
  }
  // Some kernels say where a page still is instead of why it is there.
  const page_stays reason = status >= 0 ? page_stays::busy : reason_of(status);
  if (reason == page_stays::busy && page.tries + 1 < options_.tries) {
    again_.push_back({asked, page.tries + 1});
    return;
  }
  stays(reason);
}

std::vector<page_move> page_mover::take_origins() {
  std::vector<page_move> origins;
  for (const auto& [page, origin] : origins_) origins.push_back(origin);
  origins_.clear();
  return origins;
}

}  // namespace numatch::live
