// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/atomic_file.hpp"
#include "pattern/profile.hpp"
#include "pattern/profile_schema.hpp"
#include "pattern/sqlite.hpp"

namespace numatch {

namespace {

/// Writes one table after the other; the first error stops all further writing.
class profile_writer {
 public:
  profile_writer(sqlite::database& file, const profile& learned) : file_(file), p_(learned) {}

  result<void> write_all() {
    make_tables();
    program();
    pairs("metadata", p_.metadata);
    pairs("parameter", p_.parameters);
    threads();
    sharing();
    windows();
    pages();
    objects();
    false_shares();
    count_rows();
    run("COMMIT");
    return std::move(state_);
  }

 private:
  void run(const std::string& sql) {
    if (state_) state_ = file_.run(sql);
  }

  /// fill(insert) calls insert(values...) once per row.
  template <class Fill>
  void fill_table(std::string_view table, int columns, const Fill& fill) {
    if (!state_) return;
    std::string marks = "?";
    for (int i = 1; i < columns; ++i) marks += ",?";
    result<sqlite::statement> row =
        file_.prepare(fmt::format("INSERT INTO {} VALUES ({})", table, marks));
    if (!row) {
      state_ = tl::unexpected(row.error());
      return;
    }
    fill([&](const auto&... values) {
      if (state_) state_ = row->insert(values...);
    });
  }

  void make_tables() {
    run("BEGIN");
    run(fmt::format("PRAGMA application_id = {}", profile_application_id));
    run(fmt::format("PRAGMA user_version = {}", profile_version));
    for (const profile_table& table : profile_tables) {
      run(fmt::format("CREATE TABLE {} ({}", table.name, table.columns));
    }
    run(std::string(sharing_view));
    run("CREATE TABLE row_count (name TEXT NOT NULL PRIMARY KEY, rows INTEGER NOT NULL) STRICT");
  }

  void program() {
    fill_table("program", 8, [&](const auto& insert) {
      insert(p_.command, p_.mechanism, p_.frontend, p_.matrix_unit, p_.time_unit, to_string(p_.how),
             p_.page_bytes, p_.total_accesses);
    });
  }

  void pairs(std::string_view table, const std::map<std::string, std::string>& values) {
    fill_table(table, 2, [&](const auto& insert) {
      for (const auto& [key, value] : values) insert(key, value);
    });
  }

  void threads() {
    fill_table("thread", 7, [&](const auto& insert) {
      std::uint64_t id = 0;
      for (const profiled_thread& t : p_.threads) {
        insert(id++, t.os_tid, t.name, t.start, t.end, t.accesses, t.instructions);
      }
    });
  }

  /// Neighbouring cells of a row with one amount are one row of the table: thousands of threads
  /// that all use one page would fill hundreds of megabytes otherwise.
  void sharing() {
    fill_table("sharing_run", 4, [&](const auto& insert) {
      const std::uint64_t threads = p_.sharing.size();
      for (std::uint64_t i = 0; i < threads; ++i) {
        for (std::uint64_t begin = 0, end = 0; begin < threads; begin = end) {
          const double amount = p_.sharing.at(i, begin);
          for (end = begin + 1; end < threads && p_.sharing.at(i, end) == amount;) ++end;
          if (amount != 0) insert(i, begin, end - begin, amount);
        }
      }
    });
  }

  void windows() {
    fill_table("time_window", 3, [&](const auto& insert) {
      std::uint64_t id = 0;
      for (const time_window& w : p_.windows) insert(id++, w.start, w.end);
    });
  }

  void pages() {
    fill_table("page_use", 6, [&](const auto& insert) {
      for (const page_use& use : p_.pages) {
        insert(use.first_page.value, use.window, use.thread.value, use.pages, use.reads,
               use.writes);
      }
    });
  }

  void objects() {
    fill_table("object", 10, [&](const auto& insert) {
      std::uint64_t id = 0;
      for (const data_object& o : p_.objects) {
        insert(id++, to_string(o.kind), o.name, o.function, o.file, o.line, o.bytes, o.blocks,
               o.accesses, o.shared_pages);
      }
    });
    fill_table("object_access", 3, [&](const auto& insert) {
      for (std::uint64_t id = 0; id < p_.objects.size(); ++id) {
        for (const auto& [thread, accesses] : p_.objects[id].shared_accesses) {
          insert(id, thread, accesses);
        }
      }
    });
  }

  void false_shares() {
    fill_table("false_sharing", 5, [&](const auto& insert) {
      std::uint64_t id = 0;
      for (const false_sharing& line : p_.false_shares) {
        insert(id++, line.line_address, line.object, line.accesses, line.writes);
      }
    });
    fill_table("false_sharing_part", 5, [&](const auto& insert) {
      for (std::uint64_t id = 0; id < p_.false_shares.size(); ++id) {
        for (const false_sharing::part& part : p_.false_shares[id].parts) {
          insert(id, part.thread.value, part.bytes_read, part.bytes_written, part.accesses);
        }
      }
    });
  }

  void count_rows() {
    for (const profile_table& table : profile_tables) {
      run(fmt::format("INSERT INTO row_count SELECT '{0}', count(*) FROM {0}", table.name));
    }
  }

  sqlite::database& file_;
  const profile& p_;
  result<void> state_;
};

}  // namespace

result<void> save_profile(const profile& learned, const std::filesystem::path& path) {
  if (result<void> sound = check_profile(learned); !sound) {
    return fail(path.string(), sound.error().what);
  }
  result<atomic_file> target = atomic_file::create(path);
  if (!target) return tl::unexpected(target.error());
  {
    result<sqlite::database> file = sqlite::database::open_to_fill(target->temporary_path());
    result<void> written = file ? profile_writer(*file, learned).write_all()
                                : result<void>(tl::unexpected(file.error()));
    if (!written) return fail(path.string(), written.error().what, written.error().hint);
  }
  return target->commit();
}

}  // namespace numatch
