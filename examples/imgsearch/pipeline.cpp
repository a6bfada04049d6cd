// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <algorithm>

#include "numatch/annotate.h"

namespace imgsearch {

pipeline::pipeline(numatch::runtime& nodes, const picture_source& base,
                   const pipeline_options& options)
    : nodes_(nodes),
      options_(options),
      index_(vsearch::lay_out<picture_index, signature>(
          nodes, options, search_rules(options.search, std::pmr::get_default_resource()), base)) {}

void pipeline::search(const picture_source& queries, const output& out) {
  for (std::size_t first = 0; first < queries.size(); first += options_.batch) {
    const std::size_t end = std::min(first + options_.batch, queries.size());
    NUMATCH_REGION_BEGIN("extract");
    const std::vector<signature> asked = described(queries, first, end);
    NUMATCH_REGION_END("extract");
    NUMATCH_ROI_BEGIN();
    NUMATCH_REGION_BEGIN("query");
    const vsearch::answers found = index_->search(asked, options_.k);
    NUMATCH_REGION_END("query");
    NUMATCH_ROI_END();
    for (std::size_t q = first; q < end; ++q) out(q, found[q - first]);
  }
}

std::vector<signature> pipeline::described(const picture_source& queries, std::size_t first,
                                           std::size_t end) {
  std::vector<signature> made(end - first);
  nodes_.for_each_node([&](std::size_t node) {
    const std::size_t begin = node * made.size() / nodes_.size();
    const std::size_t behind = (node + 1) * made.size() / nodes_.size();
    nodes_.for_each_here(behind - begin, 1, [&](std::size_t i) {
      made[begin + i] = queries.described(first + begin + i);
    });
  });
  return made;
}

}  // namespace imgsearch
