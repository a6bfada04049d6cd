// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "sim/made_program.hpp"

namespace numatch::sim {

/// One thing that a thread of a drawn program does. A flat list of them can be shortened anywhere
/// and is still a program, because nobody waits for what is written down later.
struct drawn_step {
  enum class kind : std::uint8_t { access, end_of_piece, release, acquire };
  kind what = kind::access;
  unsigned thread = 0;
  std::uint64_t address = 0;
  std::uint32_t bytes = 8;
  bool write = false;
  unsigned instructions = 0;  ///< that a piece has more than accesses
  std::uint64_t object = 0;
};
void showValue(const drawn_step& shown, std::ostream& to);

struct drawn_program {
  unsigned threads = 1;
  std::vector<drawn_step> steps;

  made_program made() const;
};

/// Threads that collide in a few shared lines over some pages, use data of their own, too, and
/// order themselves by locks now and then.
rc::Gen<std::vector<drawn_step>> drawn_steps(unsigned threads);

}  // namespace numatch::sim
