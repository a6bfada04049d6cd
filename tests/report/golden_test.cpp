// SPDX-License-Identifier: Apache-2.0
// Compares reports of synthetic profiles with tests/data/report/*.
#include "report/golden.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "report/format.hpp"
#include "report/json.hpp"
#include "report/samples.hpp"
#include "report/text.hpp"

namespace numatch::report {
namespace {

using namespace numatch::test;

/// Those whose answers are fixed by their definition, so that better algorithms change no file
/// here.
const std::vector<const mapping_algorithm*>& simple_algorithms() {
  static const std::vector<const mapping_algorithm*> simple{*find_algorithm("compact"),
                                                            *find_algorithm("scatter")};
  return simple;
}

class golden : public testing::TestWithParam<named_sample> {
 protected:
  void SetUp() override {
    learned_ = GetParam().make();
    result<machine_choice> machine = choose_machine("numa:4 core:2 pu:1", learned_.threads.size());
    ASSERT_TRUE(machine.has_value());
    result<summary> s = summarise(learned_, std::move(*machine), simple_algorithms());
    ASSERT_TRUE(s.has_value());
    summary_ = std::move(*s);
  }
  profile learned_;
  summary summary_;
};

TEST_P(golden, text) {
  expect_golden(std::string(GetParam().name) + ".txt", text_report(learned_, summary_));
}

TEST_P(golden, json) {
  expect_golden(std::string(GetParam().name) + ".json", json_report(learned_, summary_));
}

std::vector<named_sample> small_samples() {
  std::vector<named_sample> chosen;
  for (const named_sample& sample : all_samples()) {
    if (sample.name == "ring" || sample.name == "private" || sample.name == "transpose") {
      chosen.push_back(sample);
    }
  }
  return chosen;
}
INSTANTIATE_TEST_SUITE_P(samples, golden, testing::ValuesIn(small_samples()),
                         [](const auto& test) { return std::string(test.param.name); });

class every_sample : public golden {};

TEST_P(every_sample, fits_100_columns) {
  std::istringstream lines(text_report(learned_, summary_));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(columns(line), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << "[" << line << "]";
  }
}

TEST_P(every_sample, says_how_its_numbers_were_obtained) {
  EXPECT_NE(text_report(learned_, summary_).find(to_string(learned_.how)), std::string::npos);
}

TEST_P(every_sample, shows_no_control_characters) {
  for (char c : text_report(learned_, summary_)) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
}
INSTANTIATE_TEST_SUITE_P(samples, every_sample, testing::ValuesIn(all_samples()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace numatch::report
