// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/suggest.hpp"
#include "bench/mapping/drawing.hpp"

namespace numatch::bench {

namespace {

/// Collects a pattern in its own order and numbers the threads at random at the end.
class pattern_maker {
 public:
  pattern_maker(std::size_t threads, std::uint64_t seed)
      : draw(seed), sharing_(threads), place_(threads) {
    for (std::uint32_t i = 0; i < threads; ++i) place_[i] = {i, 0, 0};
  }

  std::size_t size() const { return sharing_.size(); }
  void share(std::size_t i, std::size_t j, double amount) {
    if (i == j || i >= size() || j >= size()) return;
    sharing_.add(i, j, amount);
    sharing_.add(j, i, amount);
  }
  void put(std::size_t i, std::uint32_t x, std::uint32_t y, std::uint32_t z = 0) {
    place_[i] = {x, y, z};
  }

  made_pattern finish() {
    const std::vector<std::uint32_t> name = draw.order(size());
    made_pattern made{sharing_matrix(size()), {}};
    made.place.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      made.place[name[i]] = place_[i];
      for (std::size_t j = 0; j < size(); ++j) {
        made.sharing.set(name[i], name[j], sharing_.at(i, j));
      }
    }
    return made;
  }

  drawing draw;

 private:
  sharing_matrix sharing_;
  std::vector<std::array<std::uint32_t, 3>> place_;
};

/// The number of rows of a grid of `n` cells that is as square as possible: a divisor where there
/// is a good one, else the last row stays short.
std::size_t rows_of(std::size_t n, double wanted) {
  for (std::size_t r = static_cast<std::size_t>(wanted + 1e-9); r >= 1; --r) {
    if (n % r == 0 && 2 * r >= static_cast<std::size_t>(wanted)) return r;
  }
  return std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
}

made_pattern chain(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t i = 0; i + 1 < threads; ++i) p.share(i, i + 1, 100);
  return p.finish();
}

made_pattern ring(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t i = 0; i < threads; ++i) p.share(i, (i + 1) % threads, 100);
  return p.finish();
}

made_pattern stencil2d(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  const std::size_t columns =
      (threads - 1) / rows_of(threads, std::sqrt(static_cast<double>(threads))) + 1;
  for (std::size_t i = 0; i < threads; ++i) {
    p.put(i, static_cast<std::uint32_t>(i / columns), static_cast<std::uint32_t>(i % columns));
    if (i % columns + 1 < columns) p.share(i, i + 1, 100);
    p.share(i, i + columns, 100);
  }
  return p.finish();
}

made_pattern stencil3d(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  const std::size_t plane = (threads - 1) / rows_of(threads, std::cbrt(threads)) + 1;
  const std::size_t columns =
      (plane - 1) / rows_of(plane, std::sqrt(static_cast<double>(plane))) + 1;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t in_plane = i % plane;
    p.put(i, static_cast<std::uint32_t>(i / plane), static_cast<std::uint32_t>(in_plane / columns),
          static_cast<std::uint32_t>(in_plane % columns));
    if (in_plane % columns + 1 < columns && in_plane + 1 < plane) p.share(i, i + 1, 100);
    if (in_plane + columns < plane) p.share(i, i + columns, 100);
    p.share(i, i + plane, 100);
  }
  return p.finish();
}

/// Nine points with wrapped edges; rows are four times as close as columns.
made_pattern torus9(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  const std::size_t rows = rows_of(threads, std::sqrt(static_cast<double>(threads)));
  const std::size_t columns = (threads - 1) / rows + 1;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t y = i / columns;
    const std::size_t x = i % columns;
    const std::size_t right = (x + 1) % columns;
    const std::size_t down = (y + 1) % rows * columns;
    p.put(i, static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(x));
    p.share(i, y * columns + right, 800);
    p.share(i, down + x, 200);
    p.share(i, down + right, 100);
    p.share(i, down + (x + columns - 1) % columns, 100);
  }
  return p.finish();
}

made_pattern clusters8(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = i + 1; j < std::min(threads, (i / 8 + 1) * 8); ++j) p.share(i, j, 100);
    p.share(i, i + 8, p.draw.weight(5, 15));  // the same member of the next group
  }
  return p.finish();
}

made_pattern odd_clusters(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t first = 0; first < threads;) {
    const std::size_t end = std::min(threads, first + 3 + p.draw.below(11));
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t j = i + 1; j < end; ++j) p.share(i, j, p.draw.weight(50, 150));
      p.share(i, p.draw.below(threads), p.draw.weight(1, 20));
    }
    first = end;
  }
  return p.finish();
}

made_pattern pipelines(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t first = 0; first < threads;) {
    const std::size_t end = std::min(threads, first + 4 + p.draw.below(6));
    const double flow = p.draw.weight(50, 200);
    for (std::size_t i = first; i + 1 < end; ++i) p.share(i, i + 1, flow);
    p.share(end - 1, end, 10);  // the next pipeline reads the same input
    first = end;
  }
  return p.finish();
}

/// One reader, four pools of threads with queues between them, one writer, as PARSEC's ferret.
made_pattern ferret(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  const std::size_t workers = threads > 2 ? threads - 2 : 0;
  for (std::size_t i = 0; i < workers; ++i) {
    const std::size_t pool = i * 4 / workers;
    if (pool == 0) p.share(1 + i, 0, p.draw.weight(40, 60));
    if (pool == 3) p.share(1 + i, threads - 1, p.draw.weight(40, 60));
    for (std::size_t j = i + 1; j < workers; ++j) {
      const std::size_t other = j * 4 / workers;
      if (other == pool) p.share(1 + i, 1 + j, p.draw.weight(1, 3));
      if (other == pool + 1) p.share(1 + i, 1 + j, p.draw.weight(5 * (pool + 1), 30));
    }
  }
  return p.finish();
}

made_pattern butterfly(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t bit = 1; bit < threads; bit *= 2) {
      if ((i & bit) == 0) p.share(i, i | bit, 100);
    }
  }
  return p.finish();
}

/// A butterfly whose stages move different amounts. The own order has the stage that moves most in
/// its lowest bit.
made_pattern weighted_fft(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  std::vector<std::pair<double, std::size_t>> stages;
  for (std::size_t bit = 1; bit < threads; bit *= 2) {
    stages.emplace_back(p.draw.weight(20, 200), bit);
  }
  std::sort(stages.rbegin(), stages.rend());
  for (std::size_t i = 0; i < threads; ++i) {
    std::uint32_t own = 0;
    for (std::size_t k = 0; k < stages.size(); ++k) {
      const std::size_t bit = stages[k].second;
      if ((i & bit) != 0) own |= 1U << k;
      if ((i & bit) == 0) p.share(i, i | bit, stages[k].first);
    }
    p.put(i, own, 0);
  }
  return p.finish();
}

made_pattern all_to_all(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = i + 1; j < threads; ++j) p.share(i, j, p.draw.weight(100, 120));
  }
  return p.finish();
}

made_pattern hidden_blocks(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  const std::size_t block = std::size_t{4} << p.draw.below(3);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = i + 1; j < threads; ++j) {
      p.share(i, j, p.draw.weight(20, 40) + (i / block == j / block ? 40 : 0));
    }
  }
  return p.finish();
}

/// Preferential attachment with three edges per thread; weights fall like a power law, too.
made_pattern power_law(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  std::vector<std::size_t> ends{0};
  for (std::size_t i = 1; i < threads; ++i) {
    for (std::size_t k = 0; k < std::min<std::size_t>(3, i); ++k) {
      const std::size_t j = ends[p.draw.below(ends.size())];
      p.share(i, j, std::min(1000.0, std::floor(10 / (p.draw.unit() + 0.001))));
      ends.push_back(j);
    }
    ends.push_back(i);
  }
  return p.finish();
}

made_pattern random_sparse(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t e = 0; e < 3 * threads; ++e) {
    const std::size_t from = p.draw.below(threads);
    p.share(from, p.draw.below(threads), p.draw.weight(1, 100));
  }
  return p.finish();
}

made_pattern master_worker(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t i = 1; i < threads; ++i) {
    p.share(0, i, p.draw.weight(50, 100));
    if (i % 3 != 0) p.share(i, i + 1, p.draw.weight(5, 30));
  }
  return p.finish();
}

made_pattern pairs(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t i = 0; i < threads; ++i) {
    if (i % 2 == 0) p.share(i, i + 1, p.draw.weight(100, 200));
    p.share(i, p.draw.below(threads), p.draw.weight(1, 20));
  }
  return p.finish();
}

/// Dense as measured in the NAS programs: neighbours most, power-of-two partners, and everybody a
/// little with everybody.
made_pattern npb_like(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = i + 1; j < threads; ++j) {
      const std::size_t gap = j - i;
      double amount = p.draw.weight(5, 15) + 1000 / static_cast<double>(1 + gap * gap);
      if (std::has_single_bit(gap)) amount += 20;
      p.share(i, j, std::floor(amount));
    }
  }
  return p.finish();
}

/// The nearer the common ancestor in a tree of halves, the more: the order of that tree is best on
/// every machine whose parts are powers of two.
made_pattern planted(std::size_t threads, std::uint64_t seed) {
  pattern_maker p(threads, seed);
  std::vector<double> amount(65);
  for (std::size_t level = amount.size(); level-- > 0;) {
    amount[level] = level + 1 == amount.size() ? 1 : amount[level + 1] + p.draw.weight(1, 10);
  }
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = i + 1; j < threads; ++j) {
      p.share(
          i, j,
          amount[std::min<std::size_t>(64, static_cast<std::size_t>(std::bit_width(i ^ j)) + 48)]);
    }
  }
  return p.finish();
}

constexpr family families[] = {
    {"chain", true, chain},
    {"ring", true, ring},
    {"stencil2d", true, stencil2d},
    {"stencil3d", true, stencil3d},
    {"torus9", true, torus9},
    {"clusters8", true, clusters8},
    {"odd-clusters", true, odd_clusters},
    {"pipelines", true, pipelines},
    {"ferret", false, ferret},
    {"butterfly", true, butterfly},
    {"weighted-fft", true, weighted_fft},
    {"all-to-all", false, all_to_all},
    {"hidden-blocks", false, hidden_blocks},
    {"power-law", true, power_law},
    {"random-sparse", true, random_sparse},
    {"master-worker", true, master_worker},
    {"pairs", true, pairs},
    {"npb-like", false, npb_like},
    {"planted", false, planted},
};

}  // namespace

std::span<const family> all_families() {
  return families;
}

result<const family*> find_family(std::string_view name) {
  std::vector<std::string_view> known;
  for (const family& one : families) {
    if (one.name == name) return &one;
    known.push_back(one.name);
  }
  return fail("", fmt::format("unknown family '{}'", name), suggest(name, known));
}

}  // namespace numatch::bench
