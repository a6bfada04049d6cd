// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace numatch::live {

/// The memory that the kernel writes the records of an event to (perf_event_open(2), "MMAP
/// layout"), read from one thread. What does not fit the kernel drops and says so in a later
/// record.
class perf_ring {
 public:
  /// `data_pages` is a power of two; empty on failure, with errno (EPERM: too much memory for this
  /// user).
  static std::optional<perf_ring> map(int event, std::size_t data_pages);
  perf_ring(perf_ring&& other) noexcept;
  perf_ring& operator=(perf_ring&& other) noexcept;
  ~perf_ring();

  /// each(header, body) for every record that is there, oldest first. The body is cut off after
  /// `most_bytes`; records of page_fault_event.hpp are shorter.
  template <class Each>
  void drain(const Each& each) {
    const std::uint64_t head = written();
    std::uint64_t tail = read_;
    while (tail + sizeof(perf_event_header) <= head) {
      perf_event_header header;
      copy(tail, std::span(reinterpret_cast<std::byte*>(&header), sizeof header));
      if (header.size < sizeof header) break;
      std::array<std::byte, most_bytes> body;
      const std::size_t bytes = std::min<std::size_t>(header.size - sizeof header, most_bytes);
      copy(tail + sizeof header, std::span(body).first(bytes));
      each(header, std::span<const std::byte>(body).first(bytes));
      tail += header.size;
    }
    give_back(tail);
  }

  /// The start of a record's body as a plain struct; nullopt when it is shorter.
  template <class Body>
  static std::optional<Body> as(std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof(Body)) return std::nullopt;
    Body body;
    std::memcpy(&body, bytes.data(), sizeof body);
    return body;
  }

 private:
  static constexpr std::size_t most_bytes = 64;
  perf_ring(void* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}
  std::uint64_t written() const;
  void give_back(std::uint64_t tail);
  void copy(std::uint64_t from, std::span<std::byte> to) const;

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;  ///< of the mapping: one page for the positions, then the data
  std::uint64_t read_ = 0;
};

}  // namespace numatch::live
