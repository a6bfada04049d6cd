// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_summary.hpp"

#include <fmt/format.h>

#include "report/page_sharing.hpp"

namespace numatch::cli {

namespace {

double shared_share(const profile& p) {
  return report::measure_exclusivity(report::page_runs(p)).shared_share();
}

}  // namespace

nlohmann::ordered_json summary_of(const profile& p, const std::filesystem::path& output) {
  return {{"profile", output.string()},
          {"mechanism", p.mechanism},
          {"frontend", p.frontend},
          {"evidence", to_string(p.how)},
          {"threads", p.threads.size()},
          {"accesses", p.total_accesses},
          {"shared_share", shared_share(p)},
          {"matrix_unit", p.matrix_unit},
          {"matrix_total", p.sharing.total()},
          {"page_bytes", p.page_bytes},
          {"parameters", p.parameters}};
}

std::string as_json(const nlohmann::ordered_json& summary) {
  return summary.dump(2) + "\n";
}

std::string as_text(const profile& p, std::string_view counted, const std::filesystem::path& output,
                    std::string_view more) {
  std::string text = fmt::format("{}\n", p.command);
  text += fmt::format("  threads   {}\n", p.threads.size());
  text += fmt::format("  {:<9} {} ({})\n", counted, p.total_accesses, p.frontend);
  text += fmt::format("  shared    {:.1f} % of the {} go to pages of several threads\n",
                      100 * shared_share(p), counted);
  text += fmt::format("  detected  {:.0f} {} of sharing by {} ({})\n", p.sharing.total(),
                      p.matrix_unit, p.mechanism, to_string(p.how));
  text += more;
  text += fmt::format("  profile   {}\n", output.string());
  return text;
}

}  // namespace numatch::cli
