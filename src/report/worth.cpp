// SPDX-License-Identifier: Apache-2.0
#include "report/worth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"

namespace numatch::report {

namespace {

/// What first touch misses of the best placement may be this small to go without page mapping.
constexpr double first_use_margin = 0.05;
/// Compact numbering is as good as the best mapping within this factor of its cost.
constexpr double compact_margin = 1.02;
/// Copies of pages are worth a remark from this share of the accesses on.
constexpr double least_hardly_written = 0.10;

bool judge_threads(const worth_input& in, worth& verdict) {
  const mapping_row& best = in.mappings.best();
  const mapping_row* random = in.mappings.find("random");
  const double expected = random != nullptr ? random->cost : best.cost;
  verdict.thread_gain = expected > 0 ? std::max(0.0, (expected - best.cost) / expected) : 0;
  if (in.threads < 2) {
    verdict.threads = "No: there is only one thread.";
    return false;
  }
  if (in.volume < worth::least_volume) {
    verdict.threads = fmt::format(
        "No: threads share too little: {} of the accesses are not made by their page's main "
        "thread (limit {}).",
        percent(in.volume), percent(worth::least_volume));
    return false;
  }
  const double by_chance = random != nullptr ? random->share_in_node : best.share_in_node;
  if (verdict.thread_gain < worth::least_thread_gain) {
    verdict.threads = fmt::format(
        "No: the best mapping costs {} less than a random one (limit {}){}.",
        percent(verdict.thread_gain), percent(worth::least_thread_gain),
        in.shape.kind == shape_kind::all_to_all ? "; every thread shares with every other" : "");
    return false;
  }
  verdict.threads = fmt::format(
      "Yes: threads that share can sit together. {} keeps {} of the sharing inside a node (random: "
      "{}) "
      "and costs {} less than random.",
      best.algorithm, percent(best.share_in_node), percent(by_chance),
      percent(verdict.thread_gain));
  return true;
}

bool judge_pages(const worth_input& in, worth& verdict) {
  const mapping_row& best = in.mappings.best();
  if (!in.pages_known) {
    verdict.pages = "Unknown: the profile has no page usage.";
    return false;
  }
  if (in.nodes < 2) {
    verdict.pages = "No: the machine has one NUMA node.";
    return false;
  }
  verdict.page_gain = best.local_best - in.mappings.local_interleave;
  const std::string figures = fmt::format(
      "{} of the accesses can be local, {} when pages are interleaved, {} when each page stays "
      "where it is first used",
      percent(best.local_best), percent(in.mappings.local_interleave),
      percent(best.local_first_use));
  if (verdict.page_gain < worth::least_page_gain) {
    verdict.pages = fmt::format("No: {} (limit: {} more than interleaved).", figures,
                                percent(worth::least_page_gain));
    return false;
  }
  verdict.pages = fmt::format("Yes: {}.", figures);
  if (best.local_first_use >= best.local_best - first_use_margin) {
    verdict.remarks.push_back(
        "First touch already places the pages well, as long as the threads stay on their nodes: "
        "pin "
        "them.");
  } else {
    verdict.remarks.push_back(
        "First touch places pages badly here: other threads use them than the one that touches "
        "them "
        "first.");
  }
  return true;
}

std::string headline_of(worth_kind kind, const sharing_shape& shape) {
  switch (kind) {
    case worth_kind::both:
      return "Worth it: map the threads and place the pages.";
    case worth_kind::threads:
      return "Worth it for threads: put those that share together; pages gain little.";
    case worth_kind::pages:
      return shape.kind == shape_kind::none || shape.kind == shape_kind::all_to_all
                 ? "Worth it for pages only: put each page on the node that uses it; which thread "
                   "sits "
                   "where matters little."
                 : "Worth it for pages: put each page on the node that uses it; thread mapping "
                   "gains "
                   "little.";
    case worth_kind::nothing:
      break;
  }
  return "Not worth it: neither thread mapping nor page placement has much to gain.";
}

}  // namespace

std::string_view to_string(worth_kind kind) {
  switch (kind) {
    case worth_kind::nothing:
      return "no";
    case worth_kind::threads:
      return "threads";
    case worth_kind::pages:
      return "pages";
    case worth_kind::both:
      return "both";
  }
  return "no";
}

worth judge_worth(const worth_input& input) {
  worth verdict;
  verdict.volume = input.volume;
  const bool threads = judge_threads(input, verdict);
  const bool pages = judge_pages(input, verdict);
  if (threads && pages) {
    verdict.kind = worth_kind::both;
  } else if (threads) {
    verdict.kind = worth_kind::threads;
  } else if (pages) {
    verdict.kind = worth_kind::pages;
  }
  if (input.nodes >= 2 && input.hardly_written >= least_hardly_written) {
    verdict.remarks.push_back(fmt::format(
        "{} of the accesses go to shared pages that are hardly ever written: a copy per "
        "node would make them local.",
        percent(input.hardly_written)));
  }
  verdict.headline = headline_of(verdict.kind, input.shape);
  const mapping_row* compact = input.mappings.find("compact");
  if (threads && compact != nullptr &&
      compact->cost <= compact_margin * input.mappings.best().cost) {
    verdict.remarks.push_back(
        "The program's own numbering is right for this machine: compact pinning (OMP_PLACES=cores "
        "OMP_PROC_BIND=close) is as good as the best mapping.");
  }
  return verdict;
}

}  // namespace numatch::report
