// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "service/listen_address.hpp"

namespace numatch::service {

/// A connection that sends what a test wants it to.
class http_client {
 public:
  explicit http_client(const listen_address& where)
      : socket_(::socket(where.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&where.address), where.bytes) == 0;
  }
  ~http_client() { ::close(socket_); }
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  bool connected() const { return connected_; }
  /// false: the other side does not listen any more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  /// All that comes until the other side closes.
  std::string rest() {
    std::string text;
    char some[4096];
    for (;;) {
      const ssize_t got = ::recv(socket_, some, sizeof some, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return text;
      text.append(some, static_cast<std::size_t>(got));
    }
  }

 private:
  int socket_;
  bool connected_ = false;
};

/// The whole answer to a request.
inline std::string answer_to(const listen_address& where, std::string_view request) {
  http_client client(where);
  if (!client.connected() || !client.send(request)) return "";
  return client.rest();
}

inline constexpr std::string_view good_request =
    "GET /metrics HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";

}  // namespace numatch::service
