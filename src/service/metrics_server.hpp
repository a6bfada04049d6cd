// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "service/listen_address.hpp"

namespace numatch::service {

/// Answers GET /metrics over HTTP with the text that was published last, as OpenMetrics. One thread
/// of its own (libmicrohttpd's) answers everybody, so nobody who asks can hold up who publishes.
/// What a client may cost is bounded: 16 connections, 8 KiB of request each, five seconds of
/// silence.
class metrics_server {
 public:
  /// An error when the address cannot be bound.
  static result<metrics_server> start(const listen_address& where);
  metrics_server(metrics_server&& other) noexcept;
  metrics_server& operator=(metrics_server&& other) noexcept;
  ~metrics_server();

  /// The whole text of an answer from now on. Thread safe; waits for no client.
  void publish(std::string text);
  /// With the port that the kernel chose.
  const listen_address& address() const { return address_; }

 private:
  struct answering;
  metrics_server(std::unique_ptr<answering> answers, const listen_address& address);
  std::unique_ptr<answering> answers_;
  listen_address address_;
};

}  // namespace numatch::service
