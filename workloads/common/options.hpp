// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace workload {

/// What every workload can be told: --threads N, --size N, --iterations N, --addresses.
struct options {
  unsigned threads = 8;
  std::size_t size = 1;
  unsigned iterations = 1;
  bool addresses = false;
};

/// A workload's own limits and defaults.
struct description {
  const char* name;
  const char* size_help;
  options defaults;
  unsigned least_threads = 1;
  std::size_t least_size = 1;
};

inline void usage(const description& about, std::FILE* where) {
  std::fprintf(where,
               "usage: %s [--threads N] [--size N] [--iterations N] [--addresses]\n"
               "  --threads N     threads, at least %u (default %u)\n"
               "  --size N        %s, at least %zu (default %zu)\n"
               "  --iterations N  iterations, at least 1 (default %u)\n"
               "  --addresses     say on standard error where the arrays lie\n",
               about.name, about.least_threads, about.defaults.threads, about.size_help,
               about.least_size, about.defaults.size, about.defaults.iterations);
}

/// A whole number from `least` to a million; ends the program with exit code 2 on anything else.
inline unsigned long whole(const description& about, const char* option, const char* text,
                           unsigned long least) {
  constexpr unsigned long most = 1000000;
  char* end = nullptr;
  errno = 0;
  const unsigned long value = text == nullptr ? 0 : std::strtoul(text, &end, 10);
  if (text == nullptr || end == text || *end != '\0' || *text == '-' || errno != 0 ||
      value < least || value > most) {
    std::fprintf(stderr, "%s: %s needs a whole number from %lu to %lu, not '%s'\n", about.name,
                 option, least, most, text == nullptr ? "" : text);
    std::exit(2);
  }
  return value;
}

inline options parse(int argc, char** argv, const description& about) {
  options chosen = about.defaults;
  for (int i = 1; i < argc; ++i) {
    const char* const word = argv[i];
    if (std::strcmp(word, "--addresses") == 0) {
      chosen.addresses = true;
      continue;
    }
    const char* const value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (std::strcmp(word, "--threads") == 0) {
      chosen.threads = static_cast<unsigned>(whole(about, word, value, about.least_threads));
    } else if (std::strcmp(word, "--size") == 0) {
      chosen.size = whole(about, word, value, about.least_size);
    } else if (std::strcmp(word, "--iterations") == 0) {
      chosen.iterations = static_cast<unsigned>(whole(about, word, value, 1));
    } else {
      const bool help = std::strcmp(word, "--help") == 0;
      usage(about, help ? stdout : stderr);
      std::exit(help ? 0 : 2);
    }
    ++i;
  }
  return chosen;
}

/// Prints the one line of a workload's result; the exit code is 0 when nothing was wrong.
inline int report(const description& about, const options& used, std::size_t wrong) {
  std::printf("%s: %u threads, size %zu, %u iterations: %s", about.name, used.threads, used.size,
              used.iterations, wrong == 0 ? "correct\n" : "");
  if (wrong != 0) std::printf("%zu values are wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace workload
