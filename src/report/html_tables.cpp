// SPDX-License-Identifier: Apache-2.0
#include "report/html_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "report/format.hpp"
#include "report/page_template.hpp"

namespace numatch::report {

namespace {

constexpr std::size_t most_rows = 500;

/// A table of markup cells; columns whose title starts with "#" hold numbers.
class table {
 public:
  explicit table(std::initializer_list<std::string_view> titles) {
    text_ = "<div class=\"scroll\"><table><thead><tr>";
    for (std::string_view title : titles) {
      const bool number = title.starts_with('#');
      numbers_.push_back(number);
      if (number) title.remove_prefix(1);
      text_ += fmt::format("<th{}>{}</th>", number ? " class=\"n\"" : "", title);
    }
    text_ += "</tr></thead><tbody>\n";
  }
  void row(std::initializer_list<std::string> cells) {
    if (++rows_ > most_rows) return;
    text_ += "<tr>";
    std::size_t column = 0;
    for (const std::string& cell : cells) {
      text_ += fmt::format("<td{}>{}</td>", numbers_[column++] ? " class=\"n\"" : "", cell);
    }
    text_ += "</tr>\n";
  }
  std::string take() {
    text_ += "</tbody></table></div>\n";
    if (rows_ > most_rows) {
      text_ += fmt::format("<p class=\"note\">and {} more: see <code>--json</code></p>\n",
                           rows_ - most_rows);
    }
    return std::move(text_);
  }

 private:
  std::string text_;
  std::vector<bool> numbers_;
  std::size_t rows_ = 0;
};

std::string bar(double share) {
  return fmt::format(
      "<span class=\"row\"><span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>{}</span>",
      100 * std::clamp(share, 0.0, 1.0), escape_html(percent(share)));
}

std::string count(std::uint64_t value) {
  return fmt::format("<span title=\"{}\">{}</span>", value, amount(static_cast<double>(value)));
}

std::string chip(thread_id thread) {
  return fmt::format("<span class=\"chip\" data-thread=\"{0}\">{0}</span>", thread.value);
}

std::string nothing(std::string_view text) {
  return fmt::format("<p class=\"note\">{}</p>\n", text);
}

}  // namespace

std::string measures_table(const summary& s) {
  table t({"measure", "#value", "#limit", "for"});
  for (const shape_measure& m : s.shape.measures) {
    const bool decided = s.shape.words.find(m.word) != std::string::npos && m.met();
    t.row({fmt::format("<code>{}</code>", m.key),
           fmt::format("<b class=\"{}\">{:.3g}</b>", decided ? "met" : "unmet", m.value),
           fmt::format("{} {:.3g}", m.below ? "&lt;" : "≥", m.limit), std::string(m.word)});
  }
  return t.take();
}

std::string threads_table(const profile& learned, const summary& s) {
  table t({"thread", "name", "#accesses", "#of all", "to shared pages", "to pages of others",
           "shares most with"});
  for (const thread_summary& thread : s.threads) {
    std::string partners;
    for (const partner& other : thread.partners) {
      partners += fmt::format("<span class=\"partner\">{} {}</span>", chip(other.thread),
                              percent(other.share));
    }
    t.row({chip(thread.id), escape_html(learned.threads[thread.id.index()].name),
           count(thread.accesses), escape_html(percent(thread.share_of_accesses)),
           s.pages_known ? bar(thread.shared_share) : "unknown",
           s.pages_known ? bar(thread.foreign_share) : "unknown",
           partners.empty() ? "nobody" : partners});
  }
  return t.take();
}

std::string pages_table(const summary& s) {
  if (!s.pages_known) return nothing("The profile has no page usage.");
  const exclusivity& e = s.pages;
  table t({"pages", "#number", "share of the accesses"});
  const auto kind = [&](const char* name, std::uint64_t pages, double accesses) {
    t.row({name, count(pages), bar(accesses / e.accesses())});
  };
  kind("used by one thread", e.pages_private, e.accesses_private);
  kind("shared, never written", e.pages_read_shared, e.accesses_read_shared);
  kind("shared and written", e.pages_write_shared, e.accesses_write_shared);
  for (std::size_t b = 0; b < exclusivity::bins; ++b) {
    if (e.pages[b] == 0) continue;
    t.row({fmt::format("main thread has {} to {} %", b * 10, b * 10 + 10), count(e.pages[b]),
           bar(e.share_of_accesses[b])});
  }
  return t.take();
}

std::string mappings_table(const summary& s) {
  table t({"algorithm", "#cost", "sharing inside a node", "local accesses, best pages",
           "pages of first use", "pages in turn"});
  for (const mapping_row& row : s.mappings.rows) {
    const std::string draws = row.draws > 1 ? fmt::format(" (mean of {})", row.draws) : "";
    const auto local = [&](double share) { return s.pages_known ? bar(share) : "unknown"; };
    t.row({escape_html(row.algorithm) + draws, amount(row.cost), bar(row.share_in_node),
           local(row.local_best), local(row.local_first_use), local(s.mappings.local_interleave)});
  }
  std::string text = t.take();
  for (const std::string& failure : s.mappings.failed) {
    text += nothing("No answer from " + escape_html(failure));
  }
  return text;
}

std::string objects_table(const profile& learned, const summary& s) {
  if (learned.objects.empty()) return nothing("The profile names no data objects.");
  if (s.objects.empty()) return nothing("No object is shared.");
  table t({"kind", "what", "where", "#size", "#shared pages", "share of the shared accesses",
           "threads"});
  for (const object_summary& o : s.objects) {
    const data_object& object = learned.objects[o.index];
    t.row({std::string(to_string(object.kind)),
           fmt::format("<code>{}</code>", escape_html(object.name)),
           escape_html(source_place(object)), bytes(object.bytes), count(object.shared_pages),
           bar(o.share), id_list(o.threads)});
  }
  return t.take();
}

std::string false_sharing_table(const profile& learned, const summary& s) {
  if (s.false_sharing.empty()) return nothing("No falsely shared cache line was found.");
  table t({"line", "data", "#accesses", "#writes", "bytes of the line", "threads"});
  std::size_t number = 0;
  for (std::size_t index : s.false_sharing) {
    const false_sharing& line = learned.false_shares[index];
    std::string parts;
    for (const false_sharing::part& part : line.parts) {
      parts += fmt::format("<div>{} writes {}, reads {}</div>", chip(part.thread),
                           byte_ranges(part.bytes_written), byte_ranges(part.bytes_read));
    }
    const std::string object =
        line.object >= 0 ? learned.objects[static_cast<std::size_t>(line.object)].name : "unknown";
    t.row({fmt::format("<code>{:#x}</code>", line.line_address), escape_html(object),
           count(line.accesses), count(line.writes),
           fmt::format("<svg class=\"line\" data-line=\"{}\" viewBox=\"0 0 256 14\"></svg>",
                       number++),
           parts});
  }
  return t.take();
}

}  // namespace numatch::report
