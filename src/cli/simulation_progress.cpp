// SPDX-License-Identifier: Apache-2.0
#include "cli/simulation_progress.hpp"

#include <algorithm>
#include <cmath>

namespace numatch::cli {

namespace {

std::string duration(double seconds) {
  const long whole = std::lround(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string progress_line(std::uint64_t done, std::uint64_t all, std::size_t runs, double seconds) {
  const double share =
      all == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  std::string line = fmt::format("simulate: {:.0f} % of {:.1f} M accesses in {} {}", 100 * share,
                                 static_cast<double>(all) / 1e6, runs, runs == 1 ? "run" : "runs");
  if (seconds <= 0 || done == 0) return line;
  const double rate = static_cast<double>(done) / seconds;
  return line + fmt::format(", {:.1f} M per second, {} left", rate / 1e6,
                            duration((1 - share) * static_cast<double>(all) / rate));
}

void simulation_progress::operator()(std::uint64_t done) {
  if (!terminal_.shows_progress()) return;
  constexpr std::chrono::milliseconds pause(250);
  const clock::time_point now = clock::now();
  if (now - drawn_ < pause) return;
  drawn_ = now;
  const std::chrono::duration<double> elapsed = now - begin_;
  terminal_.progress(progress_line(done, accesses_, runs_, elapsed.count()));
}

}  // namespace numatch::cli
