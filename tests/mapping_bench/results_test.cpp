// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/results.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "bench/mapping/best_known.hpp"
#include "bench/mapping/contenders.hpp"
#include "bench/mapping/selection.hpp"

namespace numatch::bench {
namespace {

instance ring_on(std::string_view machine) {
  return {*find_family("ring"), *find_machine(machine), 32, 1};
}

result<options> parse(const std::vector<std::string_view>& words) {
  static constexpr option_text takes[] = {sizes_option, families_option, machines_option,
                                          seed_option};
  return options::parse(takes, words);
}

result<std::vector<instance>> choose(const std::vector<std::string_view>& words) {
  return chosen_instances(*parse(words));
}

class best_known_file : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "best.tsv";
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(best_known_file, ReadsBackWhatItWrote) {
  best_known all;
  EXPECT_TRUE(all.improve(ring_on("8x4"), 0.1 + 0.2, "annealing"));
  const std::filesystem::path path = write("");
  ASSERT_TRUE(all.write(path));
  const result<best_known> again = best_known::read(path);
  ASSERT_TRUE(again) << again.error().message();
  ASSERT_NE(again->find(ring_on("8x4")), nullptr);
  EXPECT_EQ(again->find(ring_on("8x4"))->cost, 0.1 + 0.2);
  EXPECT_EQ(again->find(ring_on("2x8x2")), nullptr);
}

TEST_F(best_known_file, TakesOnlyALowerCost) {
  best_known all;
  EXPECT_TRUE(all.improve(ring_on("8x4"), 100, "annealing"));
  EXPECT_FALSE(all.improve(ring_on("8x4"), 100, "planted"));
  EXPECT_FALSE(all.improve(ring_on("8x4"), 101, "planted"));
  EXPECT_TRUE(all.improve(ring_on("8x4"), 99, "planted"));
  EXPECT_EQ(all.find(ring_on("8x4"))->how, "planted");
}

TEST_F(best_known_file, MergesToTheLowerOfBoth) {
  best_known all;
  all.improve(ring_on("8x4"), 100, "annealing");
  best_known other;
  other.improve(ring_on("8x4"), 99, "planted");
  other.improve(ring_on("2x8x2"), 7, "planted");
  all.merge(other);
  EXPECT_EQ(all.find(ring_on("8x4"))->cost, 99);
  EXPECT_EQ(all.find(ring_on("2x8x2"))->cost, 7);
  other.merge(all);
  EXPECT_EQ(other.find(ring_on("8x4"))->how, "planted");
}

TEST_F(best_known_file, RefusesADamagedLineAndSaysWhich) {
  const result<best_known> read = best_known::read(write("# head\nring\t32\t8x4\tone\t5\tx\n"));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find("best.tsv:2"), std::string::npos);
}

TEST_F(best_known_file, OfTheTreeHasEveryInstanceOfThirtyTwoAndSixtyFourThreads) {
  const result<best_known> stored = best_known::read(best_known::usual_path());
  ASSERT_TRUE(stored) << stored.error().message();
  for (const std::size_t size : {32U, 64U}) {
    for (const instance& one : table_of(size, 1))
      EXPECT_NE(stored->find(one), nullptr) << one.name();
  }
}

TEST(Selection, CombinesSizesFamiliesAndMachines) {
  EXPECT_EQ(choose({})->size(), 76U);
  EXPECT_EQ(choose({"--sizes", "32", "--families", "ring,chain"})->size(), 4U);
  EXPECT_EQ(choose({"--sizes", "24,48", "--machines", "2x8x2", "--families", "ring"})->size(), 2U);
}

TEST(Selection, RefusesWhatIsNotThere) {
  EXPECT_FALSE(choose({"--sizes", "24"})) << "no machine of the table has 24 threads";
  EXPECT_FALSE(choose({"--sizes", "0", "--machines", "8x4"}));
  EXPECT_FALSE(choose({"--sizes", "many"}));
  EXPECT_FALSE(choose({"--families", "rings"}));
  EXPECT_FALSE(choose({"--machines", "9x9"}));
  EXPECT_FALSE(parse({"--size", "32"}));
  EXPECT_FALSE(parse({"--sizes"}));
}

result_table two_contenders() {
  result_table table{{"numatch", "Scotch default"}, {}};
  for (const double ours : {100.0, 110.0}) {
    result_row row{ring_on(ours < 105 ? "8x4" : "2x8x2"), 100, false, {}};
    row.cells.emplace_back(result_cell{ours, true, 1e-5, 1e-4});
    row.cells.emplace_back(result_cell{105, false, 2e-5, 1e-4});
    table.rows.push_back(row);
  }
  return table;
}

TEST(Results, SumUpGapsCapacityAndLosses) {
  const std::string text = summary_of(two_contenders());
  EXPECT_NE(text.find("4.881 %"), std::string::npos) << "square root of 1.1\n" << text;
  EXPECT_NE(text.find("5.000 %"), std::string::npos) << text;
  EXPECT_NE(text.find("|             2 |"), std::string::npos) << text;
  EXPECT_NE(
      text.find("numatch against the best of all Scotch strategies: worse on 1, better on 1 of 2 "
                "instances: ring-32@2x8x2#1 (+4.76 %, Scotch default)"),
      std::string::npos)
      << text;
}

TEST(Results, WriteALinePerRun) {
  const std::string text = tsv_of(two_contenders());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_NE(text.find("ring\t32\t8x4\t1\t1\tnumatch\t100\t100\t0.00000000\t1\t"), std::string::npos)
      << text;
}

TEST(Contenders, MapWithinTheCapacityOrSayThatTheyDoNot) {
  const loaded_machine on = *load(**find_machine("2x8x2"));
  const made_pattern made = (*find_family("power-law"))->make(64, 1);
  const mapping_request request{made.sharing, on.machine, on.distances};
  for (const std::unique_ptr<contender>& one : all_contenders()) {
    if (!one->declines(request).empty()) continue;
    const result<measured_run> run = measure(*one, request, 1, 0.1);
    ASSERT_TRUE(run) << one->name() << ": " << run.error().message();
    std::vector<int> load(32);
    for (const pu_id pu : run->mapping.pu_of) EXPECT_LE(++load[pu.index()], 2) << one->name();
    EXPECT_EQ(run->cost, mapping_cost(made.sharing, run->mapping, on.distances)) << one->name();
  }
}

}  // namespace
}  // namespace numatch::bench
