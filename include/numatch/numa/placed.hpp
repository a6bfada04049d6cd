// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <memory_resource>
#include <new>
#include <utility>

namespace numatch {
inline namespace numa_v1 {

/// Ends an object and gives its memory back to where it came from.
template <class T>
struct placed_delete {
  std::pmr::memory_resource* from = nullptr;  ///< whose memory it is
  /// Does so.
  void operator()(T* object) const {
    object->~T();
    from->deallocate(object, sizeof(T), alignof(T));
  }
};
/// An object in memory of some resource.
template <class T>
using placed = std::unique_ptr<T, placed_delete<T>>;

/// Makes an object in memory of `from`; `make` returns it by value, so it is built in place.
template <class T, class Make>
placed<T> make_placed(std::pmr::memory_resource& from, Make&& make) {
  void* const memory = from.allocate(sizeof(T), alignof(T));
  try {
    return placed<T>(::new (memory) T(std::forward<Make>(make)()), placed_delete<T>{&from});
  } catch (...) {
    from.deallocate(memory, sizeof(T), alignof(T));
    throw;
  }
}

/// A copy whose containers take their memory from `from` too, if T can be told so (it has an
/// allocator as the containers of std::pmr have).
template <class T>
placed<T> copy_placed(std::pmr::memory_resource& from, const T& original) {
  return make_placed<T>(from, [&] {
    return std::make_obj_using_allocator<T>(std::pmr::polymorphic_allocator<>(&from), original);
  });
}

}  // namespace numa_v1
}  // namespace numatch
