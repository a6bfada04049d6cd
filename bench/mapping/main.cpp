// SPDX-License-Identifier: Apache-2.0
// How good and how fast the mapping algorithms are; docs/mapping-quality.md tells more.
#include <string_view>
#include <vector>

#include "base/suggest.hpp"
#include "bench/mapping/mode.hpp"

namespace {

using numatch::bench::mode;

constexpr const mode* modes[] = {&numatch::bench::run_mode, &numatch::bench::stability_mode,
                                 &numatch::bench::search_mode, &numatch::bench::matrix_mode};

void print_help() {
  fmt::print("usage: mapping MODE [options]\n");
  for (const mode* one : modes) {
    fmt::print("\n{}: {}\n{}", one->name, one->says, numatch::bench::help_of(one->takes));
  }
}

int refuse(const numatch::error& why) {
  fmt::print(stderr, "mapping: {}\n", why.message());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.empty() || words.front() == "--help" || words.front() == "-h") {
    print_help();
    return words.empty() ? 2 : 0;
  }
  std::vector<std::string_view> names;
  for (const mode* one : modes) {
    names.push_back(one->name);
    if (one->name != words.front()) continue;
    const numatch::result<numatch::bench::options> given =
        numatch::bench::options::parse(one->takes, std::span(words).subspan(1));
    if (!given) return refuse(given.error());
    const numatch::result<void> done = one->run(*given);
    return done ? 0 : refuse(done.error());
  }
  return refuse({fmt::format("unknown mode '{}'", words.front()), "",
                 numatch::suggest(words.front(), names)});
}
