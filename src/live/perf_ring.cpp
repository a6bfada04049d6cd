// SPDX-License-Identifier: Apache-2.0
#include "live/perf_ring.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace numatch::live {

namespace {

std::size_t system_page() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::optional<perf_ring> perf_ring::map(int event, std::size_t data_pages) {
  const std::size_t bytes = (1 + data_pages) * system_page();
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  return perf_ring(memory, bytes);
}

perf_ring::perf_ring(perf_ring&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_), read_(other.read_) {}

perf_ring& perf_ring::operator=(perf_ring&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(read_, other.read_);
  return *this;
}

perf_ring::~perf_ring() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

std::uint64_t perf_ring::written() const {
  auto* positions = static_cast<perf_event_mmap_page*>(memory_);
  return __atomic_load_n(&positions->data_head, __ATOMIC_ACQUIRE);
}

void perf_ring::give_back(std::uint64_t tail) {
  read_ = tail;
  auto* positions = static_cast<perf_event_mmap_page*>(memory_);
  __atomic_store_n(&positions->data_tail, tail, __ATOMIC_RELEASE);
}

void perf_ring::copy(std::uint64_t from, std::span<std::byte> to) const {
  const std::size_t capacity = bytes_ - system_page();
  const std::byte* data = static_cast<const std::byte*>(memory_) + system_page();
  const std::size_t begin = static_cast<std::size_t>(from % capacity);
  const std::size_t first = std::min(to.size(), capacity - begin);
  std::copy_n(data + begin, first, to.begin());
  std::copy_n(data, to.size() - first, to.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace numatch::live
