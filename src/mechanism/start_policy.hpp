// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "mechanism/mechanism.hpp"

namespace numatch {

/// What an operating system decides by itself: where threads and pages start. Nothing is detected
/// and nothing moves later. A world without a machine is asked for nothing.
class start_policy : public mechanism {
 public:
  struct choice {
    std::optional<page_placing> pages{};  ///< nullopt: as the world does it anyway
    std::optional<thread_placing> threads{};
  };
  explicit start_policy(const choice& chosen) : chosen_(chosen) {}

  void on_begin(world& where) override {
    if (where.machine() == nullptr) return;
    if (chosen_.pages) where.place_new_pages(*chosen_.pages);
    if (chosen_.threads) where.place_new_threads(*chosen_.threads);
  }
  sharing_matrix sharing() const override { return {}; }

 private:
  choice chosen_;
};

/// For mechanisms that keep no thread ids.
inline constexpr std::size_t any_number_of_threads = 0xffffffff;

}  // namespace numatch
