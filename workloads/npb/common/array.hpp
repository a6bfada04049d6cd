// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>

#include "common/pages.hpp"
#include "npb/common/problem.hpp"

namespace npb {

/// A labelled array that begins on a page and is not touched: whoever writes a page first decides
/// where it lies. Ends the program with exit code 2 when there is no memory.
template <class Element>
class array {
 public:
  array(const problem& of, const char* name, std::size_t count) {
    const std::size_t bytes = (count * sizeof(Element) + workload::page_bytes - 1) /
                              workload::page_bytes * workload::page_bytes;
    first_ = static_cast<Element*>(std::aligned_alloc(workload::page_bytes, bytes));
    if (first_ == nullptr) {
      std::fprintf(stderr, "%s: no memory for the %zu bytes of '%s'\n", of.name, bytes, name);
      std::exit(2);
    }
    if (of.addresses) {
      std::fprintf(stderr, "%s: %zu bytes at %p\n", name, bytes, static_cast<void*>(first_));
    }
    NUMATCH_LABEL(first_, bytes, name);
  }
  ~array() { std::free(first_); }
  array(const array&) = delete;
  array& operator=(const array&) = delete;

  Element* data() const { return first_; }
  Element& operator[](std::size_t index) const { return first_[index]; }

 private:
  Element* first_;
};

}  // namespace npb
