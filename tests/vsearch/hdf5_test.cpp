// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hdf5_file.hpp"

#ifdef VSEARCH_WITH_HDF5
#include <hdf5.h>
#endif

#include <fstream>
#include <string>

namespace vsearch {
namespace {

std::string message_of(const std::filesystem::path& path) {
  try {
    open_hdf5(path);
  } catch (const std::runtime_error& wrong) {
    return wrong.what();
  }
  return "";
}

#ifdef VSEARCH_WITH_HDF5

void write_table(hid_t file, const char* name, hid_t type, hsize_t rows, hsize_t columns,
                 const void* values, bool in_chunks = false) {
  const hsize_t size[] = {rows, columns};
  const hid_t space = H5Screate_simple(2, size, nullptr);
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[] = {1, columns};
  if (in_chunks) H5Pset_chunk(how, 2, chunk);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  ASSERT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  H5Dclose(set);
  H5Pclose(how);
  H5Sclose(space);
}

const float train[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
const float test[] = {1, 1, 1, 5, 5, 5};
const std::int32_t near[] = {0, 1, 1, 2};

/// Writes some of the tables and closes the file.
std::filesystem::path file_with(const char* name, bool in_chunks, bool with_neighbors = true) {
  const std::filesystem::path path = testing::TempDir() + "/" + name;
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_table(file, "train", H5T_NATIVE_FLOAT, 3, 3, train, in_chunks);
  write_table(file, "test", H5T_NATIVE_FLOAT, 2, 3, test);
  if (with_neighbors) write_table(file, "neighbors", H5T_NATIVE_INT32, 2, 2, near);
  H5Fclose(file);
  return path;
}

TEST(Hdf5, TheThreeTablesOfAnnBenchmarksAreRead) {
  for (const bool in_chunks : {false, true}) {
    const std::filesystem::path path = file_with("numatch_ann.hdf5", in_chunks);
    const hdf5_data data = open_hdf5(path);
    ASSERT_EQ(data.base->size(), 3u);
    ASSERT_EQ(data.base->dimension(), 3u);
    const vector_set last = data.base->slice(2, 3, std::pmr::get_default_resource());
    EXPECT_EQ(last.number(0), 2u);
    EXPECT_EQ(last[0][0], 6);
    EXPECT_EQ(last[0][2], 8);
    ASSERT_EQ(data.queries.size(), 2u);
    EXPECT_EQ(data.queries[1][0], 5);
    EXPECT_EQ(data.neighbours, (std::vector<std::vector<std::uint32_t>>{{0, 1}, {1, 2}}));
    std::filesystem::remove(path);
  }
}

TEST(Hdf5, WhatIsMissingIsNamed) {
  const std::filesystem::path path = file_with("numatch_ann_part.hdf5", false, false);
  EXPECT_NE(message_of(path).find("the data set neighbors is missing"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(Hdf5, AnotherFileIsRefused) {
  const std::filesystem::path path = testing::TempDir() + "/numatch_none.hdf5";
  std::ofstream(path) << "no table in it";
  EXPECT_NE(message_of(path).find("this is no HDF5 file"), std::string::npos);
  EXPECT_NE(message_of("/nowhere.hdf5").find("this is no HDF5 file"), std::string::npos);
  std::filesystem::remove(path);
}

#else

TEST(Hdf5, ABuildWithoutItSaysSo) {
  EXPECT_NE(message_of("any.hdf5").find("built without HDF5"), std::string::npos);
}

#endif

}  // namespace
}  // namespace vsearch
