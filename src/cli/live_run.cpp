// SPDX-License-Identifier: Apache-2.0
#include "cli/live_run.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/atomic_file.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/verb.hpp"
#include "control/run_report.hpp"
#include "live/launched_program.hpp"
#include "service/metrics_server.hpp"

namespace numatch::cli {

namespace {

/// Lines that are whole as soon as they are written.
class line_file {
 public:
  result<void> open(const std::string& path) {
    file_.reset(std::fopen(path.c_str(), "we"));
    return file_ ? result<void>{} : fail(path, std::strerror(errno));
  }
  void add(const std::string& line) {
    if (!file_) return;
    std::fputs((line + "\n").c_str(), file_.get());
    std::fflush(file_.get());
  }

 private:
  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, closer> file_;
};

class managed_run {
 public:
  managed_run(const run_request& wanted, console& terminal)
      : wanted_(wanted), terminal_(terminal), options_(wanted.options) {
    options_.sensing.budget = wanted.budget_percent / 100;
    options_.page_bytes_per_second = wanted.page_megabytes * 1024 * 1024;
  }

  /// Says before a program is started what could not be done after it.
  result<void> prepare() {
    if (result<void> r = control::check_run(options_); !r) return r;
    if (!wanted_.log.empty()) {
      if (result<void> r = log_.open(wanted_.log); !r) return r;
    }
    return wanted_.metrics.empty() ? result<void>{} : prepare_metrics();
  }

  result<int> running() {
    std::vector<live::observed_process> processes;
    std::string names;
    for (const pid_t pid : wanted_.pids) {
      result<live::observed_process> process = live::observed_process::open(pid);
      if (!process) return tl::unexpected(process.error());
      names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", pid, process->name());
      processes.push_back(std::move(*process));
    }
    std::vector<live::observed_process*> all;
    for (live::observed_process& process : processes) all.push_back(&process);
    const stop_on_signal signals;
    const result<control::run_status> done =
        control::run_control_jointly(all, options_, signals.stop(), listener([] {}));
    if (!done) return tl::unexpected(done.error());
    if (wanted_.json) {
      terminal_.out(control::as_json(*done));
    } else {
      terminal_.out(
          fmt::format("process {}\n{}", names, control::as_text(*done, options_.control.dry_run)));
    }
    return fine;
  }

  result<int> launched() {
    result<live::launched_program> program = live::launched_program::start(wanted_.command);
    if (!program) return tl::unexpected(program.error());
    if (const result<void> managed = until_stopped(*program); !managed) {
      // Nothing of the program has run when nothing can be seen.
      if (!program->is_let_go()) return tl::unexpected(managed.error());
      terminal_.note(managed.error().message());
    }
    return program->wait();
  }

 private:
  result<void> until_stopped(live::launched_program& program) {
    result<live::observed_process> process = live::observed_process::open(program.pid());
    if (!process) return tl::unexpected(process.error());
    const stop_on_signal signals;
    const result<control::run_status> done = control::run_control(
        *process, options_, signals.stop(), listener([&program] { program.let_go(); }));
    // ^C reached the program, too; what was sent to us alone is meant for it.
    const int signal = signals.signal();
    if (signal == SIGTERM || signal == SIGHUP) ::kill(program.pid(), signal);
    if (!done) return tl::unexpected(done.error());
    tell(*done);
    return {};
  }

  /// Standard output belongs to the program.
  void tell(const control::run_status& done) {
    const std::string text =
        wanted_.json ? control::as_json(done) : control::as_text(done, options_.control.dry_run);
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      terminal_.note(line.substr(std::min(line.find_first_not_of(' '), line.size())));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }

  control::run_listener listener(std::function<void()> ready) {
    control::run_listener asks{.ready = std::move(ready), .decided = {}};
    if (!wanted_.log.empty()) {
      asks.decided = [this](const control::decision& told) {
        log_.add(control::as_json_line(told));
      };
    }
    if (!wanted_.metrics.empty()) {
      asks.status = [this](const control::run_status& status) {
        const result<void> written = write_metrics(status);
        if (!written && !metrics_failed_) terminal_.note(written.error().message());
        metrics_failed_ = !written;
      };
    }
    return asks;
  }

  result<void> prepare_metrics() {
    if (service::means_address(wanted_.metrics)) {
      const result<service::listen_address> where = service::parse_listen_address(wanted_.metrics);
      if (!where) return tl::unexpected(where.error());
      result<service::metrics_server> server = service::metrics_server::start(*where);
      if (!server) return tl::unexpected(server.error());
      server_.emplace(std::move(*server));
      terminal_.note(fmt::format("metrics at http://{}/metrics", to_string(server_->address())));
    }
    return write_metrics({});
  }

  result<void> write_metrics(const control::run_status& status) {
    std::string text = control::as_open_metrics(status);
    if (!server_) return write_file(wanted_.metrics, text);
    server_->publish(std::move(text));
    return {};
  }

  const run_request& wanted_;
  console& terminal_;
  control::run_options options_;
  line_file log_;
  std::optional<service::metrics_server> server_;
  bool metrics_failed_ = false;
};

}  // namespace

result<int> run_live(const run_request& wanted, console& terminal) {
  managed_run managed(wanted, terminal);
  if (result<void> r = managed.prepare(); !r) return tl::unexpected(r.error());
  return wanted.command.empty() ? managed.running() : managed.launched();
}

}  // namespace numatch::cli
