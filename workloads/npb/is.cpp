// SPDX-License-Identifier: Apache-2.0
// IS, "integer sort" (RNR-94-007, section 2.2.5): ranks of keys of a small range, ten times, with
// two keys changed before each. Threads count their keys by bucket, hand them to the bucket, and
// rank the buckets that are theirs: every thread writes to all others' parts.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "npb/common/array.hpp"
#include "npb/common/problem.hpp"
#include "npb/common/random.hpp"
#include "npb/common/sharing.hpp"
#include "npb/common/verification.hpp"

namespace {

using key = std::uint32_t;
constexpr unsigned iterations = 10;
constexpr std::size_t probes = 5;

struct shape {
  unsigned keys_log;
  unsigned largest_log;
  unsigned buckets_log;
};

/// Keys whose rank is known: where they lie, their rank in "iteration 0", and how it moves by the
/// two keys that each iteration changes: by +1 for the first `rising` probes, by -1 for the others.
struct official {
  std::array<std::size_t, probes> place;
  std::array<long, probes> rank;
  std::size_t rising;
  long start;  // added to the iteration's number for the rising ones
  long fall;   // subtracted from it for the others
};

constexpr official for_s{{48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, 3, 0, 0};
constexpr official for_w{
    {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}, 2, -2, 0};
constexpr official for_a{
    {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264}, 3, -1, 1};

struct arrays {
  key* keys;
  key* by_bucket;  // the keys again, bucket after bucket
  key* not_above;  // for each key: how many keys are at most as large
  std::size_t*
      counted;  // for each thread and bucket: its keys there, later where the next one goes
};

struct sorter {
  const shape& size;
  const arrays& at;
  unsigned threads;

  std::size_t keys() const { return std::size_t{1} << size.keys_log; }
  std::size_t largest() const { return std::size_t{1} << size.largest_log; }
  std::size_t buckets() const { return std::size_t{1} << size.buckets_log; }
  unsigned shift() const { return size.largest_log - size.buckets_log; }

  /// Four numbers of the generator make a key, so that middle keys are frequent.
  void draw(npb::range mine) const {
    npb::random_numbers random(314159265);
    random.skip(4 * mine.first);
    const double scale = static_cast<double>(largest()) / 4;
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      double sum = random.next();
      for (int n = 0; n < 3; ++n) sum += random.next();
      at.keys[i] = static_cast<key>(scale * sum);
      at.by_bucket[i] = 0;
    }
  }

  /// Ranks all keys; called by all threads, which wait for each other at the end.
  void rank(unsigned me, npb::range mine) const {
    std::size_t* const own = at.counted + me * buckets();
    std::fill_n(own, buckets(), 0);
    for (std::size_t i = mine.first; i < mine.last; ++i) ++own[at.keys[i] >> shift()];
    workload::omp_wait();
    std::vector<std::size_t> next(buckets());
    std::vector<std::size_t> begin(buckets() + 1);
    for (std::size_t bucket = 0; bucket < buckets(); ++bucket) {
      std::size_t sum = begin[bucket];
      for (unsigned t = 0; t < threads; ++t) {
        if (t == me) next[bucket] = sum;
        sum += at.counted[t * buckets() + bucket];
      }
      begin[bucket + 1] = sum;
    }
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      const key value = at.keys[i];
      at.by_bucket[next[value >> shift()]++] = value;
    }
    workload::omp_wait();
    for (std::size_t bucket = me; bucket < buckets(); bucket += threads) {
      key* const counts = at.not_above + (bucket << shift());
      const std::size_t width = std::size_t{1} << shift();
      std::fill_n(counts, width, 0);
      for (std::size_t i = begin[bucket]; i < begin[bucket + 1]; ++i) {
        ++at.not_above[at.by_bucket[i]];
      }
      std::size_t sum = begin[bucket];
      for (std::size_t i = 0; i < width; ++i) {
        sum += counts[i];
        counts[i] = static_cast<key>(sum);
      }
    }
    workload::omp_wait();
  }

  /// Puts the two keys of this iteration in place; returns the keys whose ranks are known.
  std::array<key, probes> change(unsigned iteration, const official& known) const {
    at.keys[iteration] = iteration;
    at.keys[iteration + iterations] = static_cast<key>(largest() - iteration);
    std::array<key, probes> values{};
    for (std::size_t p = 0; p < probes; ++p) values[p] = at.keys[known.place[p]];
    return values;
  }

  std::size_t wrong_probes(unsigned iteration, const official& known,
                           const std::array<key, probes>& values) const {
    std::size_t wrong = 0;
    for (std::size_t p = 0; p < probes; ++p) {
      const long step = static_cast<long>(iteration);
      const long expected =
          known.rank[p] + (p < known.rising ? step + known.start : known.fall - step);
      const long is = values[p] == 0 ? 0 : static_cast<long>(at.not_above[values[p] - 1]);
      if (is != expected) ++wrong;
    }
    return wrong;
  }

  /// Sorts by the last ranks and counts neighbours in the wrong order.
  std::size_t wrong_order() const {
    std::vector<key> sorted(keys());
    for (std::size_t i = 0; i < keys(); ++i) sorted[--at.not_above[at.keys[i]]] = at.keys[i];
    std::size_t wrong = 0;
    for (std::size_t i = 1; i < keys(); ++i) wrong += sorted[i - 1] > sorted[i] ? 1 : 0;
    return wrong;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const npb::problem of = npb::parse(argc, argv, "is");
  const shape size = of.of<shape>({16, 11, 9}, {20, 16, 10}, {23, 19, 10});
  const official& known = of.of(for_s, for_w, for_a);
  const npb::array<key> keys(of, "is keys", std::size_t{1} << size.keys_log);
  const npb::array<key> by_bucket(of, "is keys by bucket", std::size_t{1} << size.keys_log);
  const npb::array<key> not_above(of, "is ranks", std::size_t{1} << size.largest_log);
  const npb::array<std::size_t> counted(of, "is buckets", of.threads << size.buckets_log);
  const arrays at{keys.data(), by_bucket.data(), not_above.data(), counted.data()};
  const sorter sort{size, at, of.threads};
  std::size_t wrong = 0;
  std::array<key, probes> values{};
  workload::on_all_threads(of.threads, [&](unsigned me) {
    const npb::range mine = npb::part_of({0, sort.keys()}, me, of.threads);
    sort.draw(mine);
    workload::omp_wait();
    const auto iterate = [&](unsigned iteration) {
      if (me == 0) values = sort.change(iteration, known);
      workload::omp_wait();
      sort.rank(me, mine);
      if (me == 0) wrong += sort.wrong_probes(iteration, known, values);
    };
    iterate(1);
    workload::measure(me, "is", workload::omp_wait, [&] {
      for (unsigned iteration = 1; iteration <= iterations; ++iteration) iterate(iteration);
    });
    return std::size_t{0};
  });
  npb::verification verify(of);
  verify.check("ranks of known keys", wrong);
  verify.check("keys in order", sort.wrong_order());
  return verify.result();
}
