// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "common/annotations.hpp"
#include "common/options.hpp"

namespace workload {

inline constexpr std::size_t page_bytes = 4096;
/// 8-byte words in a page: the unit in which the sharing matrices are counted.
inline constexpr std::size_t page_words = page_bytes / 8;

/// A labelled array of whole pages, never freed: no page of it holds anything else, so the number
/// of accesses to each page follows from the program's text alone. Elements are volatile so that
/// one read or write in the source is one access of the machine under every compiler.
template <class Word>
class pages {
  static_assert(sizeof(Word) == 8);

 public:
  pages(const options& chosen, const char* name, std::size_t count)
      : words_(static_cast<volatile Word*>(std::aligned_alloc(page_bytes, count * page_bytes))) {
    if (words_ == nullptr) {
      std::fprintf(stderr, "%s: no memory for %zu pages\n", name, count);
      std::exit(2);
    }
    if (chosen.addresses) {
      std::fprintf(stderr, "%s: %zu bytes at %p\n", name, count * page_bytes,
                   static_cast<const void*>(const_cast<const Word*>(words_)));
    }
    NUMATCH_LABEL(const_cast<Word*>(words_), count * page_bytes, name);
  }

  volatile Word* page(std::size_t index) const { return words_ + index * page_words; }

 private:
  volatile Word* words_;
};

}  // namespace workload
