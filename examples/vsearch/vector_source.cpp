// SPDX-License-Identifier: Apache-2.0
#include "vector_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace vsearch {

vector_set vector_source::slice(std::size_t part, std::size_t parts, memory* from) const {
  vector_set mine(dimension(), from, {part, parts});
  mine.reserve((size() + parts - 1 - std::min(part, size())) / parts);
  std::vector<float> one(dimension());
  for (std::size_t i = part; i < size(); i += parts) {
    read(i, one);
    mine.add(one);
  }
  return mine;
}

void memory_source::read(std::size_t number, std::span<float> into) const {
  std::copy_n(vectors_[number].begin(), into.size(), into.begin());
}

file_source::file_source(std::filesystem::path path, const layout& where)
    : path_(std::move(path)), where_(where), file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) throw std::runtime_error(path_.string() + ": " + std::strerror(errno));
}

file_source::~file_source() {
  close(file_);
}

void file_source::read_bytes(std::uint64_t at, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = pread(file_, into.data(), into.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw std::runtime_error(path_.string() + ": cannot be read at byte " + std::to_string(at));
    }
    at += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

void file_source::read(std::size_t number, std::span<float> into) const {
  const std::uint64_t at = where_.first + number * where_.stride;
  if (where_.repeats_dimension) {
    std::int32_t dimension = 0;
    read_bytes(at - sizeof dimension, std::as_writable_bytes(std::span(&dimension, 1)));
    if (dimension != static_cast<std::int32_t>(where_.dimension)) {
      throw std::runtime_error(path_.string() + ": the dimension changes at byte " +
                               std::to_string(at - sizeof dimension));
    }
  }
  read_bytes(at, std::as_writable_bytes(into));
}

std::unique_ptr<vector_source> open_fvecs(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::int32_t dimension = 0;
  file.read(reinterpret_cast<char*>(&dimension), sizeof dimension);
  std::error_code unknown;
  const std::uint64_t bytes = std::filesystem::file_size(path, unknown);
  if (!file || unknown) {
    throw std::runtime_error(path.string() + ": there are no vectors in it");
  }
  if (dimension <= 0 || dimension > most_dimensions) {
    throw std::runtime_error(path.string() + ": this is no dimension at byte 0");
  }
  const std::uint64_t stride =
      sizeof dimension + static_cast<std::uint64_t>(dimension) * sizeof(float);
  if (bytes % stride != 0) {
    throw std::runtime_error(path.string() + ": a vector is cut off at byte " +
                             std::to_string(bytes / stride * stride));
  }
  return std::make_unique<file_source>(
      path, file_source::layout{bytes / stride, static_cast<std::size_t>(dimension),
                                sizeof dimension, stride, true});
}

}  // namespace vsearch
