// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ring {

/// Who shares region r, one of as many as there are threads.
enum class sharing {
  ring,   ///< thread r and the next one
  pairs,  ///< the two threads 2k and 2k + 1
  all,    ///< every thread
};
enum class memory_kind { anonymous, memfd, file };
/// Who touches a page first, which decides on which node it lies.
enum class first_touch { users, main_thread };
enum class cpu_use {
  free,       ///< wherever the system puts a thread
  scrambled,  ///< starts on a CPU that the seed chose, and is free afterwards
  kept,       ///< binds itself to such a CPU and stays
};

struct options {
  unsigned threads = 8;
  unsigned processes = 1;  ///< thread t belongs to process t % processes
  std::size_t private_pages = 256;
  std::size_t shared_pages = 256;  ///< per shared region
  sharing pattern = sharing::ring;
  unsigned read_percent = 50;
  std::uint64_t seed = 1;
  std::uint64_t accesses = 0;  ///< of each thread; 0: until SIGTERM
  unsigned compute = 0;        ///< steps of arithmetic after each access
  bool random_creation = false;
  first_touch touch = first_touch::users;
  cpu_use cpus = cpu_use::free;
  memory_kind memory = memory_kind::anonymous;
  std::string file;  ///< for memory_kind::file
  bool huge = false;
  bool lock = false;
  unsigned short_threads = 0;
  unsigned forks = 0;
  unsigned execs = 0;
  unsigned stress = 0;  ///< threads that make the kernel change page tables meanwhile
  std::string report;   ///< empty: standard output, at the end only
};

/// The options of a command line, or nothing when only the usage was asked for. Throws
/// std::invalid_argument with one line.
std::optional<options> parse(const std::vector<std::string>& words);
const char* usage();

}  // namespace ring
