// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ring_program/options.hpp"

namespace ring {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t words_per_page = page_bytes / sizeof(std::uint64_t);

/// The pages of all regions in one mapping, aligned to 2 MiB, all zero at the start. Forked
/// processes share it when its kind is memfd or file. Throws std::system_error.
class memory {
 public:
  memory(const options& chosen, std::size_t pages);
  ~memory();
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;

  std::uint64_t* page(std::size_t number) const { return base_ + number * words_per_page; }
  std::span<char> bytes() const { return {reinterpret_cast<char*>(base_), bytes_}; }
  /// Keeps all pages in memory (mlock). Throws std::system_error.
  void lock() const;

 private:
  std::uint64_t* base_ = nullptr;
  std::size_t bytes_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace ring
