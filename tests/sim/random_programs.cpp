// SPDX-License-Identifier: Apache-2.0
#include "sim/random_programs.hpp"

#include <ostream>
#include <string_view>

namespace numatch::sim {

namespace {

constexpr std::uint64_t page = 1024;

/// Every third access or so is private; the shared ones are in 8 pages, mostly in the first lines
/// of each, which meet in the same sets of the caches.
rc::Gen<drawn_step> drawn_access(unsigned threads) {
  return rc::gen::exec([threads] {
    drawn_step made;
    made.thread = *rc::gen::inRange(0U, threads);
    made.write = *rc::gen::weightedElement<bool>({{2, false}, {1, true}});
    made.bytes = *rc::gen::element<std::uint32_t>(0, 1, 4, 8, 16, 64);
    const bool is_private = *rc::gen::weightedElement<bool>({{2, false}, {1, true}});
    const std::uint64_t pages_from = is_private ? 64 + std::uint64_t{8} * made.thread : 0;
    made.address = (pages_from + *rc::gen::inRange<std::uint64_t>(0, 8)) * page +
                   *rc::gen::inRange<std::uint64_t>(0, 6) * 64 +
                   *rc::gen::weightedElement<std::uint64_t>({{3, 0}, {1, 24}, {1, 60}});
    // Now and then across the end of a page.
    if (*rc::gen::inRange(0, 20) == 0) made.address = made.address / page * page + page - 3;
    return made;
  });
}

rc::Gen<drawn_step> drawn_other(unsigned threads, drawn_step::kind what) {
  return rc::gen::exec([threads, what] {
    drawn_step made;
    made.what = what;
    made.thread = *rc::gen::inRange(0U, threads);
    made.object = *rc::gen::inRange<std::uint64_t>(0, 3);
    made.instructions = *rc::gen::inRange(0U, 40U);
    return made;
  });
}

}  // namespace

void showValue(const drawn_step& shown, std::ostream& to) {
  switch (shown.what) {
    case drawn_step::kind::access:
      to << shown.thread << (shown.write ? " store " : " load ") << shown.address << '+'
         << shown.bytes;
      break;
    case drawn_step::kind::end_of_piece:
      to << shown.thread << " piece of " << shown.instructions << " more";
      break;
    case drawn_step::kind::release:
      to << shown.thread << " release " << shown.object;
      break;
    case drawn_step::kind::acquire:
      to << shown.thread << " acquire " << shown.object;
      break;
  }
}

made_program drawn_program::made() const {
  made_program made(threads);
  std::vector<std::vector<trace::access>> pieces(threads);
  // A thread without any access would leave its PU to the next one.
  for (unsigned thread = 0; thread < threads; ++thread) {
    pieces[thread].push_back(load((64 + std::uint64_t{8} * thread) * page));
  }
  const auto end_piece = [&](unsigned thread, unsigned more) {
    const std::uint64_t count = pieces[thread].size();
    if (count > 0) made.run(thread, std::move(pieces[thread]), count + more);
    pieces[thread].clear();
  };
  for (const drawn_step& s : steps) {
    if (s.what == drawn_step::kind::access) {
      pieces[s.thread].push_back({s.address, 0, s.bytes, s.write});
      continue;
    }
    end_piece(s.thread, s.instructions);
    if (s.what == drawn_step::kind::release) made.release(s.thread, s.object);
    if (s.what == drawn_step::kind::acquire) made.acquire(s.thread, s.object);
  }
  for (unsigned thread = 0; thread < threads; ++thread) end_piece(thread, 0);
  return made;
}

rc::Gen<std::vector<drawn_step>> drawn_steps(unsigned threads) {
  using kind = drawn_step::kind;
  return rc::gen::scale(
      4.0, rc::gen::container<std::vector<drawn_step>>(
               rc::gen::weightedOneOf<drawn_step>({{24, drawn_access(threads)},
                                                   {2, drawn_other(threads, kind::end_of_piece)},
                                                   {1, drawn_other(threads, kind::release)},
                                                   {1, drawn_other(threads, kind::acquire)}})));
}

}  // namespace numatch::sim
