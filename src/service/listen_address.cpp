// SPDX-License-Identifier: Apache-2.0
#include "service/listen_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace numatch::service {

namespace {

constexpr std::string_view digits = "0123456789";

template <class Address>
listen_address stored(const Address& address) {
  listen_address where;
  std::memcpy(&where.address, &address, sizeof address);
  where.bytes = sizeof address;
  return where;
}

}  // namespace

bool means_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return colon != std::string_view::npos && colon + 1 < text.size() &&
         text.find('/') == std::string_view::npos &&
         text.find_first_not_of(digits, colon + 1) == std::string_view::npos;
}

result<listen_address> parse_listen_address(std::string_view text) {
  const std::string shown(text);
  if (!means_address(text)) return fail(shown, "is no address", "give :PORT or ADDRESS:PORT");
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  const std::string_view number = text.substr(colon + 1);
  if (std::from_chars(number.data(), number.data() + number.size(), port).ec != std::errc{}) {
    return fail(shown, "is no port", "ports are 0 to 65535; 0: the kernel chooses");
  }
  std::string host(text.substr(0, colon));
  if (host.empty()) host = "127.0.0.1";
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) return stored(four);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) return stored(six);
  return fail(shown, "the address is not in numbers", "for example 127.0.0.1:9464 or [::1]:9464");
}

std::string to_string(const listen_address& where) {
  char text[INET6_ADDRSTRLEN] = "";
  if (where.address.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &where.address, sizeof six);
    ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    return fmt::format("[{}]:{}", text, ntohs(six.sin6_port));
  }
  sockaddr_in four{};
  std::memcpy(&four, &where.address, sizeof four);
  ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
  return fmt::format("{}:{}", text, ntohs(four.sin_port));
}

}  // namespace numatch::service
