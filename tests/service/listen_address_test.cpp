// SPDX-License-Identifier: Apache-2.0
#include "service/listen_address.hpp"

#include <gtest/gtest.h>

namespace numatch::service {
namespace {

std::string parsed(std::string_view text) {
  const result<listen_address> where = parse_listen_address(text);
  return where ? to_string(*where) : where.error().message();
}

TEST(ListenAddress, APortAloneIsOfTheLoopback) {
  EXPECT_EQ(parsed(":9464"), "127.0.0.1:9464");
}

TEST(ListenAddress, AnAddressIsTakenAsItIs) {
  EXPECT_EQ(parsed("0.0.0.0:80"), "0.0.0.0:80");
  EXPECT_EQ(parsed("[::1]:80"), "[::1]:80");
  EXPECT_EQ(parsed("::1:80"), "[::1]:80");
}

TEST(ListenAddress, AFileIsNoAddress) {
  EXPECT_FALSE(means_address("run.prom"));
  EXPECT_FALSE(means_address("./a:1"));
  EXPECT_FALSE(means_address("a:1/b:2"));
  EXPECT_FALSE(means_address("a:"));
  EXPECT_FALSE(means_address(""));
  EXPECT_TRUE(means_address(":1"));
}

TEST(ListenAddress, NamesAreNotLookedUp) {
  EXPECT_NE(parsed("localhost:80").find("localhost:80: the address is not in numbers"),
            std::string::npos);
  EXPECT_NE(parsed("[]:80").find("not in numbers"), std::string::npos);
}

TEST(ListenAddress, APortHasALimit) {
  EXPECT_EQ(parsed(":65535"), "127.0.0.1:65535");
  EXPECT_NE(parsed(":65536").find(":65536: is no port"), std::string::npos);
}

}  // namespace
}  // namespace numatch::service
