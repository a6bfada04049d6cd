// SPDX-License-Identifier: Apache-2.0
#include "pattern/profile.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <tuple>

namespace numatch {

namespace {

constexpr std::array<std::string_view, 5> object_kind_words{"heap", "global", "stack", "mapping",
                                                            "unknown"};
constexpr std::array<std::string_view, 3> evidence_words{"measured", "sampled", "simulated"};

template <class Kind, std::size_t Count>
std::optional<Kind> kind_named(const std::array<std::string_view, Count>& words,
                               std::string_view word) {
  for (std::size_t i = 0; i < Count; ++i) {
    if (words[i] == word) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

tl::unexpected<error> unsound(std::string what) {
  return fail("", std::move(what));
}

result<void> check_sharing(const profile& p) {
  if (p.sharing.size() != p.threads.size()) {
    return unsound(fmt::format("the sharing matrix is of {} threads, but there are {} threads",
                               p.sharing.size(), p.threads.size()));
  }
  for (std::size_t i = 0; i < p.sharing.size(); ++i) {
    for (std::size_t j = 0; j < p.sharing.size(); ++j) {
      const double amount = p.sharing.at(i, j);
      if (!std::isfinite(amount) || amount < 0) {
        return unsound(fmt::format("sharing of threads {} and {} is {}", i, j, amount));
      }
      if (i == j && amount != 0) {
        return unsound(fmt::format("thread {} shares {} with itself", i, amount));
      }
    }
  }
  return {};
}

result<void> check_times(const profile& p) {
  for (std::size_t t = 0; t < p.threads.size(); ++t) {
    if (p.threads[t].end < p.threads[t].start) {
      return unsound(fmt::format("thread {} ends before it starts", t));
    }
  }
  std::uint64_t last = 0;
  for (std::size_t w = 0; w < p.windows.size(); ++w) {
    if (p.windows[w].end < p.windows[w].start || p.windows[w].start < last) {
      return unsound(fmt::format("time window {} is out of order", w));
    }
    last = p.windows[w].end;
  }
  return {};
}

result<void> check_pages(const profile& p) {
  if (!std::has_single_bit(p.page_bytes)) {
    return unsound(fmt::format("page size {} is not a power of two", p.page_bytes));
  }
  const page_use* before = nullptr;
  for (const page_use& use : p.pages) {
    if (use.thread.index() >= p.threads.size() || use.window >= p.windows.size()) {
      return unsound(fmt::format(
          "page {:#x} is used by thread {} in window {}, but there are {} threads and {} windows",
          use.first_page.value, use.thread.value, use.window, p.threads.size(), p.windows.size()));
    }
    const std::uint64_t past_all = ~std::uint64_t{0} / p.page_bytes + 1;
    if (use.pages == 0 || use.first_page.value >= past_all ||
        use.pages > past_all - use.first_page.value) {
      return unsound(fmt::format("a run of {} pages at page {:#x} is outside the address space",
                                 use.pages, use.first_page.value));
    }
    if (before != nullptr && std::tie(before->first_page, before->window, before->thread) >=
                                 std::tie(use.first_page, use.window, use.thread)) {
      return unsound(fmt::format("page uses are out of order at page {:#x}", use.first_page.value));
    }
    if (before != nullptr &&
        (before->first_page == use.first_page
             ? before->pages != use.pages
             : before->first_page.value + before->pages > use.first_page.value)) {
      return unsound(fmt::format("runs of pages overlap at page {:#x}", use.first_page.value));
    }
    before = &use;
  }
  return {};
}

result<void> check_objects(const profile& p) {
  for (std::size_t o = 0; o < p.objects.size(); ++o) {
    const auto& shared = p.objects[o].shared_accesses;
    if (!shared.empty() && shared.rbegin()->first >= p.threads.size()) {
      return unsound(
          fmt::format("data object {} is accessed by thread {}, but there are {} threads", o,
                      shared.rbegin()->first, p.threads.size()));
    }
  }
  for (const false_sharing& line : p.false_shares) {
    if (line.object < -1 || line.object >= static_cast<std::int64_t>(p.objects.size())) {
      return unsound(fmt::format("line {:#x} belongs to object {}, but there are {} objects",
                                 line.line_address, line.object, p.objects.size()));
    }
    for (const false_sharing::part& part : line.parts) {
      if (part.thread.index() >= p.threads.size()) {
        return unsound(fmt::format("line {:#x} is accessed by thread {}, but there are {} threads",
                                   line.line_address, part.thread.value, p.threads.size()));
      }
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(object_kind kind) {
  return object_kind_words[static_cast<std::size_t>(kind)];
}

std::optional<object_kind> object_kind_named(std::string_view word) {
  return kind_named<object_kind>(object_kind_words, word);
}

std::string_view to_string(evidence kind) {
  return evidence_words[static_cast<std::size_t>(kind)];
}

std::optional<evidence> evidence_named(std::string_view word) {
  return kind_named<evidence>(evidence_words, word);
}

result<void> check_profile(const profile& p) {
  if (p.threads.size() > max_profile_threads) {
    return unsound(fmt::format("has {} threads, at most {} are supported", p.threads.size(),
                               max_profile_threads));
  }
  for (const auto check : {check_sharing, check_times, check_pages, check_objects}) {
    if (result<void> r = check(p); !r) return r;
  }
  return {};
}

}  // namespace numatch
