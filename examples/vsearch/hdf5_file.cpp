// SPDX-License-Identifier: Apache-2.0
#include "hdf5_file.hpp"

#include <stdexcept>
#include <string>

#ifdef VSEARCH_WITH_HDF5
#include <hdf5.h>

#include <array>
#include <utility>
#endif

namespace vsearch {

#ifdef VSEARCH_WITH_HDF5

namespace {

/// Something of HDF5 that has to be closed.
class handle {
 public:
  handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~handle() {
    if (id_ >= 0) close_(id_);
  }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  hid_t id() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Vectors that had to be read at once, since they are not at equal distances in the file.
class loaded_source : public vector_source {
 public:
  explicit loaded_source(vector_set vectors) : vectors_(std::move(vectors)), source_(vectors_) {}
  std::size_t size() const override { return source_.size(); }
  std::size_t dimension() const override { return source_.dimension(); }
  void read(std::size_t number, std::span<float> into) const override {
    source_.read(number, into);
  }

 private:
  vector_set vectors_;
  memory_source source_;
};

/// A table of a file; HDF5 turns its values into those that are asked for.
class table {
 public:
  table(const handle& file, const std::filesystem::path& path, const char* name)
      : what_(path.string() + ": the data set " + name),
        set_(H5Dopen2(file.id(), name, H5P_DEFAULT), H5Dclose) {
    if (!set_.is_open()) throw std::runtime_error(what_ + " is missing");
    const handle space(H5Dget_space(set_.id()), H5Sclose);
    if (H5Sget_simple_extent_ndims(space.id()) != 2 ||
        H5Sget_simple_extent_dims(space.id(), size_.data(), nullptr) != 2) {
      throw std::runtime_error(what_ + " is no table of two dimensions");
    }
    if (rows() == 0 || columns() == 0 || columns() > static_cast<std::size_t>(most_dimensions)) {
      throw std::runtime_error(what_ + " has no vectors, or too long ones");
    }
  }
  std::size_t rows() const { return size_[0]; }
  std::size_t columns() const { return size_[1]; }

  template <class Value>
  std::vector<Value> read(hid_t type) const {
    std::vector<Value> values(rows() * columns());
    if (H5Dread(set_.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
      throw std::runtime_error(what_ + " cannot be read");
    }
    return values;
  }
  vector_set read_vectors() const {
    const std::vector<float> values = read<float>(H5T_NATIVE_FLOAT);
    vector_set vectors(columns());
    vectors.reserve(rows());
    for (std::size_t row = 0; row < rows(); ++row) {
      vectors.add({values.data() + row * columns(), columns()});
    }
    return vectors;
  }
  /// Floats of this machine in one piece of the file, as ann-benchmarks writes them, are read by
  /// whoever needs them.
  std::unique_ptr<vector_source> open(const std::filesystem::path& path) const {
    const handle type(H5Dget_type(set_.id()), H5Tclose);
    const haddr_t first = H5Dget_offset(set_.id());
    if (first == HADDR_UNDEF || H5Tequal(type.id(), H5T_NATIVE_FLOAT) <= 0) {
      return std::make_unique<loaded_source>(read_vectors());
    }
    return std::make_unique<file_source>(
        path, file_source::layout{rows(), columns(), first, columns() * sizeof(float), false});
  }

 private:
  std::string what_;
  handle set_;
  std::array<hsize_t, 2> size_{};
};

}  // namespace

hdf5_data open_hdf5(const std::filesystem::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // what is wrong is said once, by us
  const handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) throw std::runtime_error(path.string() + ": this is no HDF5 file");
  vector_set queries = table(file, path, "test").read_vectors();
  const table neighbours(file, path, "neighbors");
  if (neighbours.rows() != queries.size()) {
    throw std::runtime_error(path.string() + ": test and neighbors have different lengths");
  }
  const std::vector<std::uint32_t> numbers = neighbours.read<std::uint32_t>(H5T_NATIVE_UINT32);
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::size_t row = 0; row < neighbours.rows(); ++row) {
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(row * neighbours.columns());
    rows.emplace_back(numbers.begin() + first,
                      numbers.begin() + first + static_cast<std::ptrdiff_t>(neighbours.columns()));
  }
  std::unique_ptr<vector_source> base = table(file, path, "train").open(path);
  return {std::move(base), std::move(queries), std::move(rows)};
}

#else

hdf5_data open_hdf5(const std::filesystem::path& path) {
  throw std::runtime_error(path.string() +
                           ": vsearch was built without HDF5; install libhdf5-dev and build again");
}

#endif

}  // namespace vsearch
