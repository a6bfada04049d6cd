// SPDX-License-Identifier: Apache-2.0
#include "cli/system_run.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/verb.hpp"
#include "live/owned_fd.hpp"
#include "service/metrics_server.hpp"
#include "service/supervisor.hpp"

namespace numatch::cli {

namespace fs = std::filesystem;

namespace {

/// TERM, INT and HUP come through a file descriptor while it lives. To be made before other
/// threads.
class signal_inbox {
 public:
  signal_inbox() {
    sigemptyset(&awaited_);
    for (const int awaited : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&awaited_, awaited);
    ::pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
    fd_ = live::owned_fd(::signalfd(-1, &awaited_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~signal_inbox() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signal_inbox(const signal_inbox&) = delete;
  signal_inbox& operator=(const signal_inbox&) = delete;

  int fd() const { return fd_.get(); }
  /// 0: none has come.
  int take() const {
    signalfd_siginfo arrived{};
    return ::read(fd_.get(), &arrived, sizeof arrived) == sizeof arrived
               ? static_cast<int>(arrived.ssi_signo)
               : 0;
  }

 private:
  sigset_t awaited_{};
  sigset_t before_{};
  live::owned_fd fd_;
};

/// A folder of its own that is gone at the end.
class own_folder {
 public:
  result<void> make() {
    const char* given = std::getenv("RUNTIME_DIRECTORY");
    std::error_code failed;
    const fs::path base =
        given != nullptr && *given == '/' ? fs::path(given) : fs::temp_directory_path(failed);
    std::string name = (base / "numatch-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return fail(base.string(), std::strerror(errno));
    path_ = name;
    return {};
  }
  ~own_folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  own_folder() = default;
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class system_run {
 public:
  system_run(const system_request& wanted, console& terminal)
      : wanted_(wanted), terminal_(terminal) {}

  result<int> run() {
    result<service::configuration> read = service::read_configuration(wanted_.configuration);
    if (!read) return tl::unexpected(read.error());
    std::error_code failed;
    options_.numatch = fs::read_symlink("/proc/self/exe", failed).string();
    options_.act = wanted_.act;
    options_.dry_run = wanted_.dry_run;
    if (wanted_.check) return check(*read);
    return manage(std::move(*read));
  }

 private:
  int check(const service::configuration& wanted) {
    const std::vector<service::matching_process> all =
        service::matching_processes(wanted, options_.proc, options_.numatch);
    for (const service::matching_process& match : all) {
      say(fmt::format("{}[{}]: {}, {} threads, {} s of processor time{}", match.rule->name,
                      match.process.pid, match.process.executable, match.process.threads,
                      match.process.cpu_seconds,
                      service::is_ready(*match.rule, match.process) ? "" : ": not yet"));
    }
    say(fmt::format("{} processes match; {}", all.size(), how(wanted)));
    return fine;
  }

  result<int> manage(service::configuration wanted) {
    const signal_inbox signals;
    if (!wanted.metrics.empty()) {
      if (result<void> r = serve(wanted.metrics); !r) return tl::unexpected(r.error());
    }
    say(fmt::format("looks for {}; {}", names_of(wanted), how(wanted)));
    metrics_address_ = wanted.metrics;
    interval_ = std::chrono::duration<double>(wanted.interval_seconds);
    service::supervisor managed(std::move(wanted), options_,
                                [this](const std::string& line) { say(line); });
    while (!over_) {
      managed.look();
      publish(managed);
      wait(managed, signals);
    }
    managed.stop();
    say("all programs are left to themselves");
    return fine;
  }

  result<void> serve(const std::string& address) {
    const result<service::listen_address> where = service::parse_listen_address(address);
    if (!where) return tl::unexpected(where.error());
    result<service::metrics_server> server = service::metrics_server::start(*where);
    if (!server) return tl::unexpected(server.error());
    if (result<void> r = folder_.make(); !r) return r;
    options_.folder = folder_.path();
    server_.emplace(std::move(*server));
    say(fmt::format("metrics at http://{}/metrics", to_string(server_->address())));
    return {};
  }

  static std::string names_of(const service::configuration& wanted) {
    std::string names;
    for (const service::program_rule& rule : wanted.programs) {
      names += (names.empty() ? "" : ", ") + rule.name;
    }
    return names;
  }

  std::string how(const service::configuration& wanted) const {
    const bool acts = !options_.dry_run && (wanted.enabled || options_.act);
    return acts ? "threads and pages are moved"
                : "dry run: nothing is moved until enabled = true, or --act";
  }

  void publish(const service::supervisor& managed) {
    if (server_) server_->publish(managed.metrics());
  }

  /// Until the next look is due or the configuration changed.
  void wait(service::supervisor& managed, const signal_inbox& signals) {
    using clock = std::chrono::steady_clock;
    const clock::time_point end =
        clock::now() + std::chrono::duration_cast<clock::duration>(interval_);
    while (clock::now() < end) {
      std::vector<pollfd> awaited = managed.awaited();
      awaited.push_back({signals.fd(), POLLIN, 0});
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count() + 1;
      ::poll(awaited.data(), awaited.size(), static_cast<int>(left));
      managed.collect();
      const int signal = signals.take();
      if (signal == SIGHUP) read_again(managed);
      over_ = signal != 0 && signal != SIGHUP;
      if (signal != 0) return;
    }
  }

  void read_again(service::supervisor& managed) {
    result<service::configuration> read = service::read_configuration(wanted_.configuration);
    if (!read) {
      terminal_.note(read.error().message() + "; what was read before stays");
      return;
    }
    if (read->metrics != metrics_address_) {
      terminal_.note("metrics: the address changes at the next start only");
    }
    interval_ = std::chrono::duration<double>(read->interval_seconds);
    say(fmt::format("read again: looks for {}; {}", names_of(*read), how(*read)));
    managed.change(std::move(*read));
  }

  void say(const std::string& line) {
    terminal_.out(line + "\n");
    std::fflush(stdout);
  }

  const system_request& wanted_;
  console& terminal_;
  service::supervisor_options options_;
  own_folder folder_;
  std::optional<service::metrics_server> server_;
  std::string metrics_address_;
  std::chrono::duration<double> interval_{2};
  bool over_ = false;
};

}  // namespace

result<int> run_system(const system_request& wanted, console& terminal) {
  return system_run(wanted, terminal).run();
}

}  // namespace numatch::cli
