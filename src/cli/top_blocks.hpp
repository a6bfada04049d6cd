// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/top_screen.hpp"

namespace numatch::cli {

/// Lines of a part of the screen; a part clips nothing but what it is told to.
using lines = std::vector<std::string>;

/// The threads' places in `picture.threads`, as they are to be listed.
std::vector<std::size_t> listed_threads(const live::program_picture& picture, top_order order);

lines sensing_block(const live::program_picture& picture, const top_view& view);
lines nodes_block(const live::program_picture& picture, std::size_t most_rows);
/// The threads `listed`, from `view.first` on, at most `most_rows` of them and a title.
lines threads_block(const live::program_picture& picture, const std::vector<std::size_t>& listed,
                    const top_view& view, std::size_t most_rows);
/// Rows as in threads_block(): on which nodes lie the pages that a thread used lately.
lines pages_block(const live::program_picture& picture, const std::vector<std::size_t>& listed,
                  const top_view& view, std::size_t most_rows);
/// Who shares with whom: threads in the order of their creation, several to a cell where there is
/// no room for each.
lines heat_block(const live::program_picture& picture, const screen_size& room);
lines help_block();

}  // namespace numatch::cli
