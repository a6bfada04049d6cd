// SPDX-License-Identifier: Apache-2.0
#include "service/configuration.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace numatch::service {
namespace {

const std::string least = "[[program]]\nname = 'db'\nexecutable = 'postgres'\n";

std::string problem_of(const std::string& text) {
  const result<configuration> read = parse_configuration(text, "f.toml");
  return read ? "" : read.error().message();
}

TEST(Configuration, WhatIsNotSaidIsSafe) {
  const result<configuration> read = parse_configuration(least, "f.toml");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->enabled);
  EXPECT_EQ(read->metrics, "");
  ASSERT_EQ(read->programs.size(), 1U);
  EXPECT_EQ(read->programs[0].mechanism, "numatch");
  EXPECT_EQ(read->programs[0].sensor, "auto");
  EXPECT_EQ(read->programs[0].budget_percent, 2);
  EXPECT_FALSE(read->programs[0].user);
}

TEST(Configuration, EverythingThatIsSaidIsRead) {
  const result<configuration> read = parse_configuration(
      "enabled = true\ninterval_seconds = 0.5\nmost_programs = 3\nmetrics = ':9464'\n"
      "[[program]]\nname = 'a'\nexecutable = '/usr/*/a'\ncgroup = '/x.slice'\nuser = '1234'\n"
      "least_threads = 4\nleast_cpu_seconds = 0\ndry_run = true\nmechanism = 'spcd'\n"
      "sensor = 'wp'\nbudget = 1\npage_rate = 64\ncached = 1024\n" +
          least,
      "f.toml");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(read->enabled);
  EXPECT_EQ(read->interval_seconds, 0.5);
  EXPECT_EQ(read->most_programs, 3U);
  EXPECT_EQ(read->metrics, ":9464");
  ASSERT_EQ(read->programs.size(), 2U);
  const program_rule& rule = read->programs[0];
  EXPECT_EQ(rule.executable, "/usr/*/a");
  EXPECT_EQ(rule.cgroup, "/x.slice");
  EXPECT_EQ(rule.user, uid_t{1234});
  EXPECT_EQ(rule.least_threads, 4U);
  EXPECT_EQ(rule.least_cpu_seconds, 0U);
  EXPECT_TRUE(rule.dry_run);
  EXPECT_EQ(rule.mechanism, "spcd");
  EXPECT_EQ(rule.sensor, "wp");
  EXPECT_EQ(rule.budget_percent, 1);
  EXPECT_EQ(rule.page_megabytes, 64);
  EXPECT_EQ(rule.cached_bytes, std::uint64_t{1024});
}

TEST(Configuration, AUserIsANameToo) {
  const result<configuration> read = parse_configuration(least + "user = 'root'\n", "f.toml");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->programs[0].user, uid_t{0});
  EXPECT_EQ(problem_of(least + "user = 'nobody-has-this-name'\n"),
            "f.toml:4: user 'nobody-has-this-name' does not exist here");
}

TEST(Configuration, AnUnknownKeyIsAnsweredWithItsLineAndTheNearestOne) {
  EXPECT_EQ(problem_of("\nenable = true\n" + least),
            "f.toml:2: unknown key 'enable'; did you mean 'enabled'?");
  EXPECT_EQ(problem_of(least + "buget = 3\n"),
            "f.toml:4: unknown key 'buget'; did you mean 'budget'?");
}

TEST(Configuration, TheFirstUnknownKeyOfATableIsNamed) {
  EXPECT_EQ(problem_of(least + "zzzz = 1\naaaa = 2\n").substr(0, 29),
            "f.toml:4: unknown key 'zzzz';");
}

TEST(Configuration, ATextThatIsNoTomlIsAnsweredWithItsLine) {
  EXPECT_EQ(problem_of(least + "user = \n").substr(0, 9), "f.toml:4:");
}

TEST(Configuration, ValuesOfTheWrongKindAreRefused) {
  EXPECT_EQ(problem_of("enabled = 1\n" + least), "f.toml:1: enabled must be true or false");
  EXPECT_EQ(problem_of("interval_seconds = 0\n" + least),
            "f.toml:1: interval_seconds must be a number from 0.05 to 3600");
  EXPECT_EQ(problem_of("interval_seconds = nan\n" + least),
            "f.toml:1: interval_seconds must be a number from 0.05 to 3600");
  EXPECT_EQ(problem_of(least + "least_threads = -1\n"),
            "f.toml:4: least_threads must be a whole number from 1 to 1000000");
  EXPECT_EQ(problem_of(least + "parameters = 'a=1'\n"),
            "f.toml:4: parameters must be a list of texts");
  EXPECT_EQ(problem_of("program = 3\n"),
            "f.toml:1: program is no list; write [[program]] above each program's lines");
  EXPECT_EQ(problem_of("metrics = 'localhost:1'\n" + least).substr(0, 17), "f.toml:1: metrics");
}

TEST(Configuration, AMechanismThatCannotRunHereIsRefusedAtItsLine) {
  EXPECT_EQ(problem_of(least + "mechanism = 'spdc'\n").substr(0, 28),
            "f.toml:4: mechanism 'spdc': ");
  EXPECT_NE(problem_of(least + "mechanism = 'lapt'\n"), "");
  EXPECT_EQ(problem_of(least + "mechanism = 'spcd'\nparameters = ['zz=1']\n").substr(0, 20),
            "f.toml:5: parameters");
}

TEST(Configuration, AnUnknownSensorIsAnsweredWithTheNearestOne) {
  EXPECT_EQ(problem_of(least + "sensor = 'num-hint'\n"),
            "f.toml:4: sensor 'num-hint' does not exist; did you mean 'numa-hint'?");
}

TEST(Configuration, AProgramMustSayWhatIsMeant) {
  EXPECT_EQ(problem_of("[[program]]\nname = 'a'\nuser = 'root'\n").substr(0, 31),
            "f.toml:1: executable is missing");
  EXPECT_EQ(problem_of("[[program]]\nexecutable = 'a'\n").substr(0, 25),
            "f.toml:1: name is missing");
  EXPECT_EQ(problem_of("enabled = true\n"), "f.toml: names no program; add a [[program]]");
  EXPECT_EQ(problem_of("[[program]]\nname = 'a'\ncgroup = 'x'\n").substr(0, 16),
            "f.toml:3: cgroup");
}

TEST(Configuration, NoTextDoesHarm) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *rc::gen::arbitrary<std::string>();
    const std::string start =
        *rc::gen::element<std::string>("", least, "[[program]]\n", "program = [");
    const result<configuration> read = parse_configuration(start + text, "f.toml");
    if (!read) RC_ASSERT(read.error().message().starts_with("f.toml"));
  }));
}

process_facts postgres() {
  process_facts process;
  process.pid = 42;
  process.threads = 8;
  process.cpu_seconds = 60;
  process.executable = "/usr/lib/postgresql/15/bin/postgres";
  process.user = 26;
  process.cgroups = {"/system.slice/docker-abc.scope/init"};
  return process;
}

program_rule rule_of(const std::string& executable, const std::string& cgroup = "") {
  program_rule rule;
  rule.executable = executable;
  rule.cgroup = cgroup;
  return rule;
}

TEST(Matching, AWordIsTheNameOfTheFile) {
  EXPECT_TRUE(names(rule_of("postgres"), postgres()));
  EXPECT_TRUE(names(rule_of("post*"), postgres()));
  EXPECT_FALSE(names(rule_of("post"), postgres()));
}

TEST(Matching, AStarOfAPathStandsForNoSlash) {
  EXPECT_TRUE(names(rule_of("/usr/lib/postgresql/*/bin/postgres"), postgres()));
  EXPECT_FALSE(names(rule_of("/usr/*/postgres"), postgres()));
}

TEST(Matching, AGroupStandsForAllBelowIt) {
  EXPECT_TRUE(names(rule_of("", "/system.slice/docker-*.scope"), postgres()));
  EXPECT_TRUE(names(rule_of("", "/system.slice"), postgres()));
  EXPECT_TRUE(names(rule_of("", "/"), postgres()));
  EXPECT_FALSE(names(rule_of("", "/system"), postgres()));
  EXPECT_FALSE(names(rule_of("", "/system.slice/docker-*.scope/init/x"), postgres()));
}

TEST(Matching, AllThatIsSaidMustHold) {
  program_rule rule = rule_of("postgres", "/user.slice");
  EXPECT_FALSE(names(rule, postgres()));
  rule.cgroup = "/system.slice";
  rule.user = 27;
  EXPECT_FALSE(names(rule, postgres()));
  rule.user = 26;
  EXPECT_TRUE(names(rule, postgres()));
}

TEST(Matching, WhoIsSmallOrYoungWaits) {
  program_rule rule = rule_of("postgres");
  EXPECT_TRUE(is_ready(rule, postgres()));
  rule.least_threads = 9;
  EXPECT_FALSE(is_ready(rule, postgres()));
  rule.least_threads = 1;
  rule.least_cpu_seconds = 61;
  EXPECT_FALSE(is_ready(rule, postgres()));
}

}  // namespace
}  // namespace numatch::service
