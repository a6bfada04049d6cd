// SPDX-License-Identifier: Apache-2.0
#include "live/program_watch.hpp"

#include <algorithm>

#include "live/page_mover.hpp"

namespace numatch::live {

namespace {

/// What is seen of a page in one interval is little; what was seen long ago is no news.
constexpr unsigned pictures_per_period = 10;
/// Asking the kernel for more places takes longer than a person waits.
constexpr std::size_t most_placed_pages = 65'536;

/// Numbers of the pages that anybody used, sorted, thinned out evenly where they are too many.
std::vector<page_number> used_pages(const recent_uses& uses, const program_picture& made) {
  std::vector<std::uint64_t> found;
  for (const pictured_thread& thread : made.threads) {
    uses.pages_of(thread.seen.task,
                  [&](std::uint64_t page, const use_count&) { found.push_back(page); });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  const std::size_t stride = found.size() / most_placed_pages + 1;
  std::vector<page_number> pages;
  for (std::size_t i = 0; i < found.size(); i += stride) pages.emplace_back(found[i]);
  return pages;
}

std::size_t place_in(const std::vector<node_share>& nodes, unsigned node) {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const node_share& share) { return share.node == node; });
  return static_cast<std::size_t>(found - nodes.begin());
}

}  // namespace

program_watch::program_watch(observed_process process, system_facts machine)
    : process_(std::move(process)),
      machine_(std::move(machine)),
      program_(process_),
      pictured_(nanoseconds_of(CLOCK_MONOTONIC)) {}

result<std::unique_ptr<program_watch>> program_watch::start(observed_process process,
                                                            const std::string& sensor,
                                                            const sensing_options& options) {
  std::unique_ptr<program_watch> watch(new program_watch(std::move(process), read_system_facts()));
  result<opened_sensor> opened = open_sensor(sensor, watch->machine_, watch->process_);
  if (!opened && sensor != "auto") return tl::unexpected(opened.error());
  if (opened) {
    watch->sensed_ = std::move(*opened);
    const sensor_entry& entry = *watch->sensed_.entry;
    watch->sensing_.emplace(watch->program_, *watch->sensed_.senses, entry.how, !entry.sees_reads,
                            options, watch->uses_);
  } else {
    watch->trouble_ = opened.error().message();
  }
  if (const result<process_view> before = view_process(watch->process_, watch->machine_)) {
    for (const task_view& task : before->tasks) watch->cpu_seconds_[task.task] = task.cpu_seconds;
  }
  return watch;
}

void program_watch::step() {
  if (!sensing_ || !trouble_.empty()) return;
  const result<void> done = sensing_->step(nanoseconds_of(CLOCK_MONOTONIC));
  if (!done && process_.alive()) trouble_ = done.error().message();
}

void program_watch::add_places(program_picture& made) {
  const std::vector<page_number> pages = used_pages(uses_, made);
  kernel_page_system system(process_.pid());
  // Where the kernel does not tell, no use is placed.
  const std::vector<int> places = nodes_of_pages(system, pages).value_or(std::vector<int>{});
  for (pictured_thread& thread : made.threads) {
    thread.pages_on.resize(made.places.nodes.size());
    uses_.pages_of(thread.seen.task, [&](std::uint64_t page, const use_count& count) {
      thread.uses += count.total();
      const auto at = std::lower_bound(
          pages.begin(), pages.end(), page,
          [](page_number known, std::uint64_t wanted) { return known.value < wanted; });
      if (places.empty() || at == pages.end() || at->value != page) return;
      const int node = places[static_cast<std::size_t>(at - pages.begin())];
      if (node < 0) return;
      const std::size_t place = place_in(made.places.nodes, static_cast<unsigned>(node));
      if (place < thread.pages_on.size()) ++thread.pages_on[place];
      if (!thread.seen.node) return;
      thread.placed_uses += count.total();
      if (static_cast<unsigned>(node) == *thread.seen.node) thread.local_uses += count.total();
    });
  }
}

void program_watch::add_uses(program_picture& made) {
  made.sensing.note = trouble_.empty() ? sensed_.note : trouble_;
  if (!sensing_) return;
  made.sensing.sensor = sensed_.entry->name;
  made.sensing.sees = sensed_.entry->sees;
  made.sensing.totals = sensing_->totals();
  for (const std::string& limit : sensed_.senses->limits()) {
    made.sensing.note += (made.sensing.note.empty() ? "" : "; ") + limit;
  }
  add_places(made);
  std::vector<pid_t> tasks;
  for (const pictured_thread& thread : made.threads) {
    if (tasks.size() < most_shown_sharers) tasks.push_back(thread.seen.task);
  }
  made.sharing = uses_.sharing(tasks);
  if (++pictures_ % pictures_per_period == 0) uses_.turn();
}

result<program_picture> program_watch::picture() {
  result<process_view> view = view_process(process_, machine_);
  if (!view) return tl::unexpected(view.error());
  program_picture made;
  const std::uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
  made.seconds = static_cast<double>(now - pictured_) / 1e9;
  pictured_ = now;
  std::map<pid_t, double> cpu_seconds;
  for (task_view& task : view->tasks) {
    cpu_seconds[task.task] = task.cpu_seconds;
    pictured_thread thread;
    const auto before = cpu_seconds_.find(task.task);
    if (before != cpu_seconds_.end() && made.seconds > 0) {
      thread.cpu_share = std::max(0.0, task.cpu_seconds - before->second) / made.seconds;
    }
    thread.seen = std::move(task);
    made.threads.push_back(std::move(thread));
  }
  cpu_seconds_ = std::move(cpu_seconds);
  view->tasks.clear();
  made.places = std::move(*view);
  add_uses(made);
  return made;
}

}  // namespace numatch::live
