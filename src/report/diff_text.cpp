// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/diff.hpp"
#include "report/format.hpp"

namespace numatch::report {

namespace {

constexpr std::size_t width = 100;
constexpr std::size_t label_width = 22;
constexpr std::size_t side_width = (width - label_width - 4) / 2;
constexpr std::size_t most_rows = 16;
/// A share must differ by this much to be listed.
constexpr double least_change = 0.005;

std::string two(std::string_view label, std::string_view a, std::string_view b) {
  std::string line = fmt::format("  {}{}  {}", pad(label, label_width - 2),
                                 pad(fit(a, side_width), side_width), fit(b, side_width));
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string points(const diff_row& row) {
  return fmt::format("{:+.1f} points", 100 * (row.b - row.a));
}

/// Rows that differ, most first; says so when there is none.
std::string changes(std::string_view title, std::vector<diff_row> rows) {
  std::erase_if(rows, [](const diff_row& r) { return std::abs(r.b - r.a) < least_change; });
  std::stable_sort(rows.begin(), rows.end(), [](const diff_row& x, const diff_row& y) {
    return std::abs(x.b - x.a) > std::abs(y.b - y.a);
  });
  if (rows.empty()) {
    return fmt::format("\n{}: nothing differs by {} or more.\n", title, percent(least_change));
  }
  std::string text = fmt::format("\n{}\n", title);
  for (std::size_t i = 0; i < rows.size() && i < most_rows; ++i) {
    text += fmt::format("  {} {} {}  {}\n", pad(fit(rows[i].name, 60), 60),
                        pad_left(percent(rows[i].a), 9), pad_left(percent(rows[i].b), 9),
                        points(rows[i]));
  }
  if (rows.size() > most_rows) {
    text += fmt::format("  … and {} more: see --json\n", rows.size() - most_rows);
  }
  return text;
}

std::string pages(const profile_diff& d) {
  if (!d.pages_comparable) {
    return "\nPages: not comparable (no page usage, or different page sizes).\n";
  }
  std::string text = fmt::format("\nPages by address: {} in both, {} only in A, {} only in B\n",
                                 amount(static_cast<double>(d.pages_both)),
                                 amount(static_cast<double>(d.pages_only_a)),
                                 amount(static_cast<double>(d.pages_only_b)));
  if (d.pages_both > 0) {
    text +=
        fmt::format("  another main thread: {} pages, with {} of A's accesses to common pages\n",
                    amount(static_cast<double>(d.pages_moved)), percent(d.moved_accesses));
  }
  if (d.pages_both < d.pages_only_a + d.pages_only_b) {
    text += "  Most addresses differ: address space randomisation, or another input.\n";
  }
  return text;
}

}  // namespace

std::string text_diff(const profile_diff& d) {
  std::string text = fmt::format("{}: {}.\n\n", d.alike ? "Alike" : "Different", d.reason);
  const auto known = [](const diff_side& side, double share) {
    return side.pages_known ? percent(share) : std::string("unknown");
  };
  const auto accesses = [](const diff_side& side) {
    return fmt::format("{} ({})", amount(static_cast<double>(side.accesses)), side.how);
  };
  text += two("", "A", "B");
  text += two("profile", d.a.name, d.b.name);
  text += two("command", d.a.command, d.b.command);
  text += two("found out by", d.a.mechanism + " through " + d.a.frontend,
              d.b.mechanism + " through " + d.b.frontend);
  text += two("threads", fmt::format("{}", d.a.threads), fmt::format("{}", d.b.threads));
  text += two("accesses", accesses(d.a), accesses(d.b));
  text += two("pattern", d.a.shape.words, d.b.shape.words);
  text += two("sharing volume", percent(d.a.volume), percent(d.b.volume));
  text += two("exclusivity level", known(d.a, d.a.exclusivity_level),
              known(d.b, d.b.exclusivity_level));
  text += pages(d);
  text += changes("Threads, share of all accesses", d.thread_accesses);
  text += changes("Threads, share of all sharing", d.thread_sharing);
  if (!d.objects.empty()) text += changes("Data, share of the shared accesses", d.objects);
  return text;
}

}  // namespace numatch::report
