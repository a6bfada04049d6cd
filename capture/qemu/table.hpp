// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdlib>
#include <type_traits>

namespace numatch::qemu {

/// A growing array without the C++ library, searched from the newest element. Where memory is short
/// an element is left out: the capture then knows less, the program is unharmed. Not thread safe.
template <class T>
class table {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  bool add(const T& element) {
    if (count_ == capacity_) {
      const std::size_t wanted = capacity_ == 0 ? 16 : capacity_ * 2;
      void* const grown = realloc(elements_, wanted * sizeof(T));
      if (grown == nullptr) return false;
      elements_ = static_cast<T*>(grown);
      capacity_ = wanted;
    }
    elements_[count_++] = element;
    return true;
  }

  /// The newest element for which `wanted` is true, or null. Valid until the next change.
  template <class Predicate>
  T* find(Predicate wanted) {
    for (std::size_t i = count_; i > 0; --i) {
      if (wanted(elements_[i - 1])) return &elements_[i - 1];
    }
    return nullptr;
  }

  /// The order of the others is kept.
  void remove(T* element) {
    const std::size_t at = static_cast<std::size_t>(element - elements_);
    for (std::size_t i = at + 1; i < count_; ++i) elements_[i - 1] = elements_[i];
    --count_;
  }

  T* begin() { return elements_; }
  T* end() { return elements_ + count_; }
  std::size_t size() const { return count_; }

 private:
  T* elements_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace numatch::qemu
