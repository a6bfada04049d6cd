// SPDX-License-Identifier: Apache-2.0
#include "compare/energy_meter.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/expect_text.hpp"

namespace numatch::compare {
namespace {

/// A tree with two packages, the memory of one, and parts that must not be counted twice.
class Energy : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "energy_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    zone("intel-rapl:0", "package-0", 1000000);
    zone("intel-rapl:1", "package-1", 2000000);
    zone("intel-rapl:0:0", "core", 500000);
    zone("intel-rapl:0:1", "dram", 100000);
    zone("intel-rapl:2", "psys", 9000000);
    zone("intel-rapl-mmio:0", "package-0", 1000000);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void zone(const std::string& folder, const std::string& name, unsigned long used) {
    const std::filesystem::path path = root_ + "/sys/class/powercap/" + folder;
    std::filesystem::create_directories(path);
    std::ofstream(path / "name") << name << "\n";
    std::ofstream(path / "max_energy_range_uj") << 10000000 << "\n";
    std::ofstream(path / "energy_uj") << used << "\n";
  }
  std::string root_;
};

TEST_F(Energy, PackagesAndMemoryAreAddedAndPartsAreNot) {
  energy_meter meter{live::system_tree(root_)};
  EXPECT_EQ(meter.why_not(), "");
  EXPECT_EQ(meter.end(), std::nullopt);
  meter.begin();
  zone("intel-rapl:0", "package-0", 4000000);
  zone("intel-rapl:0:0", "core", 3000000);
  zone("intel-rapl:0:1", "dram", 600000);
  zone("intel-rapl:2", "psys", 9900000);
  ASSERT_TRUE(meter.end());
  EXPECT_DOUBLE_EQ(*meter.end(), 3.5);
}

TEST_F(Energy, ACounterThatStartsAnewGoesOnCounting) {
  energy_meter meter{live::system_tree(root_)};
  meter.begin();
  zone("intel-rapl:1", "package-1", 500000);
  ASSERT_TRUE(meter.end());
  EXPECT_DOUBLE_EQ(*meter.end(), 8.5);
}

TEST_F(Energy, WhatMayNotBeReadIsSaid) {
  std::filesystem::remove(root_ + "/sys/class/powercap/intel-rapl:1/energy_uj");
  energy_meter meter{live::system_tree(root_)};
  EXPECT_TRUE(contains(meter.why_not(), "only root"));
  meter.begin();
  EXPECT_EQ(meter.end(), std::nullopt);
}

TEST_F(Energy, AMachineWithoutCountersSaysSo) {
  std::filesystem::remove_all(root_ + "/sys");
  energy_meter meter{live::system_tree(root_)};
  EXPECT_TRUE(contains(meter.why_not(), "no RAPL"));
}

}  // namespace
}  // namespace numatch::compare
