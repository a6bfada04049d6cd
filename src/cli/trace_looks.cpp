// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_looks.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "mechanism/mechanism.hpp"
#include "pattern/matrix_text.hpp"
#include "profiler/profile_trace.hpp"
#include "report/page_sharing.hpp"
#include "trace/reader.hpp"

namespace numatch::cli {

namespace {

/// How exclusively a page is used does not depend on a detector; this one holds the least.
constexpr const char* any_detector = "lapt";

}  // namespace

result<profile> trace_looks::learn(const recorded_program& program, const std::string& detector,
                                   const profile_options& options) const {
  const result<const mechanism_entry*> wanted = find_mechanism(detector);
  if (!wanted) return tl::unexpected(wanted.error());
  const result<trace::reader> trace = trace::reader::open(program.trace);
  if (!trace) return tl::unexpected(trace.error());
  profile_options whole = options;
  whole.replay.region_of_interest = program.region_of_interest;
  whole.objects = false;
  const auto progress = [&](std::uint64_t done, std::uint64_t all) {
    if (all == 0 || !terminal_.shows_progress()) return;
    terminal_.progress(fmt::format("sharing of {} as {} sees it: {:.0f} %", program.name, detector,
                                   100.0 * static_cast<double>(done) / static_cast<double>(all)));
  };
  result<profile> found = profile_trace(*trace, **wanted, whole, progress);
  terminal_.clear_progress();
  return found;
}

result<sharing_matrix> trace_looks::sharing(const recorded_program& program,
                                            const std::string& detector) const {
  const result<std::string> content = reproduce::content_of(program.trace);
  if (!content) return tl::unexpected(content.error());
  const std::string description = fmt::format("sharing by {}\n{}\ndetector {} roi {}\n", build_,
                                              *content, detector, program.region_of_interest);
  if (const std::optional<std::string> text = store_.text(description)) {
    result<sharing_matrix> matrix = parse_matrix(*text, description);
    if (matrix) return matrix;
  }
  const result<profile> found = learn(program, detector, {});
  if (!found) return tl::unexpected(found.error());
  if (result<void> r = store_.keep_text(description, format_matrix(found->sharing)); !r) {
    return tl::unexpected(r.error());
  }
  return found->sharing;
}

result<double> trace_looks::exclusivity(const recorded_program& program,
                                        std::uint64_t page_bytes) const {
  const result<std::string> content = reproduce::content_of(program.trace);
  if (!content) return tl::unexpected(content.error());
  const std::string description = fmt::format("exclusivity by {}\n{}\npages {} roi {}\n", build_,
                                              *content, page_bytes, program.region_of_interest);
  if (const std::optional<std::string> text = store_.text(description)) {
    double level = 0;
    const char* const end = text->data() + text->size();
    if (std::from_chars(text->data(), end, level).ec == std::errc()) return level;
  }
  profile_options options;
  options.tlb.page_bytes = page_bytes;
  const result<profile> found = learn(program, any_detector, options);
  if (!found) return tl::unexpected(found.error());
  const double level = report::measure_exclusivity(report::page_runs(*found)).level;
  if (result<void> r = store_.keep_text(description, fmt::format("{}\n", level)); !r) {
    return tl::unexpected(r.error());
  }
  return level;
}

}  // namespace numatch::cli
