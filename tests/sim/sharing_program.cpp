// SPDX-License-Identifier: Apache-2.0
#include "sim/sharing_program.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace numatch::sim {

namespace {

constexpr unsigned threads_of_program = 8;
constexpr std::uint64_t first_address = 0x10000000;
constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t stride = 32;

struct part {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

std::uint64_t draw(std::uint64_t& drawn) {
  drawn = drawn * 6364136223846793005U + 1442695040888963407U;
  return drawn >> 33U;
}

/// What a thread goes through in a round.
std::vector<part> parts_of(sharing how, unsigned thread, std::uint64_t& drawn) {
  constexpr std::uint64_t own_memory = 2 * mib;
  constexpr std::uint64_t shared_memory = threads_of_program * own_memory;
  const std::uint64_t own = thread * own_memory;
  switch (how) {
    case sharing::neighbours: {
      std::vector<part> parts{{own, mib / 2}};
      if (thread > 0) parts.push_back({shared_memory + (thread - 1) * mib, mib / 4});
      if (thread + 1 < threads_of_program) {
        parts.push_back({shared_memory + thread * mib, mib / 4});
      }
      return parts;
    }
    case sharing::own:
      return {{own, mib}};
    case sharing::everybody: {
      // Threads that follow each other through the pieces would gain from one cache: so each of
      // them has an order of its own.
      constexpr unsigned pieces = 64;
      std::vector<part> parts;
      for (unsigned piece = 0; piece < pieces; ++piece) {
        parts.push_back({piece * 2 * mib / pieces, 2 * mib / pieces});
      }
      for (std::size_t i = parts.size(); i > 1; --i) {
        std::swap(parts[i - 1], parts[draw(drawn) % i]);
      }
      return parts;
    }
    case sharing::cache_resident:
      return {{own, 4 * kib}};
  }
  return {};
}

class round_walk : public program_thread {
 public:
  round_walk(std::span<const trace::access> round, std::uint64_t rounds)
      : round_(round), left_(rounds) {}

  result<piece> next() override {
    constexpr std::size_t most = 4096;
    if (left_ == 0) return piece{};
    const std::size_t count = std::min(most, round_.size() - at_);
    const piece next{round_.subspan(at_, count), count * 16, nullptr};
    at_ += count;
    if (at_ == round_.size()) {
      at_ = 0;
      --left_;
    }
    return next;
  }

 private:
  std::span<const trace::access> round_;
  std::uint64_t left_;
  std::size_t at_ = 0;
};

class rounds_program : public program {
 public:
  rounds_program(sharing how, std::uint64_t rounds, std::uint64_t seed)
      : rounds_(how == sharing::cache_resident ? rounds * 250 : rounds) {
    std::uint64_t drawn = seed;
    for (unsigned t = 0; t < threads_of_program; ++t) {
      std::vector<part> parts = parts_of(how, t, drawn);
      std::rotate(parts.begin(), parts.begin() + static_cast<long>(draw(drawn) % parts.size()),
                  parts.end());
      for (const part& p : parts) add(of_thread_[t], p);
    }
  }

  std::size_t threads() const override { return of_thread_.size(); }
  std::uint64_t accesses() const override {
    std::uint64_t all = 0;
    for (const std::vector<trace::access>& round : of_thread_) all += round.size() * rounds_;
    return all;
  }
  result<std::unique_ptr<program_thread>> start(thread_id thread) const override {
    return std::make_unique<round_walk>(of_thread_.at(thread.index()), rounds_);
  }
  bool has_region_of_interest() const override { return false; }
  result<std::vector<release>> releases() const override { return std::vector<release>{}; }

 private:
  static void add(std::vector<trace::access>& round, const part& p) {
    for (std::uint64_t at = 0; at < p.bytes; at += stride) {
      round.push_back({first_address + p.offset + at, 0, 8, at / stride % 4 == 3});
    }
  }

  std::array<std::vector<trace::access>, threads_of_program> of_thread_;
  std::uint64_t rounds_;
};

}  // namespace

std::unique_ptr<program> sharing_program(sharing how, std::uint64_t rounds, std::uint64_t seed) {
  return std::make_unique<rounds_program>(how, rounds, seed);
}

}  // namespace numatch::sim
