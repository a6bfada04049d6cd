// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>

#include "vectors.hpp"

namespace vsearch {

namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

[[noreturn]] void damaged(const std::filesystem::path& path, std::uint64_t at, const char* what) {
  throw std::runtime_error(path.string() + ": " + what + " at byte " + std::to_string(at));
}

/// Calls add(values) for each vector of a file.
template <class Value, class Add>
void read_vecs(const std::filesystem::path& path, Add add) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot be opened");
  std::vector<Value> values;
  for (std::uint64_t at = 0;; at += sizeof(std::int32_t) + values.size() * sizeof(Value)) {
    std::int32_t dimension = 0;
    file.read(reinterpret_cast<char*>(&dimension), sizeof dimension);
    if (file.gcount() == 0) return;
    if (file.gcount() != sizeof dimension) damaged(path, at, "a dimension is cut off");
    if (dimension <= 0 || dimension > most_dimensions) damaged(path, at, "this is no dimension");
    values.resize(static_cast<std::size_t>(dimension));
    const std::streamsize bytes = static_cast<std::streamsize>(values.size() * sizeof(Value));
    file.read(reinterpret_cast<char*>(values.data()), bytes);
    if (file.gcount() != bytes) damaged(path, at, "a vector is cut off");
    add(values, at);
  }
}

}  // namespace

vector_set read_fvecs(const std::filesystem::path& path) {
  vector_set all(1);
  read_vecs<float>(path, [&](const std::vector<float>& values, std::uint64_t at) {
    if (at == 0) all = vector_set(values.size());
    if (values.size() != all.dimension()) damaged(path, at, "the dimension changes");
    all.add(values);
  });
  if (all.size() == 0) throw std::runtime_error(path.string() + ": there are no vectors in it");
  return all;
}

std::vector<std::vector<std::uint32_t>> read_ivecs(const std::filesystem::path& path) {
  std::vector<std::vector<std::uint32_t>> all;
  read_vecs<std::uint32_t>(path, [&](const std::vector<std::uint32_t>& values, std::uint64_t) {
    all.push_back(values);
  });
  return all;
}

void write_fvecs(const vector_set& vectors, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::int32_t dimension = static_cast<std::int32_t>(vectors.dimension());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    file.write(reinterpret_cast<const char*>(&dimension), sizeof dimension);
    file.write(reinterpret_cast<const char*>(vectors[i].data()),
               static_cast<std::streamsize>(vectors[i].size_bytes()));
  }
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
}

}  // namespace vsearch
