// SPDX-License-Identifier: Apache-2.0
#include "pattern/sqlite.hpp"

#include <sqlite3.h>

#include <bit>
#include <limits>

namespace numatch::sqlite {

void database::closer::operator()(sqlite3* handle) const {
  sqlite3_close(handle);
}

void statement::finalizer::operator()(sqlite3_stmt* handle) const {
  sqlite3_finalize(handle);
}

tl::unexpected<error> database::problem() const {
  switch (sqlite3_errcode(handle_.get())) {
    case SQLITE_NOTADB:
      return fail(where_, "is not a numatch profile", "make one with numatch profile");
    case SQLITE_CORRUPT:
      return fail(where_, "the profile is damaged", "make it again with numatch profile");
    case SQLITE_FULL:
      return fail(where_, "no space left on the device", "free some space");
    default:
      return fail(where_, sqlite3_errmsg(handle_.get()));
  }
}

result<database> database::open(const std::filesystem::path& path, int flags) {
  database opened;
  opened.where_ = path.string();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  opened.handle_.reset(handle);
  if (code != SQLITE_OK) return opened.problem();
  return opened;
}

result<database> database::open_to_fill(const std::filesystem::path& path) {
  result<database> opened = open(path, SQLITE_OPEN_READWRITE);
  if (!opened) return opened;
  if (result<void> r = opened->run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"); !r) {
    return tl::unexpected(r.error());
  }
  return opened;
}

result<database> database::open_to_read(const std::filesystem::path& path) {
  result<database> opened = open(path, SQLITE_OPEN_READONLY);
  if (!opened) return opened;
  // A profile may come from anybody: its schema may not call functions, and cells are checked.
  sqlite3_db_config(opened->handle_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (result<void> r = opened->run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;");
      !r) {
    return tl::unexpected(r.error());
  }
  return opened;
}

result<void> database::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return problem();
  }
  return {};
}

result<statement> database::prepare(std::string_view sql) {
  statement made;
  sqlite3_stmt* handle = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
  made.handle_.reset(handle);
  made.owner_ = this;
  if (code != SQLITE_OK) return problem();
  return made;
}

result<std::int64_t> database::number(std::string_view sql) {
  result<statement> asked = prepare(sql);
  if (!asked) return tl::unexpected(asked.error());
  const result<bool> row = asked->next();
  if (!row) return tl::unexpected(row.error());
  return std::bit_cast<std::int64_t>(*row ? asked->whole(0) : 0);
}

void statement::bind(int place, std::uint64_t value) {
  bind(place, std::bit_cast<std::int64_t>(value));
}

void statement::bind(int place, std::int64_t value) {
  sqlite3_bind_int64(handle_.get(), place, value);
}

void statement::bind(int place, double value) {
  sqlite3_bind_double(handle_.get(), place, value);
}

void statement::bind(int place, std::string_view value) {
  sqlite3_bind_text(handle_.get(), place, value.data(), static_cast<int>(value.size()),
                    SQLITE_TRANSIENT);
}

result<void> statement::run_once() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_DONE) return owner_->problem();
  sqlite3_reset(handle_.get());
  return {};
}

result<bool> statement::next() {
  if (wrong_type_) {
    return fail(owner_->where_, "the profile holds a value of the wrong type",
                "make it again with numatch profile");
  }
  switch (sqlite3_step(handle_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return owner_->problem();
  }
}

bool statement::is_of_type(int column, int type) {
  const bool fits = sqlite3_column_type(handle_.get(), column) == type;
  wrong_type_ = wrong_type_ || !fits;
  return fits;
}

std::uint64_t statement::whole(int column) {
  if (!is_of_type(column, SQLITE_INTEGER)) return 0;
  return std::bit_cast<std::uint64_t>(std::int64_t{sqlite3_column_int64(handle_.get(), column)});
}

std::uint32_t statement::small(int column) {
  const std::uint64_t value = whole(column);
  if (value > std::numeric_limits<std::uint32_t>::max()) wrong_type_ = true;
  return static_cast<std::uint32_t>(value);
}

double statement::real(int column) {
  if (!is_of_type(column, SQLITE_FLOAT)) return 0;
  return sqlite3_column_double(handle_.get(), column);
}

std::string statement::text(int column) {
  if (!is_of_type(column, SQLITE_TEXT)) return {};
  const unsigned char* bytes = sqlite3_column_text(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return bytes == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

}  // namespace numatch::sqlite
