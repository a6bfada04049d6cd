// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/options.hpp"

namespace npb {

/// What every benchmark can be told: --threads N, --class S|W|A, --addresses.
struct problem {
  const char* name;
  char size = 'S';
  unsigned threads = 8;
  bool addresses = false;

  /// That one of three values that belongs to the class.
  template <class Value>
  const Value& of(const Value& s, const Value& w, const Value& a) const {
    return size == 'S' ? s : size == 'W' ? w : a;
  }

  workload::options labels() const { return {threads, 1, 1, addresses}; }
};

/// Ends the program with exit code 2 where it was called wrongly.
inline problem parse(int argc, char** argv, const char* name) {
  problem chosen{name};
  const workload::description about{name, "", chosen.labels()};
  for (int i = 1; i < argc; ++i) {
    const char* const word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (std::strcmp(word, "--addresses") == 0) {
      chosen.addresses = true;
      continue;
    }
    if (std::strcmp(word, "--threads") == 0) {
      chosen.threads = static_cast<unsigned>(workload::whole(about, word, value, 1));
    } else if (std::strcmp(word, "--class") == 0) {
      if (value == nullptr || std::strlen(value) != 1 || std::strchr("SWA", *value) == nullptr) {
        std::fprintf(stderr, "%s: --class needs S, W or A, not '%s'\n", name,
                     value == nullptr ? "" : value);
        std::exit(2);
      }
      chosen.size = *value;
    } else {
      const bool help = std::strcmp(word, "--help") == 0;
      std::fprintf(help ? stdout : stderr,
                   "usage: %s [--threads N] [--class S|W|A] [--addresses]\n"
                   "  --threads N   threads, at least 1 (default 8)\n"
                   "  --class C     size of the problem (default S)\n"
                   "  --addresses   say on standard error where the arrays lie\n",
                   name);
      std::exit(help ? 0 : 2);
    }
    ++i;
  }
  return chosen;
}

}  // namespace npb
