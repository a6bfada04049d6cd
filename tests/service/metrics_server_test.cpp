// SPDX-License-Identifier: Apache-2.0
#include "service/metrics_server.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <list>

#include "http_client.hpp"

namespace numatch::service {
namespace {

metrics_server started() {
  return std::move(metrics_server::start(parse_listen_address(":0").value()).value());
}

std::string first_line(const std::string& answer) {
  return answer.substr(0, answer.find("\r\n"));
}

std::size_t threads() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

TEST(MetricsServer, AnswersWithWhatWasPublishedLast) {
  metrics_server server = started();
  server.publish("a 1\n# EOF\n");
  server.publish("a 2\n# EOF\n");
  const std::string answer = answer_to(server.address(), good_request);
  EXPECT_EQ(first_line(answer), "HTTP/1.1 200 OK");
  EXPECT_NE(answer.find("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8"),
            std::string::npos)
      << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\na 2\n# EOF\n")) << answer;
}

TEST(MetricsServer, BeforeAnythingWasPublishedTheAnswerIsEmptyAndWhole) {
  const metrics_server server = started();
  EXPECT_TRUE(answer_to(server.address(), good_request).ends_with("\r\n\r\n# EOF\n"));
}

TEST(MetricsServer, OneConnectionMayAskSeveralTimes) {
  metrics_server server = started();
  server.publish("# EOF\n");
  const std::string both = answer_to(
      server.address(), "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n" + std::string(good_request));
  const std::size_t second = both.find("HTTP/1.1 200 OK", 1);
  EXPECT_NE(second, std::string::npos) << both;
}

TEST(MetricsServer, TheHeadAloneCanBeHad) {
  metrics_server server = started();
  server.publish("a 12345\n# EOF\n");
  const std::string answer =
      answer_to(server.address(), "HEAD /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(first_line(answer), "HTTP/1.1 200 OK");
  EXPECT_EQ(answer.find("12345"), std::string::npos);
}

TEST(MetricsServer, AnotherPathIsNotFound) {
  const metrics_server server = started();
  const std::string answer = answer_to(
      server.address(), "GET /../etc/passwd HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(first_line(answer), "HTTP/1.1 404 Not Found");
}

TEST(MetricsServer, NothingCanBeSentToIt) {
  const metrics_server server = started();
  const std::string answer = answer_to(
      server.address(), "POST /metrics HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(first_line(answer), "HTTP/1.1 405 Method Not Allowed");
  EXPECT_NE(answer.find("Allow: GET, HEAD"), std::string::npos);
}

TEST(MetricsServer, ARequestThatIsTooLongIsRefused) {
  const metrics_server server = started();
  http_client client(server.address());
  const std::string header = "X: " + std::string(1 << 20, 'x') + "\r\n\r\n";
  client.send("GET /metrics HTTP/1.1\r\nHost: h\r\n");
  client.send(header);
  EXPECT_EQ(client.rest().find("200 OK"), std::string::npos);
  EXPECT_EQ(first_line(answer_to(server.address(), good_request)), "HTTP/1.1 200 OK");
}

TEST(MetricsServer, ClientsThatStopHalfwayHoldUpNobody) {
  metrics_server server = started();
  const std::size_t before = threads();
  std::list<http_client> silent;
  for (int i = 0; i < 10; ++i) {
    silent.emplace_back(server.address());
    ASSERT_TRUE(silent.back().send("GET /metr"));
  }
  server.publish("a 3\n# EOF\n");
  EXPECT_TRUE(answer_to(server.address(), good_request).ends_with("a 3\n# EOF\n"));
  EXPECT_EQ(threads(), before) << "no thread for a connection";
}

TEST(MetricsServer, AClientThatReadsNothingHoldsUpNobody) {
  metrics_server server = started();
  server.publish(std::string(16 << 20, '#') + "\n# EOF\n");
  http_client deaf(server.address());
  ASSERT_TRUE(deaf.send(good_request));
  server.publish("a 4\n# EOF\n");
  EXPECT_TRUE(answer_to(server.address(), good_request).ends_with("a 4\n# EOF\n"));
}

TEST(MetricsServer, WhateverIsSentTheNextOneIsAnswered) {
  metrics_server server = started();
  server.publish("a 5\n# EOF\n");
  const bool held = rc::check([&] {
    const std::string start = *rc::gen::element<std::string>(
        "", "GET ", "GET /metrics HTTP/1.1\r\n", "GET /%00%zz HTTP/9.9\r\n");
    const std::string bytes = *rc::gen::arbitrary<std::string>();
    {
      http_client client(server.address());
      client.send(start + bytes + "\r\n\r\n");
      client.end_sending();
    }
    RC_ASSERT(answer_to(server.address(), good_request).ends_with("a 5\n# EOF\n"));
  });
  EXPECT_TRUE(held);
}

TEST(MetricsServer, AnAddressThatIsTakenIsAnError) {
  const metrics_server first = started();
  const result<metrics_server> second = metrics_server::start(first.address());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message(),
            to_string(first.address()) + ": cannot listen there: Address already in use");
}

TEST(MetricsServer, TheAddressIsFreeAgainAtTheEnd) {
  listen_address where;
  {
    const metrics_server server = started();
    where = server.address();
    EXPECT_FALSE(answer_to(where, good_request).empty());
  }
  EXPECT_FALSE(http_client(where).connected());
  EXPECT_TRUE(metrics_server::start(where));
}

}  // namespace
}  // namespace numatch::service
