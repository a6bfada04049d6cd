// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/atomic_file.hpp"
#include "pattern/profile.hpp"
#include "pattern/profile_samples.hpp"

namespace numatch {
namespace {

using test::scratch_folder;
using test::small_profile;
using testing::IsSubstring;

void run_sql(const std::filesystem::path& path, const char* sql) {
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(file, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(file);
  sqlite3_close(file);
}

/// A saved small_profile(), changed with SQL as a careless or ill-willed hand would.
std::string refusal_after(const char* sql) {
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  EXPECT_TRUE(save_profile(small_profile(), path));
  run_sql(path, sql);
  const result<profile> loaded = load_profile(path);
  return loaded ? "loaded" : loaded.error().message();
}

std::string refusal_of_bytes(std::string_view bytes) {
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  EXPECT_TRUE(write_file(path, bytes));
  const result<profile> loaded = load_profile(path);
  return loaded ? "loaded" : loaded.error().message();
}

std::string saved_bytes(const profile& p) {
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  EXPECT_TRUE(save_profile(p, path));
  return read_file(path).value_or("");
}

void expect_same(const profile& a, const profile& b) {
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.mechanism, b.mechanism);
  EXPECT_EQ(a.frontend, b.frontend);
  EXPECT_EQ(a.matrix_unit, b.matrix_unit);
  EXPECT_EQ(a.time_unit, b.time_unit);
  EXPECT_EQ(a.how, b.how);
  EXPECT_EQ(a.page_bytes, b.page_bytes);
  EXPECT_EQ(a.total_accesses, b.total_accesses);
  EXPECT_EQ(a.metadata, b.metadata);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.sharing, b.sharing);
  ASSERT_EQ(a.threads.size(), b.threads.size());
  for (std::size_t t = 0; t < a.threads.size(); ++t) {
    EXPECT_EQ(a.threads[t].os_tid, b.threads[t].os_tid);
    EXPECT_EQ(a.threads[t].name, b.threads[t].name);
    EXPECT_EQ(a.threads[t].start, b.threads[t].start);
    EXPECT_EQ(a.threads[t].end, b.threads[t].end);
    EXPECT_EQ(a.threads[t].accesses, b.threads[t].accesses);
    EXPECT_EQ(a.threads[t].instructions, b.threads[t].instructions);
  }
  ASSERT_EQ(a.windows.size(), b.windows.size());
  for (std::size_t w = 0; w < a.windows.size(); ++w) {
    EXPECT_EQ(a.windows[w].start, b.windows[w].start);
    EXPECT_EQ(a.windows[w].end, b.windows[w].end);
  }
  ASSERT_EQ(a.pages.size(), b.pages.size());
  for (std::size_t u = 0; u < a.pages.size(); ++u) {
    EXPECT_EQ(a.pages[u].first_page, b.pages[u].first_page);
    EXPECT_EQ(a.pages[u].pages, b.pages[u].pages);
    EXPECT_EQ(a.pages[u].window, b.pages[u].window);
    EXPECT_EQ(a.pages[u].thread, b.pages[u].thread);
    EXPECT_EQ(a.pages[u].reads, b.pages[u].reads);
    EXPECT_EQ(a.pages[u].writes, b.pages[u].writes);
  }
  ASSERT_EQ(a.objects.size(), b.objects.size());
  for (std::size_t o = 0; o < a.objects.size(); ++o) {
    EXPECT_EQ(a.objects[o].kind, b.objects[o].kind);
    EXPECT_EQ(a.objects[o].name, b.objects[o].name);
    EXPECT_EQ(a.objects[o].function, b.objects[o].function);
    EXPECT_EQ(a.objects[o].file, b.objects[o].file);
    EXPECT_EQ(a.objects[o].line, b.objects[o].line);
    EXPECT_EQ(a.objects[o].bytes, b.objects[o].bytes);
    EXPECT_EQ(a.objects[o].blocks, b.objects[o].blocks);
    EXPECT_EQ(a.objects[o].accesses, b.objects[o].accesses);
    EXPECT_EQ(a.objects[o].shared_pages, b.objects[o].shared_pages);
    EXPECT_EQ(a.objects[o].shared_accesses, b.objects[o].shared_accesses);
  }
  ASSERT_EQ(a.false_shares.size(), b.false_shares.size());
  for (std::size_t l = 0; l < a.false_shares.size(); ++l) {
    EXPECT_EQ(a.false_shares[l].line_address, b.false_shares[l].line_address);
    EXPECT_EQ(a.false_shares[l].object, b.false_shares[l].object);
    EXPECT_EQ(a.false_shares[l].accesses, b.false_shares[l].accesses);
    EXPECT_EQ(a.false_shares[l].writes, b.false_shares[l].writes);
    ASSERT_EQ(a.false_shares[l].parts.size(), b.false_shares[l].parts.size());
    for (std::size_t q = 0; q < a.false_shares[l].parts.size(); ++q) {
      EXPECT_EQ(a.false_shares[l].parts[q].thread, b.false_shares[l].parts[q].thread);
      EXPECT_EQ(a.false_shares[l].parts[q].bytes_read, b.false_shares[l].parts[q].bytes_read);
      EXPECT_EQ(a.false_shares[l].parts[q].bytes_written, b.false_shares[l].parts[q].bytes_written);
      EXPECT_EQ(a.false_shares[l].parts[q].accesses, b.false_shares[l].parts[q].accesses);
    }
  }
}

TEST(profile_store, a_profile_comes_back_as_it_was_saved) {
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  ASSERT_TRUE(save_profile(small_profile(), path));
  const result<profile> loaded = load_profile(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  expect_same(*loaded, small_profile());
}

TEST(profile_store, a_profile_without_threads_comes_back) {
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  ASSERT_TRUE(save_profile(profile{}, path));
  const result<profile> loaded = load_profile(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  expect_same(*loaded, profile{});
}

TEST(profile_store, five_thousand_threads_come_back) {
  profile p;
  p.threads.resize(5000);
  p.sharing = sharing_matrix(5000);
  p.sharing.set(4999, 0, 7);
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  ASSERT_TRUE(save_profile(p, path));
  const result<profile> loaded = load_profile(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->threads.size(), 5000u);
  EXPECT_EQ(loaded->sharing.at(4999, 0), 7);
  EXPECT_EQ(loaded->sharing.total(), 7);
}

TEST(profile_store, a_matrix_of_equal_cells_stays_small) {
  profile p;
  p.threads.resize(300);
  p.sharing = sharing_matrix(300);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t j = 0; j < 300; ++j) p.sharing.set(i, j, i == j ? 0 : 6);
  }
  p.sharing.set(7, 100, 5);
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  ASSERT_TRUE(save_profile(p, path));
  EXPECT_LT(std::filesystem::file_size(path), 100'000u);
  const result<profile> loaded = load_profile(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->sharing, p.sharing);
}

TEST(profile_store, saving_twice_gives_the_same_bytes) {
  const std::string bytes = saved_bytes(small_profile());
  EXPECT_FALSE(bytes.empty());
  EXPECT_TRUE(bytes == saved_bytes(small_profile()));
}

TEST(profile_store, saving_replaces_an_older_file) {
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  ASSERT_TRUE(write_file(path, "something else"));
  ASSERT_TRUE(save_profile(small_profile(), path));
  EXPECT_TRUE(load_profile(path));
}

TEST(profile_store, a_refused_profile_leaves_the_older_file_and_no_other) {
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.nmp";
  ASSERT_TRUE(write_file(path, "older"));
  profile p = small_profile();
  p.sharing.set(0, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(save_profile(p, path));
  EXPECT_EQ(read_file(path).value_or(""), "older");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(profile_store, saving_into_a_missing_folder_is_an_error) {
  const scratch_folder folder;
  EXPECT_FALSE(save_profile(small_profile(), folder / "no/such/a.nmp"));
}

TEST(profile_store, an_unsound_profile_is_not_saved) {
  const scratch_folder folder;
  const auto refusal = [&](const auto& change) {
    profile p = small_profile();
    change(p);
    const result<void> saved = save_profile(p, folder / "a.nmp");
    return saved ? std::string("saved") : saved.error().message();
  };
  EXPECT_PRED_FORMAT2(IsSubstring, "1 and 0 is -1",
                      refusal([](profile& p) { p.sharing.set(1, 0, -1); }));
  EXPECT_PRED_FORMAT2(IsSubstring, "is inf",
                      refusal([](profile& p) { p.sharing.set(1, 0, INFINITY); }));
  EXPECT_PRED_FORMAT2(IsSubstring, "with itself",
                      refusal([](profile& p) { p.sharing.set(1, 1, 2); }));
  EXPECT_PRED_FORMAT2(IsSubstring, "of 3 threads", refusal([](profile& p) { p.sharing.grow(3); }));
  EXPECT_PRED_FORMAT2(IsSubstring, "power of two",
                      refusal([](profile& p) { p.page_bytes = 4095; }));
  EXPECT_PRED_FORMAT2(IsSubstring, "out of order",
                      refusal([](profile& p) { std::swap(p.pages[0], p.pages[2]); }));
  EXPECT_PRED_FORMAT2(IsSubstring, "overlap", refusal([](profile& p) { p.pages[1].pages = 1; }));
  EXPECT_PRED_FORMAT2(IsSubstring, "overlap", refusal([](profile& p) {
                        p.pages.erase(p.pages.begin() + 1, p.pages.begin() + 3);
                        p.pages[1].first_page = page_number(0x401);
                      }));
  EXPECT_PRED_FORMAT2(IsSubstring, "time window",
                      refusal([](profile& p) { std::swap(p.windows[0], p.windows[1]); }));
  EXPECT_PRED_FORMAT2(IsSubstring, "thread 1 ends",
                      refusal([](profile& p) { p.threads[1].end = 1; }));
  EXPECT_PRED_FORMAT2(IsSubstring, "outside the address space",
                      refusal([](profile& p) { p.pages[3].pages = ~std::uint64_t{0}; }));
}

TEST(profile_store, a_missing_file_is_named) {
  const result<profile> loaded = load_profile("/no/such/file.nmp");
  ASSERT_FALSE(loaded);
  EXPECT_PRED_FORMAT2(IsSubstring, "/no/such/file.nmp: No such file", loaded.error().message());
}

TEST(profile_store, a_directory_is_refused) {
  const scratch_folder folder;
  const result<profile> loaded = load_profile(folder.path());
  ASSERT_FALSE(loaded);
  EXPECT_PRED_FORMAT2(IsSubstring, "is a directory", loaded.error().message());
}

TEST(profile_store, files_of_other_kinds_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "is not a numatch profile", refusal_of_bytes(""));
  EXPECT_PRED_FORMAT2(IsSubstring, "is not a numatch profile", refusal_of_bytes("NUMATRC\n"));
  EXPECT_PRED_FORMAT2(IsSubstring, "is not a numatch profile",
                      refusal_of_bytes(std::string(5000, 'x')));
}

TEST(profile_store, another_sqlite_file_is_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "an SQLite file but not a numatch profile",
                      refusal_after("PRAGMA application_id = 1"));
}

TEST(profile_store, a_newer_version_is_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring,
                      "is a profile of version 2, this numatch reads up to version 1; use a newer",
                      refusal_after("PRAGMA user_version = 2"));
}

TEST(profile_store, a_cut_off_file_is_refused_at_every_length) {
  const std::string whole = saved_bytes(small_profile());
  ASSERT_GT(whole.size(), 4096u);
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 1021) {
    EXPECT_NE(refusal_of_bytes(whole.substr(0, bytes)), "loaded") << bytes;
  }
  EXPECT_PRED_FORMAT2(IsSubstring, "is cut off after",
                      refusal_of_bytes(whole.substr(0, whole.size() - 1)));
}

TEST(profile_store, no_changed_byte_makes_the_loader_fail_otherwise_than_by_an_error) {
  const std::string whole = saved_bytes(small_profile());
  for (std::size_t place = 0; place < whole.size(); place += 401) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(~damaged[place]);
    const std::string said = refusal_of_bytes(damaged);
    EXPECT_FALSE(said.empty()) << place;
  }
}

TEST(profile_store, lost_rows_are_noticed) {
  EXPECT_PRED_FORMAT2(IsSubstring, "table page_use has 2 rows where 4 were written",
                      refusal_after("DELETE FROM page_use WHERE thread = 1"));
}

TEST(profile_store, a_lost_table_is_noticed) {
  EXPECT_PRED_FORMAT2(IsSubstring, "sharing", refusal_after("DROP TABLE sharing_run"));
}

TEST(profile_store, indices_out_of_range_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "thread 0 shares with 1 others from 2, but there are 2",
                      refusal_after("UPDATE sharing_run SET first_other = 2 WHERE thread = 0"));
  EXPECT_PRED_FORMAT2(
      IsSubstring, "used by thread 9",
      refusal_after("UPDATE page_use SET thread = 9 WHERE first_page = 1024 AND thread = 1"));
  EXPECT_PRED_FORMAT2(IsSubstring, "in window 7",
                      refusal_after("UPDATE page_use SET time_window = 7 WHERE time_window = 1"));
  EXPECT_PRED_FORMAT2(IsSubstring, "wrong type",
                      refusal_after("UPDATE page_use SET thread = -1 WHERE thread = 1"));
  EXPECT_PRED_FORMAT2(IsSubstring, "object 2",
                      refusal_after("UPDATE object_access SET object = 2"));
  EXPECT_PRED_FORMAT2(IsSubstring, "accessed by thread 3",
                      refusal_after("UPDATE object_access SET thread = 3 WHERE thread = 1"));
  EXPECT_PRED_FORMAT2(IsSubstring, "object 4",
                      refusal_after("UPDATE false_sharing SET object = 4"));
  EXPECT_PRED_FORMAT2(IsSubstring, "line 5",
                      refusal_after("UPDATE false_sharing_part SET line = 5"));
  EXPECT_PRED_FORMAT2(IsSubstring, "table thread lacks row 1",
                      refusal_after("UPDATE thread SET id = 6 WHERE id = 1"));
}

TEST(profile_store, amounts_that_are_no_amounts_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "is -2", refusal_after("UPDATE sharing_run SET amount = -2.0"));
  EXPECT_PRED_FORMAT2(IsSubstring, "is inf",
                      refusal_after("UPDATE sharing_run SET amount = 9e999"));
}

TEST(profile_store, a_value_of_the_wrong_type_is_refused) {
  EXPECT_PRED_FORMAT2(
      IsSubstring, "wrong type",
      refusal_after("ALTER TABLE sharing_run RENAME TO old;"
                    "CREATE TABLE sharing_run (thread, first_other, others, amount);"
                    "INSERT INTO sharing_run SELECT thread, first_other, others, NULL FROM old"));
}

TEST(profile_store, words_that_mean_nothing_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "'guessed' is no kind of evidence",
                      refusal_after("UPDATE program SET evidence = 'guessed'"));
  EXPECT_PRED_FORMAT2(IsSubstring, "'dream' is no kind of data object",
                      refusal_after("UPDATE object SET kind = 'dream' WHERE id = 1"));
}

}  // namespace
}  // namespace numatch
