// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "live/program_picture.hpp"

namespace numatch::cli {

/// What the threads are sorted by.
enum class top_order : std::uint8_t { cpu, remote, uses, node, number };

/// What is shown how; the keys change it.
struct top_view {
  top_order order = top_order::cpu;
  bool paused = false;
  bool help = false;
  bool pages = false;     ///< pages per node beside the threads instead of who shares with whom
  std::size_t first = 0;  ///< row of the list at its top
};

struct screen_size {
  std::size_t columns = 80;
  std::size_t rows = 24;  ///< 0: as many as there are, everything below each other
};

/// Lines of a screen, from what is pictured alone: at most `rows` of at most `columns` each.
std::vector<std::string> top_lines(const live::program_picture& picture, const top_view& view,
                                   const screen_size& size);
std::vector<std::string> top_lines(const live::machine_picture& picture, const top_view& view,
                                   const screen_size& size);

/// What is known, for scripts.
std::string top_json(const live::program_picture& picture);
std::string top_json(const live::machine_picture& picture);

}  // namespace numatch::cli
