// SPDX-License-Identifier: Apache-2.0
#include "cli/capture_command.hpp"

#include <array>
#include <bit>

#include "base/suggest.hpp"
#include "cli/capture.hpp"

namespace numatch::cli {

void capture_command::options(CLI::App& app) {
  app.add_option("-o,--output", output_, "The trace file")->capture_default_str();
  app.add_option("--frontend", frontend_,
                 "auto, qemu (any program) or instrumented (built with numatch-cc)")
      ->capture_default_str();
  app.add_option("--filter", filter_,
                 "none records every access, tlb only what a thread's own TLB misses")
      ->capture_default_str();
  app.add_option("--tlb-entries", tlb_.entries, "Entries of that TLB")->capture_default_str();
  app.add_option("--tlb-ways", tlb_.ways, "Its ways")->capture_default_str();
  app.add_option("--tlb-page", tlb_.page_bytes, "Its page size in bytes")->capture_default_str();
  app.add_flag("--no-allocations", no_allocations_,
               "Do not follow malloc and operator new (faster, the report names less)");
  app.add_option("CMD", command_, "The program and its arguments, after --");
}

result<trace::filter_options> capture_command::filter() const {
  if (filter_ == "none") return trace::filter_options{};
  if (filter_ != "tlb") {
    static constexpr std::array<std::string_view, 2> known{"none", "tlb"};
    return fail("--filter", fmt::format("unknown filter '{}'", filter_), suggest(filter_, known));
  }
  if (tlb_.ways == 0 || tlb_.entries % tlb_.ways != 0 ||
      !std::has_single_bit(tlb_.entries / tlb_.ways)) {
    return fail("--tlb-entries",
                fmt::format("{} entries do not make a power of two of sets with {} ways",
                            tlb_.entries, tlb_.ways));
  }
  if (!std::has_single_bit(tlb_.page_bytes) || tlb_.page_bytes < 64) {
    return fail("--tlb-page",
                fmt::format("{} bytes are no page: a power of two from 64 on is", tlb_.page_bytes));
  }
  return tlb_;
}

result<int> capture_command::run(console& terminal) const {
  const result<trace::filter_options> wanted = filter();
  if (!wanted) return tl::unexpected(wanted.error());
  const signals_held held;
  return capture({output_, frontend_, *wanted, !no_allocations_, command_}, held, terminal);
}

}  // namespace numatch::cli
