// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <utility>

#include "base/atomic_file.hpp"
#include "pattern/profile.hpp"
#include "pattern/profile_schema.hpp"
#include "pattern/sqlite.hpp"

namespace numatch {

namespace {

constexpr std::string_view make_again = "make it again with numatch profile";
constexpr std::string_view make_one = "make one with numatch profile";

/// SQLite would read a file whose tail is missing until it meets the hole; its header says how long
/// the file has to be (SQLite file format, section 1.3), so say it at once.
result<void> check_length(const std::filesystem::path& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (code) return fail(path.string(), code.message());
  if (status.type() == std::filesystem::file_type::directory) {
    return fail(path.string(), "is a directory", "name a profile file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(path.string(), "cannot be opened", "check its permissions");
  unsigned char header[100] = {};
  stream.read(reinterpret_cast<char*>(header), sizeof header);
  constexpr std::string_view magic{"SQLite format 3\0", 16};
  if (stream.gcount() != sizeof header ||
      std::string_view(reinterpret_cast<const char*>(header), magic.size()) != magic) {
    return fail(path.string(), "is not a numatch profile", std::string(make_one));
  }
  std::uint64_t page_bytes = std::uint64_t{header[16]} << 8 | header[17];
  if (page_bytes == 1) page_bytes = 65536;
  std::uint64_t pages = 0;
  for (int i = 28; i < 32; ++i) pages = pages << 8 | header[i];
  const std::uintmax_t bytes = std::filesystem::file_size(path, code);
  if (!code && bytes < page_bytes * pages) {
    return fail(path.string(),
                fmt::format("is cut off after {} of {} bytes", bytes, page_bytes * pages),
                "copy it again");
  }
  return {};
}

/// Reads one table after the other; the first error stops all further reading.
class profile_reader {
 public:
  profile_reader(sqlite::database& file, std::string where)
      : file_(file), where_(std::move(where)) {}

  result<profile> read_all() {
    check_kind();
    check_counts();
    program();
    pairs("metadata", p_.metadata);
    pairs("parameter", p_.parameters);
    threads();
    sharing();
    windows();
    pages();
    objects();
    false_shares();
    if (!state_) return tl::unexpected(state_.error());
    if (result<void> sound = check_profile(p_); !sound) {
      return fail(where_, sound.error().what, std::string(make_again));
    }
    return std::move(p_);
  }

 private:
  void refuse(std::string what, std::string_view hint = make_again) {
    if (state_) state_ = fail(where_, std::move(what), std::string(hint));
  }

  std::int64_t number(const std::string& sql) {
    if (!state_) return 0;
    const result<std::int64_t> value = file_.number(sql);
    if (!value) state_ = tl::unexpected(value.error());
    return value.value_or(0);
  }

  /// each(row) is called for every row.
  template <class Each>
  void read_rows(const std::string& sql, const Each& each) {
    if (!state_) return;
    result<sqlite::statement> rows = file_.prepare(sql);
    if (!rows) {
      state_ = tl::unexpected(rows.error());
      return;
    }
    while (state_) {
      const result<bool> more = rows->next();
      if (!more) state_ = tl::unexpected(more.error());
      if (!more || !*more) return;
      each(*rows);
    }
  }

  void check_kind() {
    if (number("PRAGMA application_id") != profile_application_id) {
      refuse("is an SQLite file but not a numatch profile", make_one);
    }
    const std::int64_t version = number("PRAGMA user_version");
    if (version > profile_version) {
      refuse(fmt::format("is a profile of version {}, this numatch reads up to version {}", version,
                         profile_version),
             "use a newer numatch");
    } else if (version < 1) {
      refuse("the profile is not finished");
    }
  }

  void check_counts() {
    for (const profile_table& table : profile_tables) {
      const std::int64_t noted =
          number(fmt::format("SELECT rows FROM row_count WHERE name = '{}'", table.name));
      const std::int64_t found = number(fmt::format("SELECT count(*) FROM {}", table.name));
      if (noted != found) {
        refuse(fmt::format("table {} has {} rows where {} were written", table.name, found, noted));
      }
    }
  }

  void program() {
    bool seen = false;
    read_rows(
        "SELECT command, mechanism, frontend, matrix_unit, time_unit, evidence, page_bytes, "
        "accesses FROM program",
        [&](sqlite::statement& row) {
          seen = true;
          p_.command = row.text(0);
          p_.mechanism = row.text(1);
          p_.frontend = row.text(2);
          p_.matrix_unit = row.text(3);
          p_.time_unit = row.text(4);
          const std::string word = row.text(5);
          const std::optional<evidence> how = evidence_named(word);
          if (!how) refuse(fmt::format("'{}' is no kind of evidence", word));
          p_.how = how.value_or(evidence::measured);
          p_.page_bytes = row.whole(6);
          p_.total_accesses = row.whole(7);
        });
    if (!seen) refuse("the profile has no program");
  }

  void pairs(std::string_view table, std::map<std::string, std::string>& values) {
    read_rows(fmt::format("SELECT * FROM {}", table),
              [&](sqlite::statement& row) { values[row.text(0)] = row.text(1); });
  }

  /// Row numbers of a table that is addressed by position must be 0, 1, 2, ...
  void expect_id(std::string_view table, std::uint64_t id, std::size_t expected) {
    if (id != expected) refuse(fmt::format("table {} lacks row {}", table, expected));
  }

  void threads() {
    read_rows(
        "SELECT id, os_tid, name, start, \"end\", accesses, instructions FROM thread ORDER BY id",
        [&](sqlite::statement& row) {
          expect_id("thread", row.whole(0), p_.threads.size());
          p_.threads.push_back(
              {row.small(1), row.text(2), row.whole(3), row.whole(4), row.whole(5), row.whole(6)});
        });
    if (p_.threads.size() > max_profile_threads) {
      refuse(fmt::format("has {} threads, at most {} are supported", p_.threads.size(),
                         max_profile_threads),
             "");
    }
  }

  void sharing() {
    if (!state_) return;
    p_.sharing = sharing_matrix(p_.threads.size());
    const std::size_t threads = p_.sharing.size();
    read_rows("SELECT thread, first_other, others, amount FROM sharing_run",
              [&](sqlite::statement& row) {
                const std::uint64_t i = row.whole(0);
                const std::uint64_t first = row.whole(1);
                const std::uint64_t others = row.whole(2);
                const double amount = row.real(3);
                if (i >= threads || first >= threads || others > threads - first) {
                  refuse(fmt::format("thread {} shares with {} others from {}, but there are {}", i,
                                     others, first, threads));
                  return;
                }
                for (std::uint64_t j = first; j < first + others; ++j) p_.sharing.set(i, j, amount);
              });
  }

  void windows() {
    read_rows("SELECT id, start, \"end\" FROM time_window ORDER BY id",
              [&](sqlite::statement& row) {
                expect_id("time_window", row.whole(0), p_.windows.size());
                p_.windows.push_back({row.whole(1), row.whole(2)});
              });
  }

  void pages() {
    read_rows(
        "SELECT first_page, time_window, thread, pages, reads, writes FROM page_use "
        "ORDER BY first_page, time_window, thread",
        [&](sqlite::statement& row) {
          page_use use;
          use.first_page = page_number(row.whole(0));
          use.window = row.small(1);
          use.thread = thread_id(row.small(2));
          use.pages = row.whole(3);
          use.reads = row.whole(4);
          use.writes = row.whole(5);
          p_.pages.push_back(use);
        });
  }

  void objects() {
    read_rows(
        "SELECT id, kind, name, function, file, line, bytes, blocks, accesses, shared_pages "
        "FROM object ORDER BY id",
        [&](sqlite::statement& row) {
          expect_id("object", row.whole(0), p_.objects.size());
          data_object o;
          const std::string word = row.text(1);
          const std::optional<object_kind> kind = object_kind_named(word);
          if (!kind) refuse(fmt::format("'{}' is no kind of data object", word));
          o.kind = kind.value_or(object_kind::unknown);
          o.name = row.text(2);
          o.function = row.text(3);
          o.file = row.text(4);
          o.line = row.small(5);
          o.bytes = row.whole(6);
          o.blocks = row.whole(7);
          o.accesses = row.whole(8);
          o.shared_pages = row.whole(9);
          p_.objects.push_back(std::move(o));
        });
    read_rows("SELECT object, thread, accesses FROM object_access", [&](sqlite::statement& row) {
      const std::uint64_t object = row.whole(0);
      if (object >= p_.objects.size()) {
        refuse(fmt::format("accesses to object {}, but there are {} objects", object,
                           p_.objects.size()));
      } else {
        p_.objects[object].shared_accesses[row.small(1)] = row.whole(2);
      }
    });
  }

  void false_shares() {
    read_rows("SELECT id, line_address, object, accesses, writes FROM false_sharing ORDER BY id",
              [&](sqlite::statement& row) {
                expect_id("false_sharing", row.whole(0), p_.false_shares.size());
                false_sharing line;
                line.line_address = row.whole(1);
                line.object = static_cast<std::int64_t>(row.whole(2));
                line.accesses = row.whole(3);
                line.writes = row.whole(4);
                p_.false_shares.push_back(std::move(line));
              });
    read_rows(
        "SELECT line, thread, bytes_read, bytes_written, accesses FROM false_sharing_part "
        "ORDER BY line, thread",
        [&](sqlite::statement& row) {
          const std::uint64_t line = row.whole(0);
          if (line >= p_.false_shares.size()) {
            refuse(fmt::format("part of falsely shared line {}, but there are {} lines", line,
                               p_.false_shares.size()));
          } else {
            p_.false_shares[line].parts.push_back(
                {thread_id(row.small(1)), row.whole(2), row.whole(3), row.whole(4)});
          }
        });
  }

  sqlite::database& file_;
  std::string where_;
  profile p_;
  result<void> state_;
};

}  // namespace

result<profile> load_profile(const std::filesystem::path& path) {
  if (result<void> length = check_length(path); !length) return tl::unexpected(length.error());
  result<sqlite::database> file = sqlite::database::open_to_read(path);
  if (!file) return tl::unexpected(file.error());
  return profile_reader(*file, path.string()).read_all();
}

}  // namespace numatch
