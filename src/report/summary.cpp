// SPDX-License-Identifier: Apache-2.0
#include "report/summary.hpp"

#include <algorithm>
#include <numeric>

namespace numatch::report {

namespace {

constexpr std::size_t most_partners = 3;
constexpr double least_partner = 0.005;

std::vector<partner> partners_of(const sharing_matrix& sharing, std::size_t thread, double sum) {
  std::vector<partner> all;
  for (std::size_t j = 0; j < sharing.size(); ++j) {
    if (j == thread || sharing.between(thread, j) <= 0) continue;
    const double amount = sharing.between(thread, j);
    all.push_back({thread_id(static_cast<std::uint32_t>(j)), amount, amount / sum});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const partner& a, const partner& b) { return a.amount > b.amount; });
  if (all.size() > most_partners) all.resize(most_partners);
  while (all.size() > 1 && all.back().share < least_partner) all.pop_back();
  return all;
}

std::vector<thread_summary> summarise_threads(const profile& learned,
                                              const std::vector<page_run>& runs) {
  const std::size_t n = learned.threads.size();
  const std::vector<thread_pages> paged = accesses_by_thread(runs, n);
  double total = 0;
  for (const profiled_thread& thread : learned.threads) {
    total += static_cast<double>(thread.accesses);
  }
  std::vector<thread_summary> threads;
  for (std::size_t i = 0; i < n; ++i) {
    thread_summary t;
    t.id = thread_id(static_cast<std::uint32_t>(i));
    t.accesses = learned.threads[i].accesses;
    t.share_of_accesses = total > 0 ? static_cast<double>(t.accesses) / total : 0;
    t.shared_accesses = paged[i].shared;
    if (paged[i].accesses > 0) {
      const double all = static_cast<double>(paged[i].accesses);
      t.shared_share = static_cast<double>(paged[i].shared) / all;
      t.foreign_share = static_cast<double>(paged[i].foreign) / all;
    }
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) t.sharing += learned.sharing.between(i, j);
    }
    t.partners = partners_of(learned.sharing, i, t.sharing);
    threads.push_back(std::move(t));
  }
  return threads;
}

std::vector<object_summary> summarise_objects(const profile& learned) {
  std::vector<object_summary> objects;
  double total = 0;
  for (std::size_t i = 0; i < learned.objects.size(); ++i) {
    object_summary o;
    o.index = i;
    for (const auto& [thread, accesses] : learned.objects[i].shared_accesses) {
      if (accesses == 0) continue;
      o.shared_accesses += accesses;
      o.threads.emplace_back(thread);
    }
    total += static_cast<double>(o.shared_accesses);
    if (o.shared_accesses > 0) objects.push_back(std::move(o));
  }
  for (object_summary& o : objects) o.share = static_cast<double>(o.shared_accesses) / total;
  std::stable_sort(objects.begin(), objects.end(),
                   [](const object_summary& a, const object_summary& b) {
                     return a.shared_accesses > b.shared_accesses;
                   });
  return objects;
}

std::vector<std::size_t> rank_false_sharing(const profile& learned) {
  std::vector<std::size_t> ranked(learned.false_shares.size());
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
    return learned.false_shares[a].accesses > learned.false_shares[b].accesses;
  });
  return ranked;
}

}  // namespace

double sharing_volume(const profile& learned, const std::vector<page_run>& runs) {
  if (!runs.empty()) return measure_exclusivity(runs).volume();
  if (learned.total_accesses == 0) return learned.sharing.total() > 0 ? 1 : 0;
  return std::min(1.0, learned.sharing.total() / static_cast<double>(learned.total_accesses));
}

result<summary> summarise(const profile& learned, machine_choice machine,
                          algorithm_list algorithms) {
  if (learned.threads.empty()) {
    return fail("", "the profile has no threads", "capture the program again with numatch trace");
  }
  summary s;
  s.machine = std::move(machine);
  s.runs = page_runs(learned);
  s.pages_known = !s.runs.empty();
  s.pages = measure_exclusivity(s.runs);
  s.threads = summarise_threads(learned, s.runs);
  s.volume = sharing_volume(learned, s.runs);
  s.shape = find_shape({learned.sharing, read_flow(s.runs, learned.threads.size()), s.volume});
  result<placement> mappings = compare_mappings(learned, s.runs, s.machine.machine, algorithms);
  if (!mappings) return tl::unexpected(mappings.error());
  s.mappings = std::move(*mappings);
  const double hardly_written =
      s.pages_known ? s.pages.accesses_hardly_written / s.pages.accesses() : 0;
  s.verdict = judge_worth({s.mappings, s.shape, s.volume, learned.threads.size(),
                           s.machine.machine.node_count(), s.pages_known, hardly_written});
  s.objects = summarise_objects(learned);
  s.false_sharing = rank_false_sharing(learned);
  return s;
}

}  // namespace numatch::report
