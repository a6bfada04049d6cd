// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "pattern/profile.hpp"

namespace numatch::test {

/// Two threads that share two of three pages in two windows, with every kind of row filled in.
inline profile small_profile() {
  profile p;
  p.command = "./stencil 64";
  p.mechanism = "oracle";
  p.frontend = "qemu";
  p.matrix_unit = "accesses";
  p.time_unit = "instructions";
  p.how = evidence::measured;
  p.page_bytes = 4096;
  p.total_accesses = 150;
  p.metadata = {{"host", "two cores"}, {"note", "with 'quotes' and\nlines"}};
  p.parameters = {{"granularity", "4096"}, {"window", "0"}};
  p.threads = {{100, "main", 0, 900, 100, 400}, {101, "", 10, 800, 50, 200}};
  p.sharing = sharing_matrix(2);
  p.sharing.set(0, 1, 30.5);
  p.sharing.set(1, 0, 0.1);
  p.windows = {{0, 500}, {500, 900}};
  p.pages = {
      {page_number(0x400), 2, 0, thread_id(0), 10, 5},
      {page_number(0x400), 2, 0, thread_id(1), 20, 0},
      {page_number(0x400), 2, 1, thread_id(0), 3, 3},
      {page_number(0x7ffffffffffff), 1, 1, thread_id(1), 30, 0},
  };
  data_object grid;
  grid.kind = object_kind::heap;
  grid.name = "malloc at grid.c:41";
  grid.function = "make_grid";
  grid.file = "grid.c";
  grid.line = 41;
  grid.bytes = 8192;
  grid.blocks = 3;
  grid.accesses = 110;
  grid.shared_pages = 2;
  grid.shared_accesses = {{0, 36}, {1, 40}};
  data_object stack;
  stack.kind = object_kind::stack;
  stack.name = "stack of thread 1";
  p.objects = {grid, stack};
  false_sharing line;
  line.line_address = 0xffffffffff600040;
  line.object = 0;
  line.accesses = 20;
  line.writes = 11;
  line.parts = {{thread_id(0), 0xff, 0xff, 12}, {thread_id(1), 0xff00000000000000, 0, 8}};
  false_sharing unknown;
  unknown.line_address = 0x400040;
  p.false_shares = {line, unknown};
  return p;
}

/// A folder that is removed at the end of the test.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "numatch-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace numatch::test
