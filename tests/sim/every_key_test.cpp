// SPDX-License-Identifier: Apache-2.0
// Every key of a machine description changes what is simulated, or the documentation says that it
// is for the reader only.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "sim/engine_run.hpp"
#include "sim/made_program.hpp"
#include "sim/read_config.hpp"
#include "topology/description_schema.hpp"
#include "topology/machine_description.hpp"
#include "topology/set_facts.hpp"

namespace numatch::sim {
namespace {

using settings = std::map<std::string, std::string>;

/// A machine of four nodes of two cores of two PUs, with caches and TLBs so small that a short
/// program fills them. `tree` and `distances` are what only a description can state.
struct description {
  std::string tree = "numa:4 l3:1 l2:2 l1:1 core:1 pu:2";
  std::string distances =
      "[[10, 21, 21, 21], [21, 10, 21, 21], [21, 21, 10, 21], [21, 21, 21, 10]]";
};

result<topology> three_levels(const description& stated, const settings& set) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) /
                                     ("every_key_" + std::to_string(getpid()) + ".toml");
  std::ofstream(file) << "summary = \"small\"\nbase = \"xeon64\"\n[tree]\nhwloc = { value = \""
                      << stated.tree
                      << "\", source = \"assumed: test\" }\n[distance]\nnodes = { value = "
                      << stated.distances << ", unit = \"SLIT\", source = \"assumed: test\" }\n";
  const result<topology> described = topology::load(file.string());
  std::filesystem::remove(file);
  if (!described) return tl::unexpected(described.error());
  settings all{{"cache.l1.size", "512 B"}, {"cache.l1.ways", "2"},     {"cache.l2.size", "1 KiB"},
               {"cache.l2.ways", "2"},     {"cache.l3.size", "4 KiB"}, {"cache.l3.ways", "4"},
               {"tlb.l1.entries", "4"},    {"tlb.l1.ways", "2"},       {"tlb.l2.entries", "8"},
               {"tlb.l2.ways", "2"},       {"memory.row", "1 KiB"},    {"memory.channels", "1"}};
  for (const auto& [key, value] : set) all[key] = value;
  return set_facts(*described, all);
}

/// More threads than the machine has PUs. Each has data of its own and uses what all use.
made_program shared_work() {
  std::mt19937_64 draw(3);
  made_program made(20);
  for (unsigned round = 0; round < 4; ++round) {
    for (unsigned thread = 0; thread < 20; ++thread) {
      std::vector<trace::access> piece;
      for (int i = 0; i < 300; ++i) {
        const std::uint64_t own = 0x100000 + 0x10000 * thread + draw() % 16384;
        const std::uint64_t address = draw() % 3 == 0 ? draw() % 32768 : own;
        piece.push_back(draw() % 3 == 0 ? store(address) : load(address));
      }
      made.run(thread, piece, 700);
      if (thread % 5 == round) made.acquire(thread, 1).release(thread, 1);
    }
  }
  return made;
}

/// Everything that the runs of the machine say, or why they cannot be.
std::string simulated(const result<topology>& machine) {
  if (!machine) return "refused: " + machine.error().message();
  const result<machine_config> config = read_config(*machine);
  if (!config) return "refused: " + config.error().message();
  std::vector<run_options> runs;
  for (const char* name : {"", "oracle", "spcd", "carrefour", "numa-balancing"}) {
    run_options options;
    options.time_scale = 10'000;
    options.phase_cycles = 2'000;
    if (*name != 0) {
      const result<const mechanism_entry*> entry = find_mechanism(name);
      if (!entry) return entry.error().message();
      options.mechanism = *entry;
    }
    runs.push_back(options);
  }
  static const made_program code = shared_work();
  const std::atomic<bool> stop = false;
  const result<std::vector<run_result>> done = simulate(*machine, *config, code, runs, 1, {}, stop);
  if (!done) return done.error().message();
  std::string text;
  for (const run_result& run : *done) text += text_of(run);
  return text;
}

/// How a key is tried where the rule below does not do.
struct trial {
  settings with;            ///< without which it has no effect
  std::string value;        ///< empty: by the rule
  bool two_levels = false;  ///< on simics-4x2, whose last level is the second one
};

const std::map<std::string, trial>& trials() {
  const settings stops{{"link.intra.model", "stops"}};
  static const std::map<std::string, trial> all{
      {"cache.l2.banks", {stops, "", true}},
      {"cache.l2.busy", {stops, "100 cycles", true}},
      {"cache.l3.banks", {stops, ""}},
      {"cache.l3.busy", {stops, "100 cycles"}},
      {"core.overlap_window", {{}, "1"}},
      {"energy.link.intra", {stops, ""}},
      {"link.inter.dimensions",
       {{{"link.inter.topology", "mesh"}, {"link.inter.dimensions", "4x1"}}, "2x2"}},
      {"link.inter.latency", {{}, "70 cycles"}},
      {"link.inter.width",
       {{{"link.inter.bandwidth", "6400 MT/s"}, {"link.inter.width", "2 B"}}, "1 B"}},
      {"link.intra.bandwidth", {stops, "2 B/cycle"}},
      {"link.intra.dimensions",
       {{{"link.intra.model", "stops"}, {"link.intra.topology", "mesh"}}, "11x1"}},
      {"link.intra.topology", {stops, "full"}},
      {"memory.frames", {{}, "drawn"}},
      {"memory.local_latency", {{}, "120 ns"}},
      {"memory.timing", {{}, "11-11-11"}},
      {"os.scan_page", {{}, "1 ms"}},  // at the unscaled interval
      {"os.time_slice", {{}, "1 us"}},
  };
  return all;
}

/// Twice a number, 3 for 0, another word.
std::string other_value(const known_fact& known, const topology& machine) {
  const topology::fact* const stated = find_fact(machine.facts(), known.key);
  if (known.kind == fact_kind::word) {
    for (const std::string_view word : known.words) {
      if (stated == nullptr || word != stated->value) return std::string(word);
    }
    return "another";
  }
  if (stated == nullptr) return "";
  const double number = std::stod(stated->value);
  return fmt::format("{} {}", number == 0 ? 3 : 2 * number, stated->unit);
}

/// Keys that docs/simulated-machine.md calls "for the reader only".
std::set<std::string> for_the_reader() {
  std::ifstream file(NUMATCH_SOURCE_DIR "/docs/simulated-machine.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t begin = text.find("**For the reader only**");
  const std::size_t end = text.find("change nothing", begin);
  std::set<std::string> keys;
  if (begin == std::string::npos || end == std::string::npos) return keys;
  const std::string list = text.substr(begin, end - begin);
  constexpr char quote = '`';
  for (std::size_t from = list.find(quote); from != std::string::npos;) {
    const std::size_t to = list.find(quote, from + 1);
    if (to == std::string::npos) break;
    keys.insert(list.substr(from + 1, to - from - 1));
    from = list.find(quote, to + 1);
  }
  return keys;
}

TEST(EveryKey, ChangesWhatIsSimulatedOrIsForTheReaderOnly) {
  const std::set<std::string> descriptive = for_the_reader();
  ASSERT_FALSE(descriptive.empty());
  // What another test has: the files below, the command line's (tests/cli/simulate.test).
  const std::set<std::string> elsewhere{"tree.hwloc", "distance.nodes", "baseline.threads",
                                        "baseline.pages"};
  for (const std::string& key : descriptive) {
    EXPECT_NE(find_known_fact(key), nullptr) << key << " is no key";
  }
  std::map<std::string, std::string> before;  // by machine
  for (const known_fact& known : known_facts()) {
    const std::string key(known.key);
    if (elsewhere.contains(key)) continue;
    const auto found = trials().find(key);
    const trial how = found == trials().end() ? trial{} : found->second;
    const auto machine_with = [&](const settings& set) {
      return how.two_levels ? set_facts(*topology::load("simics-4x2"), set) : three_levels({}, set);
    };
    const result<topology> plain = machine_with(how.with);
    ASSERT_TRUE(plain) << key << ": " << plain.error().message();
    std::string name = how.two_levels ? "two levels" : "three levels";
    for (const auto& [setting, value] : how.with) name += " " + setting + "=" + value;
    if (!before.contains(name)) before[name] = simulated(plain);
    ASSERT_FALSE(before[name].starts_with("refused")) << key << ": " << before[name];
    settings changed = how.with;
    changed[key] = how.value.empty() ? other_value(known, *plain) : how.value;
    if (changed[key].empty() && descriptive.contains(key)) continue;  // not stated by anybody
    if (key == "cache.l1.line") {
      // Lines have one size, and messages are no shorter.
      changed["cache.l2.line"] = changed[key];
      changed["cache.l3.line"] = changed[key];
      changed["link.data"] = "136 B";
    }
    const std::string after = simulated(machine_with(changed));
    if (descriptive.contains(key)) {
      if (known.words.size() == 1) continue;  // there is no other value
      EXPECT_TRUE(after == before[name]) << key << " is said to be for the reader only";
      continue;
    }
    EXPECT_FALSE(after == before[name]) << key << " = " << changed[key] << " has no effect";
    const bool refused = after.starts_with("refused");
    EXPECT_EQ(refused, key == "cache.l2.line" || key == "cache.l3.line")
        << key << " = " << changed[key] << ": " << after.substr(0, 200);
  }
}

TEST(EveryKey, TheTreeAndTheDistancesChangeWhatIsSimulated) {
  const std::string plain = simulated(three_levels({}, {}));
  description other_tree;
  other_tree.tree = "numa:4 l3:1 l2:1 l1:2 core:1 pu:2";
  const std::string with_other_tree = simulated(three_levels(other_tree, {}));
  EXPECT_NE(with_other_tree, plain);
  EXPECT_FALSE(with_other_tree.starts_with("refused")) << with_other_tree;
  description far;
  far.distances = "[[10, 31, 21, 21], [31, 10, 21, 21], [21, 21, 10, 21], [21, 21, 21, 10]]";
  const settings matrix{{"link.inter.topology", "matrix"}};
  const std::string with_distances = simulated(three_levels(far, matrix));
  EXPECT_NE(with_distances, simulated(three_levels({}, matrix)));
  EXPECT_FALSE(with_distances.starts_with("refused")) << with_distances;
}

}  // namespace
}  // namespace numatch::sim
