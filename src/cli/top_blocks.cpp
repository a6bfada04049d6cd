// SPDX-License-Identifier: Apache-2.0
#include "cli/top_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "report/format.hpp"

namespace numatch::cli {

namespace {

using live::pictured_thread;
using live::program_picture;
using report::fit;
using report::pad;

std::string amount_or_dash(std::uint64_t value) {
  if (value == 0) return "–";
  return value < 10'000 ? fmt::to_string(value) : report::amount(static_cast<double>(value));
}

/// "43 %" without a fraction: a column is narrow.
std::string whole_percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "–";
  return fmt::format("{:.0f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

double remote_share(const pictured_thread& thread) {
  if (thread.placed_uses == 0) return -1;
  return 1 - static_cast<double>(thread.local_uses) / static_cast<double>(thread.placed_uses);
}

std::string number_or(std::string_view otherwise, const std::optional<unsigned>& number) {
  return number ? fmt::to_string(*number) : std::string(otherwise);
}

std::string thread_line(std::size_t number, const pictured_thread& thread) {
  const std::string cpu =
      thread.cpu_share ? fmt::format("{:.0f}", 100 * *thread.cpu_share) : std::string("–");
  return fmt::format("{:>3} {:>7} {} {:>4} {:>4} {:>4} {} {}", number, thread.seen.task,
                     pad(fit(thread.seen.name, 11), 11), thread.seen.cpu,
                     number_or("?", thread.seen.node), cpu,
                     report::pad_left(amount_or_dash(thread.uses), 7),
                     report::pad_left(whole_percent(thread.local_uses, thread.placed_uses), 6));
}

/// calls each(place in picture.threads) for the rows that are to be seen.
template <class Each>
void for_rows(const std::vector<std::size_t>& listed, const top_view& view, std::size_t most,
              const Each& each) {
  const std::size_t first = std::min(view.first, listed.empty() ? 0 : listed.size() - 1);
  for (std::size_t i = first; i < listed.size() && i - first < most; ++i) each(listed[i]);
}

std::uint64_t sum_of_uses(const program_picture& picture) {
  std::uint64_t sum = 0;
  for (const pictured_thread& thread : picture.threads) sum += thread.uses;
  return sum;
}

std::string sensed_line(const program_picture& picture) {
  const live::pictured_sensing& sensing = picture.sensing;
  if (sensing.sensor.empty()) return "not sensed: " + sensing.note;
  std::uint64_t local = 0;
  std::uint64_t placed = 0;
  for (const pictured_thread& thread : picture.threads) {
    local += thread.local_uses;
    placed += thread.placed_uses;
  }
  std::string text =
      fmt::format("sampled by {}: {} uses seen lately ({}), {} of them local", sensing.sensor,
                  amount_or_dash(sum_of_uses(picture)), sensing.sees, whole_percent(local, placed));
  if (sensing.totals.lost != 0) text += fmt::format("; {} lost", sensing.totals.lost);
  return text;
}

std::string cost_line(const live::pictured_sensing& sensing) {
  const double time = static_cast<double>(sensing.totals.program_time);
  const double share = time > 0 ? sensing.totals.cost / time : 0;
  std::string text = fmt::format(
      "sensing costs {} of its time (estimated); {} of {} pages seen", report::percent(share),
      sensing.totals.watched_pages - sensing.totals.never_sensed, sensing.totals.watched_pages);
  if (!sensing.note.empty()) text += "; " + sensing.note;
  return text;
}

}  // namespace

std::vector<std::size_t> listed_threads(const program_picture& picture, top_order order) {
  std::vector<std::size_t> listed(picture.threads.size());
  std::iota(listed.begin(), listed.end(), std::size_t{0});
  const auto key = [&](std::size_t place) -> double {
    const pictured_thread& thread = picture.threads[place];
    switch (order) {
      case top_order::cpu:
        return -thread.cpu_share.value_or(0);
      case top_order::remote:
        return -remote_share(thread);
      case top_order::uses:
        return -static_cast<double>(thread.uses);
      case top_order::node:
        return thread.seen.node ? *thread.seen.node : 1e9;
      case top_order::number:
        break;
    }
    return 0;
  };
  std::stable_sort(listed.begin(), listed.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return listed;
}

lines sensing_block(const program_picture& picture, const top_view& view) {
  const std::size_t threads = picture.threads.size();
  lines block{fmt::format("{} ({}): {} thread{}, {} in memory, {:.1f} s{}",
                          fit(picture.places.name, 24), picture.places.pid, threads,
                          threads == 1 ? "" : "s", report::bytes(picture.places.bytes),
                          picture.seconds, view.paused ? ", paused" : "")};
  block.push_back(sensed_line(picture));
  if (!picture.sensing.sensor.empty()) block.push_back(cost_line(picture.sensing));
  return block;
}

lines nodes_block(const program_picture& picture, std::size_t most_rows) {
  lines block{"node threads  CPU %     memory  pages used lately"};
  const std::vector<live::node_share>& nodes = picture.places.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (n == most_rows && most_rows < nodes.size()) {
      block.back() = fmt::format("     … and {} nodes more", nodes.size() - most_rows + 1);
      break;
    }
    double cpu = 0;
    std::uint64_t pages = 0;
    for (const pictured_thread& thread : picture.threads) {
      if (thread.seen.node == nodes[n].node) cpu += thread.cpu_share.value_or(0);
      if (n < thread.pages_on.size()) pages += thread.pages_on[n];
    }
    block.push_back(fmt::format(
        "{:>4} {:>7} {:>6.0f} {:>10}  {:>17}", nodes[n].node, nodes[n].threads, 100 * cpu,
        picture.places.pages_known ? report::bytes(nodes[n].bytes) : "?", amount_or_dash(pages)));
  }
  return block;
}

lines threads_block(const program_picture& picture, const std::vector<std::size_t>& listed,
                    const top_view& view, std::size_t most_rows) {
  lines block{"  #  thread name         cpu node CPU%    uses  local"};
  for_rows(listed, view, most_rows,
           [&](std::size_t place) { block.push_back(thread_line(place, picture.threads[place])); });
  return block;
}

lines pages_block(const program_picture& picture, const std::vector<std::size_t>& listed,
                  const top_view& view, std::size_t most_rows) {
  std::string title = "pages";
  for (const live::node_share& share : picture.places.nodes) {
    title += fmt::format("{:>6}", fmt::format("N{}", share.node));
  }
  lines block{title};
  for_rows(listed, view, most_rows, [&](std::size_t place) {
    std::string row = fmt::format("{:>5}", place);
    for (const std::uint64_t pages : picture.threads[place].pages_on) {
      row += report::pad_left(amount_or_dash(pages), 6);
    }
    block.push_back(row);
  });
  return block;
}

lines help_block() {
  return {"keys",
          "",
          "  c r u n t  sort by CPU share, remote share, uses, node, thread",
          "  tab        beside the threads: who shares with whom, or pages per node",
          "  up down    one thread up or down; also k j, page up, page down, home",
          "  space p    pause: the picture stays, sensing goes on",
          "  h ?        this help, and back",
          "  q          quit; the program goes on",
          "",
          "measured: processor, node, CPU share, memory per node (from /proc)",
          "sampled:  uses, local, sharing, pages used lately, of what the sensor saw lately",
          "local:    of pages that lay on the node where the thread ran"};
}

}  // namespace numatch::cli
