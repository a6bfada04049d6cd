// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/program.hpp"

namespace numatch::sim {

inline trace::access load(std::uint64_t address, std::uint32_t bytes = 8) {
  return {address, 0, bytes, false};
}
inline trace::access store(std::uint64_t address, std::uint32_t bytes = 8) {
  return {address, 0, bytes, true};
}

/// A program that a test writes down, piece by piece. Stamps are taken in the order of the calls,
/// so an acquire waits for the releases of its object that were written down before it.
class made_program : public program {
 public:
  explicit made_program(std::size_t threads) : threads_(threads) {}

  /// A piece of accesses; `instructions` at least one for each of them, 0 for exactly that.
  made_program& run(unsigned thread, std::vector<trace::access> accesses,
                    std::uint64_t instructions = 0);
  made_program& release(unsigned thread, std::uint64_t object);
  made_program& acquire(unsigned thread, std::uint64_t object);
  /// Any other event.
  made_program& tell(unsigned thread, trace::event_kind kind,
                     const std::vector<std::uint64_t>& args = {});

  std::size_t threads() const override { return threads_.size(); }
  std::uint64_t accesses() const override;
  result<std::unique_ptr<program_thread>> start(thread_id thread) const override;
  bool has_region_of_interest() const override { return false; }
  /// Thread t is called 1000 + t.
  std::optional<thread_id> thread_of(std::uint64_t os_tid) const override {
    if (os_tid < 1000 || os_tid >= 1000 + threads_.size()) return std::nullopt;
    return thread_id(static_cast<std::uint32_t>(os_tid - 1000));
  }
  result<std::vector<program::release>> releases() const override { return releases_; }

 private:
  struct made_piece {
    std::vector<trace::access> accesses;
    std::uint64_t instructions = 0;
    trace::event happened;
  };
  struct made_thread {
    std::deque<made_piece> pieces;
    std::uint64_t accesses = 0;
  };
  class walk;

  std::vector<made_thread> threads_;
  std::vector<program::release> releases_;
  std::uint64_t stamp_ = 0;
};

}  // namespace numatch::sim
