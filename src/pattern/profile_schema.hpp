// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

// The tables of a profile file; docs/profile-format.md describes them for users.

namespace numatch {

inline constexpr std::int64_t profile_application_id = 0x4e4d5046;  // "NMPF"
inline constexpr std::int64_t profile_version = 1;

struct profile_table {
  std::string_view name;
  std::string_view columns;
};

/// In the order in which they are written. Row counts of all of them are kept in `row_count`, so
/// that lost rows are noticed.
inline constexpr std::array profile_tables{
    profile_table{"program",
                  "command TEXT NOT NULL, mechanism TEXT NOT NULL, frontend TEXT NOT NULL, "
                  "matrix_unit TEXT NOT NULL, time_unit TEXT NOT NULL, evidence TEXT NOT NULL, "
                  "page_bytes INTEGER NOT NULL, accesses INTEGER NOT NULL) STRICT"},
    profile_table{"metadata", "key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT"},
    profile_table{"parameter", "name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT"},
    profile_table{"thread",
                  "id INTEGER NOT NULL PRIMARY KEY, os_tid INTEGER NOT NULL, name TEXT NOT NULL, "
                  "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, accesses INTEGER NOT NULL, "
                  "instructions INTEGER NOT NULL) STRICT"},
    profile_table{"sharing_run",
                  "thread INTEGER NOT NULL, first_other INTEGER NOT NULL, "
                  "others INTEGER NOT NULL, amount REAL NOT NULL, "
                  "PRIMARY KEY (thread, first_other)) STRICT, WITHOUT ROWID"},
    profile_table{"time_window",
                  "id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, "
                  "\"end\" INTEGER NOT NULL) STRICT"},
    profile_table{"page_use",
                  "first_page INTEGER NOT NULL, time_window INTEGER NOT NULL, "
                  "thread INTEGER NOT NULL, pages INTEGER NOT NULL, reads INTEGER NOT NULL, "
                  "writes INTEGER NOT NULL, "
                  "PRIMARY KEY (first_page, time_window, thread)) STRICT, WITHOUT ROWID"},
    profile_table{"object",
                  "id INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, "
                  "function TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, "
                  "bytes INTEGER NOT NULL, blocks INTEGER NOT NULL, accesses INTEGER NOT NULL, "
                  "shared_pages INTEGER NOT NULL) STRICT"},
    profile_table{"object_access",
                  "object INTEGER NOT NULL, thread INTEGER NOT NULL, accesses INTEGER NOT NULL, "
                  "PRIMARY KEY (object, thread)) STRICT, WITHOUT ROWID"},
    profile_table{"false_sharing",
                  "id INTEGER NOT NULL PRIMARY KEY, line_address INTEGER NOT NULL, "
                  "object INTEGER NOT NULL, accesses INTEGER NOT NULL, "
                  "writes INTEGER NOT NULL) STRICT"},
    profile_table{"false_sharing_part",
                  "line INTEGER NOT NULL, thread INTEGER NOT NULL, bytes_read INTEGER NOT NULL, "
                  "bytes_written INTEGER NOT NULL, accesses INTEGER NOT NULL, "
                  "PRIMARY KEY (line, thread)) STRICT, WITHOUT ROWID"},
};

/// The sharing matrix as a user wants to ask for it: one row per cell.
inline constexpr std::string_view sharing_view =
    "CREATE VIEW sharing AS SELECT r.thread AS thread, t.id AS other, r.amount AS amount "
    "FROM sharing_run AS r JOIN thread AS t "
    "ON t.id BETWEEN r.first_other AND r.first_other + r.others - 1";

}  // namespace numatch
