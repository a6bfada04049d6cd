// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace numatch::python {

template <class T, std::size_t Dimensions>
using array = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<Dimensions>, nanobind::c_contig>;

/// An array that owns what the vector held. Its shape must have as many elements.
template <std::size_t Dimensions, class T>
array<T, Dimensions> as_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = kept->data();
  nanobind::capsule owner(kept.get(), [](void* held) noexcept {
    delete static_cast<std::vector<T>*>(held);  // NOLINT(cppcoreguidelines-owning-memory)
  });
  kept.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  return array<T, Dimensions>(data, shape, owner);
}

template <class T>
array<T, 1> as_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return as_array<1>(std::move(values), {size});
}

/// The bytes of records that `owner` keeps, for a structured view of them in Python; read only.
template <class Record>
array<const std::uint8_t, 1> bytes_of(std::span<const Record> records, nanobind::handle owner) {
  static_assert(std::is_trivially_copyable_v<Record>);
  return array<const std::uint8_t, 1>(reinterpret_cast<const std::uint8_t*>(records.data()),
                                      {records.size_bytes()}, owner);
}

/// The same with the array as owner. Records must have no padding, which would be undefined bytes.
template <class Record>
array<std::uint8_t, 1> as_bytes(std::span<const Record> records) {
  static_assert(std::has_unique_object_representations_v<Record>);
  const auto* const data = reinterpret_cast<const std::uint8_t*>(records.data());
  return as_array(std::vector<std::uint8_t>(data, data + records.size_bytes()));
}

}  // namespace numatch::python
