// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/families.hpp"
#include "bench/mapping/mode.hpp"
#include "pattern/matrix_text.hpp"

namespace numatch::bench {

namespace {

constexpr option_text takes[] = {
    {"--family", "NAME", "the pattern; without it, the names of all"},
    {"--threads", "N", "number of threads (64)"},
    {"--seed", "N", "seed of weights and numbering (1)"},
};

result<void> run(const options& given) {
  if (!given.has("--family")) {
    for (const family& one : all_families()) {
      fmt::print("{} ({})\n", one.name, one.sparse ? "sparse" : "dense");
    }
    return {};
  }
  result<const family*> pattern = find_family(given.text("--family"));
  result<std::uint64_t> threads = given.number("--threads", 64);
  result<std::uint64_t> seed = given.number("--seed", 1);
  if (!pattern) return tl::unexpected(pattern.error());
  if (!threads) return tl::unexpected(threads.error());
  if (!seed) return tl::unexpected(seed.error());
  if (*threads < 1 || *threads > 16384) return fail("--threads", "choose 1 to 16384");
  const made_pattern made = (*pattern)->make(*threads, *seed);
  fmt::print("# {}, {} threads, seed {}: made up, not measured\n", (*pattern)->name, *threads,
             *seed);
  fmt::print("{}", format_matrix(made.sharing));
  return {};
}

}  // namespace

constinit const mode matrix_mode{
    "matrix", "writes a made-up matrix as text, for numatch map --comm", takes, run};

}  // namespace numatch::bench
