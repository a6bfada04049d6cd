// SPDX-License-Identifier: Apache-2.0
#include "service/metrics_server.hpp"

#include <fcntl.h>
#include <microhttpd.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

namespace numatch::service {

namespace {

constexpr unsigned most_connections = 16;
constexpr unsigned seconds_of_silence = 5;
constexpr std::size_t request_bytes = 8 * 1024;
constexpr const char* open_metrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
constexpr const char* plain_text = "text/plain; charset=utf-8";

/// Signals are the business of the other threads: one that is started meanwhile holds all back.
class without_signals {
 public:
  without_signals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~without_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  without_signals(const without_signals&) = delete;
  without_signals& operator=(const without_signals&) = delete;

 private:
  sigset_t before_;
};

result<int> listening_socket(listen_address& where) {
  const int made = ::socket(where.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return fail(to_string(where), std::strerror(errno));
  const int yes = 1;
  // A port whose last connections are still being closed is free.
  ::setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr* const address = reinterpret_cast<sockaddr*>(&where.address);
  if (::bind(made, address, where.bytes) != 0 || ::listen(made, most_connections) != 0 ||
      ::getsockname(made, address, &where.bytes) != 0) {
    const int reason = errno;
    ::close(made);
    return fail(to_string(where), std::string("cannot listen there: ") + std::strerror(reason));
  }
  return made;
}

MHD_Result answer(MHD_Connection* connection, unsigned code, std::string_view text,
                  const char* type) {
  // The library copies the text before it returns.
  MHD_Response* const response = MHD_create_response_from_buffer(
      text.size(), const_cast<char*>(text.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  if (code == MHD_HTTP_METHOD_NOT_ALLOWED) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  }
  const MHD_Result queued = MHD_queue_response(connection, code, response);
  MHD_destroy_response(response);
  return queued;
}

}  // namespace

struct metrics_server::answering {
  std::mutex guards;
  std::shared_ptr<const std::string> text = std::make_shared<const std::string>("# EOF\n");
  MHD_Daemon* daemon = nullptr;

  ~answering() {
    if (daemon != nullptr) MHD_stop_daemon(daemon);
  }

  static MHD_Result handle(void* self, MHD_Connection* connection, const char* path,
                           const char* method, const char*, const char*, std::size_t*,
                           void** request) {
    const std::string_view asked = method;
    if (asked != MHD_HTTP_METHOD_GET && asked != MHD_HTTP_METHOD_HEAD) {
      return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n", plain_text);
    }
    // The first call is for the head of the request: an answer to it would end the connection.
    if (std::exchange(*request, self) == nullptr) return MHD_YES;
    if (std::string_view(path) != "/metrics") {
      return answer(connection, MHD_HTTP_NOT_FOUND, "there is /metrics\n", plain_text);
    }
    answering& state = *static_cast<answering*>(self);
    std::shared_ptr<const std::string> now;
    {
      const std::lock_guard<std::mutex> lock(state.guards);
      now = state.text;
    }
    return answer(connection, MHD_HTTP_OK, *now, open_metrics);
  }
};

metrics_server::metrics_server(std::unique_ptr<answering> answers, const listen_address& address)
    : answers_(std::move(answers)), address_(address) {}
metrics_server::metrics_server(metrics_server&& other) noexcept = default;
metrics_server& metrics_server::operator=(metrics_server&& other) noexcept = default;
metrics_server::~metrics_server() = default;

result<metrics_server> metrics_server::start(const listen_address& where) {
  listen_address bound = where;
  const result<int> socket = listening_socket(bound);
  if (!socket) return tl::unexpected(socket.error());
  std::unique_ptr<answering> answers = std::make_unique<answering>();
  const without_signals held;
  answers->daemon = MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, nullptr, nullptr, &answering::handle,
      answers.get(), MHD_OPTION_LISTEN_SOCKET, *socket, MHD_OPTION_CONNECTION_LIMIT,
      most_connections, MHD_OPTION_CONNECTION_TIMEOUT, seconds_of_silence,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, request_bytes, MHD_OPTION_END);
  if (answers->daemon == nullptr) {
    ::close(*socket);
    return fail(to_string(bound), "the server for metrics cannot be started");
  }
  return metrics_server(std::move(answers), bound);
}

void metrics_server::publish(std::string text) {
  std::shared_ptr<const std::string> now = std::make_shared<const std::string>(std::move(text));
  const std::lock_guard<std::mutex> lock(answers_->guards);
  answers_->text.swap(now);
}

}  // namespace numatch::service
