// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace numatch::service {

/// A TCP address of this machine to listen at.
struct listen_address {
  sockaddr_storage address{};
  socklen_t bytes = 0;
};

/// Whether a text means an address and not a file: it ends with a colon and digits and has no
/// slash. "./a:1" is a file.
bool means_address(std::string_view text);

/// ":PORT" is 127.0.0.1; else "ADDRESS:PORT" or "[ADDRESS]:PORT", with an address in numbers: no
/// name is looked up. Port 0 lets the kernel choose.
result<listen_address> parse_listen_address(std::string_view text);

/// "127.0.0.1:9464", "[::1]:9464".
std::string to_string(const listen_address& where);

}  // namespace numatch::service
