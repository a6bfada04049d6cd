// SPDX-License-Identifier: Apache-2.0
#include "cli/map_text.hpp"

#include <fmt/ranges.h>

#include "mapping/recipes.hpp"
#include "topology/drawing.hpp"

namespace numatch::cli {

namespace {

/// "T0,T8" per PU; where very many share one PU their number must do.
std::vector<std::string> threads_on_pus(const thread_mapping& mapping, std::size_t pus) {
  constexpr std::size_t shown = 4;
  std::vector<std::vector<std::string>> names(pus);
  for (std::size_t t = 0; t < mapping.pu_of.size(); ++t) {
    names[mapping.pu_of[t].index()].push_back(fmt::format("T{}", t));
  }
  std::vector<std::string> notes;
  for (std::vector<std::string>& here : names) {
    const std::size_t count = here.size();
    if (count > shown) here.resize(2);
    notes.push_back(fmt::format("{}", fmt::join(here, ",")));
    if (count > shown) notes.back() += fmt::format(",…({} threads)", count);
  }
  return notes;
}

std::string cost_row(std::string_view algorithm, double cost, double share) {
  return fmt::format("  {:<10}{:>16.6g}{:>11.1f} %", algorithm, cost, 100 * share);
}

/// The mapping and those that need no knowledge.
std::string short_table(const shown_mapping& shown) {
  std::string text = fmt::format("  {:<10}{:>16}{:>13}   cost: {} x distance\n", "", "cost",
                                 "in a node", shown.unit);
  const mapping_answer& answer = shown.mapping.answer;
  text += cost_row(answer.algorithm, answer.cost, shown.mapping.share_in_node) + "\n";
  for (const compared_algorithm& other : shown.others) {
    if (!other.answer) continue;
    text += cost_row(other.algorithm, other.answer->cost, other.share_in_node) + "\n";
  }
  return text;
}

/// Every algorithm that was asked, with what its answer took.
std::string full_table(const shown_mapping& shown) {
  const bool moves = shown.request.current != nullptr;
  std::string text =
      fmt::format("  {:<10}{:>16}{:>13}{:>10}{:>13}{}   cost: {} x distance\n", "", "cost",
                  "in a node", "capacity", "CPU time", moves ? "     moved" : "", shown.unit);
  for (const compared_algorithm& row : shown.others) {
    if (!row.answer) {
      text += fmt::format("  {:<10}{}\n", row.algorithm, "  no answer: " + row.problem);
      continue;
    }
    text += cost_row(row.algorithm, row.answer->cost, row.share_in_node);
    text += fmt::format("{:>10}{:>10.3g} ms", "kept", 1000 * row.answer->cpu_seconds);
    if (moves) text += fmt::format("{:>10}", row.answer->moved);
    text += '\n';
  }
  return text;
}

std::string moves_text(const mapping_answer& answer) {
  if (answer.moved == 0) return "  no thread moves\n";
  const double before = answer.cost + answer.gain;
  return fmt::format("  {} of {} threads move; the cost falls from {:.6g} by {:.2f} %\n",
                     answer.moved, answer.mapping.pu_of.size(), before,
                     before > 0 ? 100 * answer.gain / before : 0.0);
}

std::string pages_text(const page_placement& pages) {
  std::string text = fmt::format(
      "\npages of {}: each on the node that uses it most keeps {:.1f} % of the accesses local\n",
      size_text(pages.page_bytes), 100 * pages.local_mapped);
  text += fmt::format("  first touch keeps {:.1f} %, interleave {:.1f} %; policy for `exec`: {}\n",
                      100 * pages.local_first_touch, 100 * pages.local_interleave,
                      to_string(pages.policy));
  for (std::size_t n = 0; n < pages.pages_on_node.size(); ++n) {
    text += fmt::format("  node {:<4}{:>12} pages\n", n, pages.pages_on_node[n]);
  }
  return text;
}

}  // namespace

std::string text_of(const shown_mapping& shown) {
  const mapping_request& request = shown.request;
  const mapping_answer& answer = shown.mapping.answer;
  std::string text =
      draw_machine(request.machine, threads_on_pus(answer.mapping, request.machine.pu_count()));
  text += fmt::format("\n{} threads by {} in {:.3g} ms (measured)\n", answer.mapping.pu_of.size(),
                      answer.algorithm, 1000 * answer.seconds);
  text += shown.in_full ? full_table(shown) : short_table(shown);
  if (request.current != nullptr) text += moves_text(answer);
  page_policy policy = page_policy::local;
  if (shown.mapping.pages) {
    text += pages_text(*shown.mapping.pages);
    policy = shown.mapping.pages->policy;
  }
  text += "\nto use it:\n";
  text += shown.saved_as.empty()
              ? "  save it with -o FILE, then: numatch exec --mapping FILE -- CMD\n"
              : fmt::format("  numatch exec --mapping {} -- CMD\n", shown.saved_as);
  for (const recipe& r : recipes_for(answer.mapping, request.machine, policy)) {
    text += fmt::format("  # {}\n  {}\n", r.says, r.line);
  }
  return text;
}

}  // namespace numatch::cli
