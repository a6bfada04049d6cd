// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "common/annotations.hpp"
#include "common/pages.hpp"

namespace timewarp {

/// Records of one object, in chunks of whole pages that hold nothing else, so that the object can
/// be moved to another node. Records that are given back are used again; chunks are kept. Ends the
/// program with exit code 2 when there is no memory. One thread at a time.
template <class Record>
class pool {
  static_assert(std::is_trivially_destructible_v<Record>);

  struct chunk {
    chunk* next;
  };
  union place {
    place* next;
    Record record;
  };
  static constexpr std::size_t offset =
      (sizeof(chunk) + alignof(place) - 1) / alignof(place) * alignof(place);
  /// As many pages as eight records need.
  static constexpr std::size_t chunk_bytes =
      (offset + 8 * sizeof(place) + workload::page_bytes - 1) / workload::page_bytes *
      workload::page_bytes;

 public:
  explicit pool(const char* name) : name_(name) {}
  ~pool() {
    while (chunks_ != nullptr) {
      chunk* const gone = chunks_;
      chunks_ = gone->next;
      std::free(gone);
    }
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  Record* take() {
    if (free_ == nullptr) grow();
    place* const taken = free_;
    free_ = taken->next;
    return ::new (&taken->record) Record{};
  }
  void give(Record* record) {
    place* const back = reinterpret_cast<place*>(record);
    back->next = free_;
    free_ = back;
  }

  /// Calls `what` with the address and the bytes of each chunk.
  template <class What>
  void each_chunk(What what) const {
    for (chunk* one = chunks_; one != nullptr; one = one->next) {
      what(static_cast<void*>(one), chunk_bytes);
    }
  }

 private:
  void grow() {
    void* const memory = std::aligned_alloc(workload::page_bytes, chunk_bytes);
    if (memory == nullptr) {
      std::fprintf(stderr, "timewarp: no memory for %zu bytes of '%s'\n", chunk_bytes, name_);
      std::exit(2);
    }
    NUMATCH_LABEL(memory, chunk_bytes, name_);
    chunks_ = ::new (memory) chunk{chunks_};
    place* const places = reinterpret_cast<place*>(static_cast<unsigned char*>(memory) + offset);
    for (std::size_t i = (chunk_bytes - offset) / sizeof(place); i-- > 0;) {
      places[i].next = free_;
      free_ = &places[i];
    }
  }

  const char* name_;
  chunk* chunks_ = nullptr;
  place* free_ = nullptr;
};

}  // namespace timewarp
