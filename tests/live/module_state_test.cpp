// SPDX-License-Identifier: Apache-2.0
#include "live/module_state.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "live/module_build.hpp"
#include "live/module_files.hpp"
#include "live/module_loader.hpp"
#include "live/system_trees.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

module_state state_of(const tree_files& files) {
  const written_tree tree(files);
  return read_module_state(system_tree(tree.root()), read_system_files(tree.root()));
}

std::string refusals_of(const tree_files& files) {
  const std::vector<std::string> all = state_of(files).refusals;
  return std::accumulate(
      all.begin(), all.end(), std::string(),
      [](const std::string& sum, const std::string& one) { return sum + one + "\n"; });
}

#if defined(__x86_64__)
TEST(ModuleState, NothingRefusesItOnADebianServer) {
  EXPECT_EQ(refusals_of(debian_server()), "");
  EXPECT_FALSE(state_of(debian_server()).numbers);
}
#endif

TEST(ModuleState, EachRefusalIsSaid) {
  tree_files files = debian_server();
  files["/proc/sys/kernel/osrelease"] = "5.10.0-1-amd64\n";
  files["/boot/config-5.10.0-1-amd64"] =
      "CONFIG_A=y\nCONFIG_DEBUG_VM=y\nCONFIG_PREEMPT_RT=y\n# CONFIG_PREEMPT_NOTIFIERS is not set\n";
  files["/sys/hypervisor/guest_type"] = "PV\n";
  files["/proc/sys/kernel/modules_disabled"] = "1\n";
  files["/sys/kernel/security/lockdown"] = "none [integrity] confidentiality\n";
  const std::string all = refusals_of(files);
  for (const char* part : {"this is 5.10; the parameter force=1", "DEBUG_VM", "PREEMPT_RT",
                           "PREEMPT_NOTIFIERS", "Xen PV", "modules_disabled", "signed modules"}) {
    EXPECT_TRUE(contains(all, part));
  }
}

TEST(ModuleState, ASignatureRuleAloneRefuses) {
  tree_files files = debian_server();
  files["/sys/module/module/parameters/sig_enforce"] = "Y\n";
  EXPECT_TRUE(contains(refusals_of(files), "signed modules only"));
}

TEST(ModuleState, ALoadedModuleSaysWhatItHolds) {
  tree_files files = debian_server();
  files["/sys/module/numatch/refcnt"] = "2\n";
  files["/sys/module/numatch/parameters/live_sessions"] = "1\n";
  files["/sys/module/numatch/parameters/live_pages"] = "4096\n";
  const module_state state = state_of(files);
  ASSERT_TRUE(state.numbers);
  EXPECT_EQ(state.numbers->users, 2U);
  EXPECT_EQ(state.numbers->sessions, 1U);
  EXPECT_EQ(state.numbers->threads, std::nullopt);
  EXPECT_EQ(state.numbers->pages, 4096U);
}

TEST(ModuleFiles, TheInstalledOneIsFoundByModprobesIndex) {
  tree_files files = debian_server();
  const auto found = [&] {
    const written_tree tree(files);
    return installed_module(system_tree(tree.root()), "6.1.0-40-amd64");
  };
  EXPECT_EQ(found(), std::nullopt);
  files["/lib/modules/6.1.0-40-amd64/modules.dep"] = "updates/dkms/numatch.ko.xz:\n";
  EXPECT_EQ(found(), "/lib/modules/6.1.0-40-amd64/updates/dkms/numatch.ko.xz");
  files["/lib/modules/6.1.0-40-amd64/modules.dep"] =
      "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko\nextra/numatch.ko:\n";
  EXPECT_EQ(found(), "/lib/modules/6.1.0-40-amd64/extra/numatch.ko");
}

TEST(ModuleFiles, AModuleSaysItsKernel) {
  const std::string bytes(
      "\x7f"
      "ELF\0license=GPL\0vermagic=6.12.3-amd64 SMP preempt \0",
      52);
  EXPECT_EQ(release_of_module_bytes(bytes), "6.12.3-amd64");
  EXPECT_EQ(release_of_module_bytes("vermagic=6.1"), std::nullopt);
  EXPECT_EQ(release_of_module_bytes(std::string("\0vermagic=6.1", 13)), std::nullopt);
  EXPECT_EQ(release_of_module_bytes(""), std::nullopt);
}

TEST(ModuleFiles, WhatIsNoModuleSaysSo) {
  EXPECT_TRUE(contains(release_of_module("/nowhere/numatch.ko").error().message(),
                       "there is no such module"));
  EXPECT_TRUE(
      contains(release_of_module("/proc/self/status").error().message(), "is no kernel module"));
}

TEST(ModuleBuild, MissingHeadersAreSaidWithTheirPackage) {
  const result<std::string> made = build_module({"/nowhere", "/no/headers", testing::TempDir()});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().where, "/no/headers");
  EXPECT_TRUE(contains(made.error().hint, "apt-get install linux-headers"));
}

TEST(ModuleBuild, TheFirstComplaintOfACompilerIsFound) {
  EXPECT_EQ(first_complaint("CC a.o\na.c:3:1: error: no\nmake: *** [x] Error 2\n"),
            "a.c:3:1: error: no");
  EXPECT_EQ(first_complaint("make: *** no rule"), "make: *** no rule");
  EXPECT_EQ(first_complaint("all is well\n"), "");
  EXPECT_EQ(first_complaint(""), "");
}

std::string refused(load_refusal refusal) {
  refusal.file = "numatch.ko";
  return load_error(refusal).message();
}

TEST(LoadError, EachReasonIsItsOwnLine) {
  EXPECT_TRUE(contains(refused({.code = EPERM}), "this user may not load kernel modules; be root"));
  EXPECT_TRUE(contains(refused({.code = EPERM, .may_load = true, .loading_is_off = true}),
                       "kernel.modules_disabled"));
  EXPECT_TRUE(contains(refused({.code = EPERM, .may_load = true, .lockdown = "integrity"}),
                       "locked down and loads signed modules only; sign it"));
  EXPECT_TRUE(contains(refused({.code = EKEYREJECTED, .may_load = true}), "signature"));
  EXPECT_TRUE(contains(refused({.code = EEXIST, .may_load = true}), "is loaded already"));
  EXPECT_TRUE(contains(
      refused({.code = EOPNOTSUPP, .may_load = true, .kernel_says = "not loaded: under Xen PV"}),
      "the kernel refuses it: not loaded: under Xen PV"));
  EXPECT_TRUE(contains(refused({.code = ENOEXEC, .may_load = true}), "numatch module build"));
  EXPECT_TRUE(contains(refused({.code = EPERM, .may_load = true, .lockdown = "none"}),
                       "Operation not permitted"));
}

TEST(LoadError, TheKernelsLastWordsAreItsLastLine) {
  EXPECT_EQ(
      last_words("<3>[    1.2] numatch: first\n<3>[    3.4] numatch: not loaded: x\n<6>[5] y"),
      "not loaded: x");
  EXPECT_EQ(last_words("<6>[    1.2] other: numatch here\n"), std::nullopt);
  EXPECT_EQ(last_words(""), std::nullopt);
}

}  // namespace
}  // namespace numatch::live
