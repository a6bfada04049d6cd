// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "cli/trace_tools.hpp"
#include "trace/check.hpp"

namespace numatch::cli {

namespace {

nlohmann::json as_json(const std::string& file, const trace::check_report& report) {
  nlohmann::json json = {{"file", file},
                         {"sound", !report.broken},
                         {"chunks", report.chunks},
                         {"threads", report.threads},
                         {"records", report.accesses},
                         {"events", report.events},
                         {"frees_of_unknown", report.frees_of_unknown},
                         {"regions_left_open", report.regions_left_open}};
  if (report.broken) {
    json["broken"] = {{"offset", report.broken->offset}, {"what", report.broken->what.message()}};
  }
  return json;
}

std::string as_text(const std::string& file, const trace::check_report& report) {
  std::string text =
      fmt::format("{}: sound; {} chunks, {} threads, {} records of accesses, {} events\n", file,
                  report.chunks, report.threads, report.accesses, report.events);
  if (report.frees_of_unknown != 0) {
    text += fmt::format("{} blocks were freed that no recorded call allocated\n",
                        report.frees_of_unknown);
  }
  if (report.regions_left_open != 0) {
    text += fmt::format("{} regions were never ended\n", report.regions_left_open);
  }
  return text;
}

class trace_check : public command {
 public:
  void options(CLI::App& app) override {
    app.add_option("file", file_, "The trace (.nmt)")->required();
    app.add_flag("--json", json_, "As JSON");
  }

  result<int> run(console& terminal) override {
    const result<trace::check_report> report = trace::check_trace(file_);
    if (!report) return tl::unexpected(report.error());
    if (json_) {
      terminal.out(
          as_json(file_, *report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
    } else if (report->broken) {
      terminal.problem(report->broken->what);
    } else {
      terminal.out(as_text(file_, *report));
    }
    return report->broken ? answer_is_no : fine;
  }

 private:
  std::string file_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<command> make_trace_check() {
  return std::make_unique<trace_check>();
}

}  // namespace numatch::cli
