// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

// The little of SQLite that the profile file needs, with result<T> instead of codes. Not thread
// safe.

namespace numatch::sqlite {

class statement;

/// An open database file; closed at the end of its life.
class database {
 public:
  /// For writing the file must exist (atomic_file makes it) and is written without a journal: the
  /// caller renames it when it is whole.
  static result<database> open_to_fill(const std::filesystem::path& path);
  static result<database> open_to_read(const std::filesystem::path& path);

  /// Statements without values or rows.
  result<void> run(const std::string& sql);
  result<statement> prepare(std::string_view sql);
  /// The one whole number that a statement answers.
  result<std::int64_t> number(std::string_view sql);

 private:
  friend class statement;
  struct closer {
    void operator()(sqlite3* handle) const;
  };
  static result<database> open(const std::filesystem::path& path, int flags);
  tl::unexpected<error> problem() const;
  std::unique_ptr<sqlite3, closer> handle_;
  std::string where_;
};

/// A prepared statement; must not outlive its database.
class statement {
 public:
  /// Binds the values to ?1, ?2, ... and runs the statement once. 64-bit numbers keep their bits
  /// (SQLite shows those above 2^63 as negative).
  template <class... Values>
  result<void> insert(const Values&... values) {
    int place = 0;
    (bind(++place, values), ...);
    return run_once();
  }

  /// Steps to the next row; false at the end. A value of the row before that was not of the type
  /// asked for is an error here.
  result<bool> next();
  /// Column values of the present row, from 0.
  std::uint64_t whole(int column);
  std::uint32_t small(int column);  ///< a whole number below 2^32
  double real(int column);
  std::string text(int column);

 private:
  friend class database;
  struct finalizer {
    void operator()(sqlite3_stmt* handle) const;
  };
  void bind(int place, std::uint64_t value);
  void bind(int place, std::int64_t value);
  void bind(int place, std::uint32_t value) { bind(place, std::uint64_t{value}); }
  void bind(int place, double value);
  void bind(int place, std::string_view value);
  result<void> run_once();
  bool is_of_type(int column, int type);
  std::unique_ptr<sqlite3_stmt, finalizer> handle_;
  const database* owner_ = nullptr;
  bool wrong_type_ = false;
};

}  // namespace numatch::sqlite
