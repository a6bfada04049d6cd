// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/trace_tools.hpp"
#include "trace/footprint.hpp"
#include "trace/reader.hpp"

namespace numatch::cli {

namespace {

constexpr std::size_t most_threads_shown = 64;

std::string in_units(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

nlohmann::json as_json(const trace::reader& trace, const trace::footprint& touched) {
  nlohmann::json threads = nlohmann::json::array();
  for (const trace::thread_info& thread : trace.threads()) {
    threads.push_back({{"id", thread.id.value},
                       {"os_tid", thread.os_tid},
                       {"name", thread.name},
                       {"accesses", thread.accesses},
                       {"instructions", thread.instructions},
                       {"events", thread.events},
                       {"first_stamp", thread.first_stamp},
                       {"last_stamp", thread.last_stamp}});
  }
  const trace::trace_metadata& metadata = trace.metadata();
  return {{"file", trace.path().string()},
          {"bytes", trace.file_bytes()},
          {"chunks", trace.chunks().size()},
          {"frontend", metadata.frontend},
          {"command", metadata.command},
          {"filter", metadata.filter},
          {"counts_instructions", metadata.counts_instructions},
          {"accesses", trace.accesses()},
          {"reads", touched.reads},
          {"writes", touched.writes},
          {"instructions", trace.instructions()},
          {"footprint",
           {{"pages", touched.pages},
            {"page_bytes", touched.page_bytes},
            {"bytes", touched.pages * touched.page_bytes}}},
          {"threads", threads},
          {"extra", metadata.extra}};
}

std::string threads_text(const trace::reader& trace) {
  std::string text = fmt::format("\n{:>8} {:>10} {:>14} {:>14} {:>9}  {}\n", "thread", "os tid",
                                 "accesses", "instructions", "events", "name");
  std::size_t shown = 0;
  for (const trace::thread_info& thread : trace.threads()) {
    if (++shown > most_threads_shown) {
      text += fmt::format("     ... {} more, all with --json\n",
                          trace.threads().size() - most_threads_shown);
      break;
    }
    text += fmt::format("{:>8} {:>10} {:>14} {:>14} {:>9}  {}\n", thread.id.value, thread.os_tid,
                        thread.accesses, thread.instructions, thread.events, thread.name);
  }
  return text;
}

std::string as_text(const trace::reader& trace, const trace::footprint& touched) {
  const trace::trace_metadata& metadata = trace.metadata();
  std::string text;
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<14}{}\n", name, value);
  };
  const std::uint64_t accesses = trace.accesses();
  line("file", fmt::format("{}, {} in {} chunks", trace.path().string(),
                           in_units(trace.file_bytes()), trace.chunks().size()));
  line("command", joined(metadata.command));
  line("front-end", metadata.frontend);
  line("filter", metadata.filter);
  line("threads", std::to_string(trace.threads().size()));
  if (trace.tlb_filtered()) {
    line("accesses", fmt::format("{}, only their TLB misses are in the trace", accesses));
  } else {
    line("accesses",
         fmt::format("{}: {} reads, {} writes", accesses, touched.reads, touched.writes));
    if (accesses != 0) {
      line("per access",
           fmt::format("{:.3f} bytes of file",
                       static_cast<double>(trace.file_bytes()) / static_cast<double>(accesses)));
    }
  }
  line("instructions", metadata.counts_instructions ? std::to_string(trace.instructions())
                                                    : std::string("not counted"));
  line("footprint",
       fmt::format("{}: {} pages of {} bytes", in_units(touched.pages * touched.page_bytes),
                   touched.pages, touched.page_bytes));
  for (const auto& [name, value] : metadata.extra) {
    if (name == "seconds") {
      line("duration", value + " s while it was recorded (measured)");
    } else {
      line(name, value);
    }
  }
  return text + threads_text(trace);
}

class trace_info : public command {
 public:
  void options(CLI::App& app) override {
    app.add_option("file", file_, "The trace (.nmt)")->required();
    app.add_flag("--json", json_, "As JSON");
  }

  result<int> run(console& terminal) override {
    const result<trace::reader> trace = trace::reader::open(file_);
    if (!trace) return tl::unexpected(trace.error());
    const std::uint64_t all = trace->accesses();
    const auto progress = [&](std::uint64_t read) {
      if (read - shown_ < 10'000'000 || all == 0) return;
      shown_ = read;
      terminal.progress(fmt::format("reading: {} %", 100 * read / all));
    };
    const result<trace::footprint> touched = trace::measure_footprint(*trace, progress);
    if (!touched) return tl::unexpected(touched.error());
    terminal.out(json_ ? as_json(*trace, *touched)
                                 .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                             "\n"
                       : as_text(*trace, *touched));
    return fine;
  }

 private:
  std::string file_;
  bool json_ = false;
  std::uint64_t shown_ = 0;
};

}  // namespace

std::unique_ptr<command> make_trace_info() {
  return std::make_unique<trace_info>();
}

}  // namespace numatch::cli
