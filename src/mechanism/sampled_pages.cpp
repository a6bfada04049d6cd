// SPDX-License-Identifier: Apache-2.0
#include "mechanism/sampled_pages.hpp"

#include <algorithm>
#include <utility>

namespace numatch {

namespace {

/// What is left of a sample by then is no longer worth its place.
constexpr float too_old = 0.1F;

}  // namespace

sampled_page& sampled_pages::of(page_number page) {
  std::uint32_t& place = row_of_[page.value];
  if (place == 0) {
    rows_.emplace_back();
    place = static_cast<std::uint32_t>(rows_.size());
  }
  return rows_[place - 1];
}

const sampled_page* sampled_pages::find(page_number page) const {
  const std::uint32_t* const place = row_of_.find(page.value);
  return place == nullptr ? nullptr : &rows_[*place - 1];
}

void sampled_pages::add(page_number page, thread_id thread, const sample& seen) {
  sampled_page& row = of(page);
  if (!row.used_lately) {
    row.used_lately = true;
    used_lately_.push_back(page);
  }
  const auto known = std::ranges::find(row.uses, thread.value, &sampled_page::use::thread);
  sampled_page::use& use =
      known != row.uses.end() ? *known : row.uses.emplace_back(sampled_page::use{thread.value});
  use.shared_lately += seen.weight;
  if (!seen.near) use.samples_lately += seen.weight;
}

std::vector<page_number> sampled_pages::take_used() {
  for (const page_number page : used_lately_) of(page).used_lately = false;
  std::vector<page_number> taken = std::move(used_lately_);
  used_lately_.clear();
  std::sort(taken.begin(), taken.end());
  return taken;
}

void sampled_pages::fold_places(double factor) {
  const float by = static_cast<float>(factor);
  for (sampled_page& row : rows_) {
    for (sampled_page::use& use : row.uses) {
      use.samples = use.samples * by + std::exchange(use.samples_lately, 0.0F);
    }
  }
}

void sampled_pages::fold_sharing(double factor) {
  const float by = static_cast<float>(factor);
  for (sampled_page& row : rows_) {
    for (sampled_page::use& use : row.uses) {
      use.shared = use.shared * by + std::exchange(use.shared_lately, 0.0F);
    }
    std::erase_if(row.uses, [](const sampled_page::use& use) {
      return use.shared < too_old && use.samples + use.samples_lately < too_old;
    });
  }
}

node_lead lead_of(const sampled_page& page, std::span<const thread_site> threads, node_id present,
                  std::span<double> by_node) {
  std::ranges::fill(by_node, 0.0);
  node_lead lead{.best = present};
  for (const sampled_page::use& use : page.uses) {
    if (use.thread >= threads.size() || !threads[use.thread].node) continue;
    const double counts = threads[use.thread].weight * use.samples;
    by_node[threads[use.thread].node->index()] += counts;
    lead.all += counts;
  }
  lead.present = lead.most = by_node[present.index()];
  for (std::uint32_t n = 0; n < by_node.size(); ++n) {
    if (by_node[n] > lead.most) {
      lead.most = by_node[n];
      lead.best = node_id(n);
    }
  }
  return lead;
}

}  // namespace numatch
