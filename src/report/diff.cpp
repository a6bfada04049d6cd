// SPDX-License-Identifier: Apache-2.0
#include "report/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/format.hpp"
#include "report/summary.hpp"

namespace numatch::report {

namespace {

diff_side side_of(const profile& p, const std::vector<page_run>& runs, const std::string& name) {
  diff_side side;
  side.name = name;
  side.command = p.command;
  side.mechanism = p.mechanism;
  side.frontend = p.frontend;
  side.how = std::string(to_string(p.how));
  side.threads = p.threads.size();
  side.accesses = p.total_accesses;
  side.pages_known = !runs.empty();
  side.exclusivity_level = measure_exclusivity(runs).level;
  side.volume = sharing_volume(p, runs);
  side.shape = find_shape({p.sharing, read_flow(runs, p.threads.size()), side.volume});
  return side;
}

/// All pairs share the same amount, as far as a double can tell.
bool constant(const sharing_matrix& m) {
  if (m.size() < 2) return true;
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = i + 1; j < m.size(); ++j) {
      if (m.between(i, j) != m.between(0, 1)) return false;
    }
  }
  return true;
}

double matrix_correlation(const sharing_matrix& a, const sharing_matrix& b) {
  if (constant(a) && constant(b)) return (a.total() > 0) == (b.total() > 0) ? 1 : 0;
  return correlation(a, b);
}

void judge(const profile& a, const profile& b, profile_diff& d) {
  if (a.threads.size() != b.threads.size()) {
    d.reason = fmt::format("{} has {} threads, {} has {}", d.a.name, a.threads.size(), d.b.name,
                           b.threads.size());
    return;
  }
  d.correlation = matrix_correlation(a.sharing, b.sharing);
  const shape_kind kind = d.a.shape.kind;
  const bool noise_only = kind == shape_kind::none || kind == shape_kind::all_to_all;
  if (noise_only && kind == d.b.shape.kind) {
    d.alike = true;
    d.reason =
        fmt::format("both patterns are {}, where pairs differ by noise only (correlation {:.3f})",
                    to_string(kind) == "none" ? "empty" : to_string(kind), d.correlation);
    return;
  }
  d.alike = d.correlation >= d.limit;
  d.reason =
      fmt::format("the sharing matrices correlate {:.3f} (limit {})", d.correlation, d.limit);
}

std::vector<double> access_shares(const profile& p) {
  std::vector<double> shares;
  double total = 0;
  for (const profiled_thread& t : p.threads) {
    shares.push_back(static_cast<double>(t.accesses));
    total += shares.back();
  }
  for (double& share : shares) share = total > 0 ? share / total : 0;
  return shares;
}

std::vector<double> sharing_shares(const profile& p) {
  std::vector<double> shares(p.sharing.size());
  const double total = 2 * p.sharing.total();
  if (total <= 0) return shares;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    for (std::size_t j = 0; j < shares.size(); ++j) {
      shares[i] += i == j ? 0 : p.sharing.between(i, j) / total;
    }
  }
  return shares;
}

std::vector<diff_row> thread_rows(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<diff_row> rows;
  for (std::size_t t = 0; t < std::max(a.size(), b.size()); ++t) {
    rows.push_back({fmt::format("{}", t), t < a.size() ? a[t] : 0, t < b.size() ? b[t] : 0});
  }
  return rows;
}

/// Objects are the same when kind, name and place in the source are.
std::map<std::string, double> object_shares(const profile& p) {
  std::map<std::string, double> shares;
  double total = 0;
  for (const data_object& o : p.objects) {
    double accesses = 0;
    for (const auto& [thread, count] : o.shared_accesses) accesses += static_cast<double>(count);
    if (accesses == 0) continue;
    const std::string place = source_place(o);
    shares[fmt::format("{} {}{}{}", to_string(o.kind), o.name, place.empty() ? "" : " in ",
                       place)] += accesses;
    total += accesses;
  }
  for (auto& [name, share] : shares) share /= total;
  return shares;
}

std::vector<diff_row> object_rows(const profile& a, const profile& b) {
  std::map<std::string, diff_row> rows;
  for (const auto& [name, share] : object_shares(a)) rows[name] = {name, share, 0};
  for (const auto& [name, share] : object_shares(b)) {
    rows[name].name = name;
    rows[name].b = share;
  }
  std::vector<diff_row> list;
  for (auto& [name, row] : rows) list.push_back(std::move(row));
  std::stable_sort(list.begin(), list.end(), [](const diff_row& x, const diff_row& y) {
    return std::max(x.a, x.b) > std::max(y.a, y.b);
  });
  return list;
}

std::uint64_t count_pages(const std::vector<page_run>& runs) {
  std::uint64_t pages = 0;
  for (const page_run& run : runs) pages += run.pages;
  return pages;
}

void compare_pages(const std::vector<page_run>& a, const std::vector<page_run>& b,
                   profile_diff& d) {
  double accesses = 0;
  std::vector<page_run>::const_iterator other = b.begin();
  for (const page_run& run : a) {
    const std::uint64_t end = run.first.value + run.pages;
    while (other != b.end() && other->first.value + other->pages <= run.first.value) ++other;
    for (std::vector<page_run>::const_iterator o = other; o != b.end() && o->first.value < end;
         ++o) {
      const std::uint64_t first = std::max(run.first.value, o->first.value);
      const std::uint64_t common = std::min(end, o->first.value + o->pages) - first;
      const double weight = static_cast<double>(common) * static_cast<double>(run.accesses());
      d.pages_both += common;
      accesses += weight;
      if (run.dominant().thread == o->dominant().thread) continue;
      d.pages_moved += common;
      d.moved_accesses += weight;
    }
  }
  if (accesses > 0) d.moved_accesses /= accesses;
  d.pages_only_a = count_pages(a) - d.pages_both;
  d.pages_only_b = count_pages(b) - d.pages_both;
}

}  // namespace

profile_diff compare_profiles(const profile& a, const profile& b, const std::string& name_a,
                              const std::string& name_b, double limit) {
  profile_diff d;
  const std::vector<page_run> runs_a = page_runs(a);
  const std::vector<page_run> runs_b = page_runs(b);
  d.a = side_of(a, runs_a, name_a);
  d.b = side_of(b, runs_b, name_b);
  d.limit = limit;
  judge(a, b, d);
  d.thread_accesses = thread_rows(access_shares(a), access_shares(b));
  d.thread_sharing = thread_rows(sharing_shares(a), sharing_shares(b));
  d.objects = object_rows(a, b);
  d.pages_comparable = d.a.pages_known && d.b.pages_known && a.page_bytes == b.page_bytes;
  if (d.pages_comparable) compare_pages(runs_a, runs_b, d);
  return d;
}

}  // namespace numatch::report
