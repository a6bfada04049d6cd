// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/html_tables.hpp"
#include "report/page_data.hpp"
#include "report/page_template.hpp"

namespace numatch::report {

namespace {

std::string facts(const profile& p, const summary& s) {
  std::uint64_t pages = 0;
  for (const page_run& run : s.runs) pages += run.pages;
  std::string text;
  const auto fact = [&](std::string_view name, const std::string& value) {
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escape_html(value));
  };
  fact("found out by", fmt::format("{} through {}", p.mechanism, p.frontend));
  fact("numbers are", std::string(to_string(p.how)));
  fact("threads", fmt::format("{}", p.threads.size()));
  fact("accesses", amount(static_cast<double>(p.total_accesses)));
  fact("memory used", bytes(pages * p.page_bytes));
  fact("page size", bytes(p.page_bytes));
  return text;
}

std::string remarks(const worth& verdict) {
  std::string text;
  for (const std::string& remark : verdict.remarks) {
    text += fmt::format("<li>{}</li>\n", escape_html(remark));
  }
  return text;
}

std::string gauges(const summary& s) {
  std::string text;
  const auto gauge = [&](std::string_view name, double share, std::string_view says) {
    text += fmt::format(
        "<div class=\"gauge\"><b>{}</b><span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>"
        "<strong>{}</strong> {}</div>\n",
        escape_html(percent(share)), 100 * share, name, says);
  };
  gauge("sharing volume", s.volume, "of the accesses are not by their page's main thread");
  if (s.pages_known) {
    gauge("exclusivity level", s.pages.level, "is a page's main thread's share of its accesses");
  }
  gauge("thread gain", s.verdict.thread_gain, "less mapping cost than random");
  if (s.pages_known) {
    gauge("local accesses", s.mappings.best().local_best, "with threads and pages mapped well");
  }
  return text;
}

}  // namespace

std::string html_report(const profile& learned, const summary& s) {
  const topology& machine = s.machine.machine;
  return fill_template(
      page_template_html(),
      {{"css", std::string(page_template_css())},
       {"js", std::string(page_template_js())},
       {"data", page_data(learned, s)},
       {"command", escape_html(learned.command.empty() ? "(command unknown)" : learned.command)},
       {"facts", facts(learned, s)},
       {"worth", std::string(to_string(s.verdict.kind))},
       {"headline", escape_html(s.verdict.headline)},
       {"threads_verdict", escape_html(s.verdict.threads)},
       {"pages_verdict", escape_html(s.verdict.pages)},
       {"remarks", remarks(s.verdict)},
       {"gauges", gauges(s)},
       {"how", std::string(to_string(learned.how))},
       {"unit", escape_html(learned.matrix_unit)},
       {"shape", escape_html(s.shape.words)},
       {"sentence", escape_html(s.shape.sentence)},
       {"measures", measures_table(s)},
       {"machine",
        escape_html(fmt::format("{}: {} nodes, {} PUs; {}", s.machine.spec, machine.node_count(),
                                machine.pu_count(), s.machine.reason))},
       {"mappings", mappings_table(s)},
       {"threads", threads_table(learned, s)},
       {"pages", pages_table(s)},
       {"objects", objects_table(learned, s)},
       {"false_sharing", false_sharing_table(learned, s)}});
}

}  // namespace numatch::report
