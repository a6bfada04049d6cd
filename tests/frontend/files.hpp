// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace numatch::frontend {

/// A folder for one test, and files in it.
class file_folder {
 public:
  file_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "numatch-front.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~file_folder() { std::filesystem::remove_all(path_); }
  file_folder(const file_folder&) = delete;
  file_folder& operator=(const file_folder&) = delete;

  std::string executable(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = path_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    ::chmod(path.c_str(), 0755);
    return path.string();
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// An environment variable for the length of a test.
class variable {
 public:
  variable(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    had_ = before != nullptr;
    if (had_) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~variable() {
    if (had_) {
      ::setenv(name_, before_.c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
  bool had_ = false;
  std::string before_;
};

}  // namespace numatch::frontend
