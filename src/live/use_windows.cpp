// SPDX-License-Identifier: Apache-2.0
#include "live/use_windows.hpp"

#include <algorithm>
#include <tuple>

namespace numatch::live {

void use_windows::add_to(window& sum, thread_id thread, std::uint64_t page, const use_count& uses) {
  if (thread.index() >= sum.size()) sum.resize(thread.index() + 1);
  use_count& count = sum[thread.index()][page];
  count.reads += uses.reads;
  count.writes += uses.writes;
}

void use_windows::reach(std::uint64_t time) {
  last_time_ = std::max(last_time_, time);
  while (last_time_ / length_ >= most_windows_) double_length();
}

void use_windows::add(page_number page, thread_id thread, std::uint64_t time,
                      const use_count& uses) {
  reach(time);
  const std::size_t number = static_cast<std::size_t>(time / length_);
  if (number >= windows_.size()) windows_.resize(number + 1);
  add_to(windows_[number], thread, page.value, uses);
}

void use_windows::double_length() {
  length_ *= 2;
  std::vector<window> joined((windows_.size() + 1) / 2);
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    for (std::uint32_t t = 0; t < windows_[w].size(); ++t) {
      windows_[w][t].for_each([&](std::uint64_t page, const use_count& uses) {
        add_to(joined[w / 2], thread_id(t), page, uses);
      });
    }
  }
  windows_ = std::move(joined);
}

std::vector<time_window> use_windows::windows() const {
  std::vector<time_window> all;
  for (std::uint64_t start = 0; start <= last_time_; start += length_) {
    all.push_back({start, std::min(start + length_, last_time_ + 1)});
  }
  return all;
}

std::vector<page_use> use_windows::uses() const {
  std::vector<page_use> all;
  for (std::uint32_t w = 0; w < windows_.size(); ++w) {
    for (std::uint32_t t = 0; t < windows_[w].size(); ++t) {
      windows_[w][t].for_each([&](std::uint64_t page, const use_count& uses) {
        all.push_back({page_number(page), 1, w, thread_id(t), uses.reads, uses.writes});
      });
    }
  }
  std::sort(all.begin(), all.end(), [](const page_use& a, const page_use& b) {
    return std::tie(a.first_page, a.window, a.thread) < std::tie(b.first_page, b.window, b.thread);
  });
  return all;
}

}  // namespace numatch::live
