// SPDX-License-Identifier: Apache-2.0
#include "report/page_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace numatch::report {

namespace {

std::uint64_t end_of(const page_use& use) {
  return use.first_page.value + use.pages;
}

page_run run_of(const std::vector<const page_use*>& active, std::uint64_t first,
                std::uint64_t end) {
  page_run run;
  run.first = page_number(first);
  run.pages = end - first;
  std::map<thread_id, page_user> users;
  std::map<thread_id, std::uint64_t> early;
  std::uint32_t first_window = active.front()->window;
  for (const page_use* use : active) first_window = std::min(first_window, use->window);
  for (const page_use* use : active) {
    page_user& user = users[use->thread];
    user.thread = use->thread;
    user.reads += use->reads;
    user.writes += use->writes;
    if (use->window == first_window) early[use->thread] += use->reads + use->writes;
  }
  std::uint64_t most = 0;
  for (const auto& [thread, accesses] : early) {
    if (accesses > most) {
      most = accesses;
      run.first_user = thread;
    }
  }
  for (const auto& [thread, user] : users) run.users.push_back(user);
  return run;
}

}  // namespace

std::uint64_t page_run::accesses() const {
  std::uint64_t sum = 0;
  for (const page_user& user : users) sum += user.accesses();
  return sum;
}

const page_user& page_run::dominant() const {
  return *std::max_element(users.begin(), users.end(), [](const page_user& a, const page_user& b) {
    return a.accesses() < b.accesses();
  });
}

std::vector<page_run> page_runs(const profile& learned) {
  std::vector<const page_use*> uses;
  std::vector<std::uint64_t> cuts;
  for (const page_use& use : learned.pages) {
    if (use.pages == 0 || use.reads + use.writes == 0) continue;
    uses.push_back(&use);
    cuts.push_back(use.first_page.value);
    cuts.push_back(end_of(use));
  }
  std::stable_sort(uses.begin(), uses.end(), [](const page_use* a, const page_use* b) {
    return a->first_page < b->first_page;
  });
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  std::vector<page_run> runs;
  std::vector<const page_use*> active;
  std::size_t next = 0;
  for (std::size_t cut = 0; cut + 1 < cuts.size(); ++cut) {
    std::erase_if(active, [&](const page_use* use) { return end_of(*use) <= cuts[cut]; });
    while (next < uses.size() && uses[next]->first_page.value == cuts[cut]) {
      active.push_back(uses[next++]);
    }
    if (active.empty()) continue;
    page_run run = run_of(active, cuts[cut], cuts[cut + 1]);
    if (!runs.empty() && runs.back().first.value + runs.back().pages == run.first.value &&
        runs.back().users == run.users && runs.back().first_user == run.first_user) {
      runs.back().pages += run.pages;
    } else {
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

double exclusivity::shared_share() const {
  return accesses() > 0 ? (accesses_read_shared + accesses_write_shared) / accesses() : 0;
}

exclusivity measure_exclusivity(const std::vector<page_run>& runs) {
  exclusivity found;
  double dominant = 0;
  for (const page_run& run : runs) {
    const double pages = static_cast<double>(run.pages);
    const double accesses = static_cast<double>(run.accesses());
    const double most = static_cast<double>(run.dominant().accesses());
    dominant += pages * most;
    // The small step back puts a share of exactly b/10 in the bin that ends there.
    const double place = std::ceil(most / accesses * exclusivity::bins - 1e-9) - 1;
    const std::size_t bin =
        static_cast<std::size_t>(std::clamp(place, 0.0, double{exclusivity::bins - 1}));
    found.share_of_accesses[bin] += pages * accesses;
    found.pages[bin] += run.pages;
    double writes = 0;
    for (const page_user& user : run.users) writes += static_cast<double>(user.writes);
    if (run.shared() && writes <= accesses / 100) found.accesses_hardly_written += pages * accesses;
    const bool written = writes > 0;
    if (!run.shared()) {
      found.pages_private += run.pages;
      found.accesses_private += pages * accesses;
    } else if (written) {
      found.pages_write_shared += run.pages;
      found.accesses_write_shared += pages * accesses;
    } else {
      found.pages_read_shared += run.pages;
      found.accesses_read_shared += pages * accesses;
    }
  }
  if (found.accesses() > 0) {
    found.level = dominant / found.accesses();
    for (double& share : found.share_of_accesses) share /= found.accesses();
  }
  return found;
}

std::vector<thread_pages> accesses_by_thread(const std::vector<page_run>& runs,
                                             std::size_t threads) {
  std::vector<thread_pages> sums(threads);
  for (const page_run& run : runs) {
    const thread_id main = run.dominant().thread;
    for (const page_user& user : run.users) {
      if (user.thread.index() >= threads) continue;
      thread_pages& sum = sums[user.thread.index()];
      const std::uint64_t accesses = run.pages * user.accesses();
      sum.accesses += accesses;
      if (run.shared()) sum.shared += accesses;
      if (user.thread != main) sum.foreign += accesses;
    }
  }
  return sums;
}

sharing_matrix read_flow(const std::vector<page_run>& runs, std::size_t threads) {
  sharing_matrix flow(threads);
  for (const page_run& run : runs) {
    if (!run.shared()) continue;
    double writes = 0;
    for (const page_user& user : run.users) writes += static_cast<double>(user.writes);
    if (writes == 0) continue;
    const double pages = static_cast<double>(run.pages);
    for (const page_user& writer : run.users) {
      if (writer.writes == 0 || writer.thread.index() >= threads) continue;
      const double part = static_cast<double>(writer.writes) / writes;
      for (const page_user& reader : run.users) {
        if (reader.thread == writer.thread || reader.thread.index() >= threads) continue;
        flow.add(writer.thread.index(), reader.thread.index(),
                 pages * part * static_cast<double>(reader.reads));
      }
    }
  }
  return flow;
}

}  // namespace numatch::report
