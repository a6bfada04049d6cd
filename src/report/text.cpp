// SPDX-License-Identifier: Apache-2.0
#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/format.hpp"

namespace numatch::report {

namespace {

constexpr std::size_t width = 100;
constexpr std::size_t most_threads = 32;
constexpr std::size_t most_objects = 12;
constexpr std::size_t most_lines = 8;

class page {
 public:
  void line(std::string_view text = {}) {
    text_ += text;
    while (text_.ends_with(' ')) text_.pop_back();
    text_ += '\n';
  }
  /// A section's title with how its numbers were obtained, underlined.
  void title(std::string_view text, std::string_view how = {}) {
    line();
    const std::string head = how.empty() ? std::string(text) : fmt::format("{}  ({})", text, how);
    line(fit(head, width));
    std::string rule;
    for (std::size_t i = 0; i < columns(text); ++i) rule += "─";
    line(rule);
  }
  /// A label of ten columns, then text broken beside it.
  void labelled(std::string_view label, std::string_view text) {
    std::string left = pad(fmt::format("  {}", label), 12);
    for (const std::string& piece : wrap(text, width - 12)) {
      line(left + piece);
      left = std::string(12, ' ');
    }
  }
  void raw(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string bar(double share, std::size_t most) {
  static constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const std::size_t eighths = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(most) * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += parts[eighths % 8];
  return text.empty() && share > 0 ? "▏" : text;
}

void show_head(page& out, const profile& p, const summary& s) {
  out.line(fit(fmt::format("numatch report  {}", p.command), width));
  std::uint64_t pages = 0;
  for (const page_run& run : s.runs) pages += run.pages;
  out.line(fit(fmt::format("{} through {} ({}) · {} threads · {} accesses · {} in pages of {}",
                           p.mechanism, p.frontend, to_string(p.how), p.threads.size(),
                           amount(static_cast<double>(p.total_accesses)),
                           bytes(pages * p.page_bytes), bytes(p.page_bytes)),
               width));
}

void show_verdict(page& out, const summary& s) {
  out.title("Verdict", fmt::format("calculated for {}, {}", s.machine.spec, s.machine.reason));
  for (const std::string& line : wrap(s.verdict.headline, width - 2)) out.line("  " + line);
  out.line();
  out.labelled("threads", s.verdict.threads);
  out.labelled("pages", s.verdict.pages);
  for (const std::string& remark : s.verdict.remarks) out.labelled("", remark);
}

void show_pattern(page& out, const profile& p, const summary& s) {
  out.title("Sharing pattern: " + s.shape.words,
            fmt::format("{}, in {}", to_string(p.how), p.matrix_unit));
  out.labelled("meaning", s.shape.sentence + ".");
  out.labelled("volume", fmt::format("{} of the accesses are not made by their page's main thread.",
                                     percent(s.volume)));
  if (s.shape.taking_part.size() < p.threads.size() && s.shape.kind != shape_kind::none) {
    out.labelled("threads", fmt::format("{} of {} take part: {}.", s.shape.taking_part.size(),
                                        p.threads.size(), id_list(s.shape.taking_part)));
  }
  for (std::size_t g = 0; g < s.shape.groups.size() && g < 16; ++g) {
    const std::string_view what = s.shape.kind == shape_kind::pipeline ? "stage" : "group";
    out.labelled(fmt::format("{} {}", what, g), "threads " + id_list(s.shape.groups[g]));
  }
  std::string measures;
  for (const shape_measure& m : s.shape.measures) {
    if (!measures.empty()) measures += ", ";
    measures += fmt::format("{} {:.2f}", m.key, m.value);
  }
  out.labelled("measures", measures);
  if (s.shape.kind == shape_kind::none) return;
  const std::string heat = text_heat_map(p.sharing, s.shape.order);
  if (heat.empty()) return;
  out.line();
  out.raw(heat);
}

void show_threads(page& out, const profile& p, const summary& s) {
  out.title("Threads", std::string(to_string(p.how)));
  out.line("                                          accesses to pages");
  out.line("  thread               accesses   of all      shared  of others   shares most with");
  for (std::size_t i = 0; i < s.threads.size() && i < most_threads; ++i) {
    const thread_summary& t = s.threads[i];
    std::string partners;
    for (const partner& other : t.partners) {
      partners += fmt::format("{}{} ({:.0f} %)", partners.empty() ? "" : ", ", other.thread.value,
                              100 * other.share);
    }
    out.line(fmt::format("  {} {} {} {} {}   {}", pad(fit(thread_label(p, t.id), 17), 17),
                         pad_left(amount(static_cast<double>(t.accesses)), 11),
                         pad_left(percent(t.share_of_accesses), 8),
                         pad_left(s.pages_known ? percent(t.shared_share) : "unknown", 11),
                         pad_left(s.pages_known ? percent(t.foreign_share) : "unknown", 10),
                         partners.empty() ? "nobody" : partners));
  }
  if (s.threads.size() > most_threads) {
    out.line(fmt::format("  … and {} more: see --json or --html", s.threads.size() - most_threads));
  }
}

void show_pages(page& out, const profile& p, const summary& s) {
  out.title("Pages", fmt::format("{}, {} each", to_string(p.how), bytes(p.page_bytes)));
  if (!s.pages_known) {
    out.line("  The profile has no page usage.");
    return;
  }
  const exclusivity& e = s.pages;
  const double all = e.accesses();
  const auto kind = [&](std::string_view name, std::uint64_t pages, double accesses) {
    out.line(fmt::format("  {} {} pages {} of the accesses  {}", pad(name, 24),
                         pad_left(amount(static_cast<double>(pages)), 8),
                         pad_left(percent(accesses / all), 10), bar(accesses / all, 24)));
  };
  kind("used by one thread", e.pages_private, e.accesses_private);
  kind("shared, never written", e.pages_read_shared, e.accesses_read_shared);
  kind("shared and written", e.pages_write_shared, e.accesses_write_shared);
  out.line();
  out.line(
      fmt::format("  exclusivity level {}: the mean share that a page's main thread has of its "
                  "accesses",
                  percent(e.level)));
  for (std::size_t b = 0; b < exclusivity::bins; ++b) {
    if (e.pages[b] == 0) continue;
    out.line(fmt::format("  {} {} pages {} of the accesses  {}",
                         pad(fmt::format("  {:>3} to {:>3} %", b * 10, b * 10 + 10), 24),
                         pad_left(amount(static_cast<double>(e.pages[b])), 8),
                         pad_left(percent(e.share_of_accesses[b]), 10),
                         bar(e.share_of_accesses[b], 24)));
  }
}

void show_mappings(page& out, const summary& s) {
  const topology& machine = s.machine.machine;
  out.title("Mappings", fmt::format("calculated for {}: {} nodes, {} PUs", s.machine.spec,
                                    machine.node_count(), machine.pu_count()));
  out.line(
      "                                sharing     local accesses, with each page on the node");
  out.line(
      "  algorithm            cost     in a node   that uses it most   of first use   in turn");
  for (const mapping_row& row : s.mappings.rows) {
    const std::string name =
        row.draws > 1 ? fmt::format("{} (mean of {})", row.algorithm, row.draws) : row.algorithm;
    const auto local = [&](double share) { return s.pages_known ? percent(share) : "unknown"; };
    out.line(fmt::format(
        "  {} {} {} {} {} {}", pad(name, 18), pad_left(amount(row.cost), 8),
        pad_left(percent(row.share_in_node), 11), pad_left(local(row.local_best), 19),
        pad_left(local(row.local_first_use), 14), pad_left(local(s.mappings.local_interleave), 9)));
  }
  for (const std::string& failure : s.mappings.failed) {
    out.line(fit(fmt::format("  no answer from {}", failure), width));
  }
  out.line();
  const mapping_row& best = s.mappings.best();
  constexpr std::size_t most_nodes = 16;
  for (std::size_t n = 0; n < machine.node_count() && n < most_nodes; ++n) {
    std::vector<thread_id> here;
    for (std::size_t t = 0; t < best.mapping.pu_of.size(); ++t) {
      if (machine.node_of(best.mapping.pu_of[t]).index() == n) {
        here.emplace_back(static_cast<std::uint32_t>(t));
      }
    }
    out.labelled(fmt::format("node {}", n),
                 here.empty() ? "idle"
                              : fmt::format("threads {}{}", id_list(here),
                                            n == 0 ? "   by " + best.algorithm : ""));
  }
}

void show_objects(page& out, const profile& p, const summary& s) {
  out.title("Shared data", fmt::format("{}, accesses to shared pages", to_string(p.how)));
  if (s.objects.empty()) {
    out.line(p.objects.empty() ? "  The profile names no data objects." : "  No object is shared.");
    return;
  }
  out.line(
      "  what                             where                            size     shared   "
      "threads");
  for (std::size_t i = 0; i < s.objects.size() && i < most_objects; ++i) {
    const object_summary& o = s.objects[i];
    const data_object& object = p.objects[o.index];
    const std::string_view kind = to_string(object.kind);
    const bool says_kind = object.name.find(kind) != std::string::npos;  // "stack of thread 3"
    const std::string name = says_kind ? object.name : fmt::format("{} {}", kind, object.name);
    out.line(fmt::format("  {} {} {} {}   {}", pad(fit(name, 32), 32),
                         pad(fit(source_place(object), 27), 27), pad_left(bytes(object.bytes), 9),
                         pad_left(percent(o.share), 10), fit(id_list(o.threads), 13)));
  }
  if (s.objects.size() > most_objects) {
    out.line(fmt::format("  … and {} more: see --json or --html", s.objects.size() - most_objects));
  }
}

void show_false_sharing(page& out, const profile& p, const summary& s) {
  out.title("Falsely shared cache lines", std::string(to_string(p.how)));
  if (s.false_sharing.empty()) {
    out.line("  None was found.");
    return;
  }
  for (std::size_t i = 0; i < s.false_sharing.size() && i < most_lines; ++i) {
    const false_sharing& line = p.false_shares[s.false_sharing[i]];
    const std::string object =
        line.object >= 0 ? p.objects[static_cast<std::size_t>(line.object)].name : "unknown data";
    out.line(fit(fmt::format("  {:#x}  {} accesses, {} writes  {}", line.line_address,
                             amount(static_cast<double>(line.accesses)),
                             amount(static_cast<double>(line.writes)), object),
                 width));
    for (std::size_t k = 0; k < line.parts.size() && k < 8; ++k) {
      const false_sharing::part& part = line.parts[k];
      out.line(
          fit(fmt::format("      thread {} writes bytes {}, reads bytes {} ({} accesses)",
                          thread_label(p, part.thread), byte_ranges(part.bytes_written),
                          byte_ranges(part.bytes_read), amount(static_cast<double>(part.accesses))),
              width));
    }
    if (line.parts.size() > 8) {
      out.line(fmt::format("      … and {} more threads", line.parts.size() - 8));
    }
  }
  if (s.false_sharing.size() > most_lines) {
    out.line(
        fmt::format("  … and {} more: see --json or --html", s.false_sharing.size() - most_lines));
  }
}

}  // namespace

std::string text_report(const profile& learned, const summary& s) {
  page out;
  show_head(out, learned, s);
  show_verdict(out, s);
  show_pattern(out, learned, s);
  show_threads(out, learned, s);
  show_pages(out, learned, s);
  show_mappings(out, s);
  show_objects(out, learned, s);
  show_false_sharing(out, learned, s);
  return out.take();
}

}  // namespace numatch::report
