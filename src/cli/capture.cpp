// SPDX-License-Identifier: Apache-2.0
#include "cli/capture.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <thread>

#include "frontend/choose.hpp"
#include "frontend/instrumented.hpp"
#include "frontend/qemu.hpp"

namespace numatch::cli {

namespace {

using frontend::launch_plan;
using frontend::outcome;
using frontend::program_file;

/// A limit on the size of files (ulimit -f) becomes an error like any other, instead of a signal
/// that kills before anything is cleaned up. Not while the program is started: it would inherit it.
class file_limit_as_error {
 public:
  file_limit_as_error() { before_ = ::signal(SIGXFSZ, SIG_IGN); }
  ~file_limit_as_error() { ::signal(SIGXFSZ, before_); }
  file_limit_as_error(const file_limit_as_error&) = delete;
  file_limit_as_error& operator=(const file_limit_as_error&) = delete;

 private:
  void (*before_)(int);
};

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string describe(const trace::filter_options& filter) {
  if (filter.entries == 0) return "none";
  return fmt::format("tlb:entries={},ways={},page={}", filter.entries, filter.ways,
                     filter.page_bytes);
}

trace::trace_metadata metadata_of(const std::vector<std::string>& command, frontend::kind kind,
                                  const trace::filter_options& filter) {
  trace::trace_metadata metadata;
  metadata.frontend = frontend::name_of(kind);
  metadata.command = command;
  metadata.filter = describe(filter);
  metadata.counts_instructions = kind == frontend::kind::qemu;
  metadata.extra["started"] = utc_now();
  metadata.extra["host_pus"] = std::to_string(std::thread::hardware_concurrency());
  return metadata;
}

std::map<std::string, std::string> ending(const outcome& ended,
                                          std::chrono::duration<double> elapsed) {
  std::map<std::string, std::string> facts;
  facts["seconds"] = fmt::format("{:.3f}", elapsed.count());
  facts["exit_code"] = std::to_string(ended.exit_code());
  if (ended.signal() != 0) {
    facts["signal"] = std::to_string(ended.signal());
    facts["interrupted"] = "true";
  }
  return facts;
}

result<trace::session> create_session(const std::string& output,
                                      const trace::trace_metadata& metadata,
                                      const trace::filter_options& filter) {
  const file_limit_as_error no_signal;
  return trace::session::create(output, metadata, filter);
}

}  // namespace

result<int> capture(const capture_request& wanted, const signals_held& held, console& terminal) {
  const result<program_file> program = frontend::find_program(wanted.command);
  if (!program) return tl::unexpected(program.error());
  const result<frontend::kind> kind = frontend::choose(wanted.frontend, *program);
  if (!kind) return tl::unexpected(kind.error());

  result<trace::session> session = create_session(
      wanted.output, metadata_of(wanted.command, *kind, wanted.filter), wanted.filter);
  if (!session) return tl::unexpected(session.error());
  const result<launch_plan> plan =
      *kind == frontend::kind::qemu
          ? frontend::plan_qemu(*program, {session->path(), wanted.allocations})
          : frontend::plan_instrumented(*program, session->path());
  if (!plan) return tl::unexpected(plan.error());

  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  const result<outcome> ended = frontend::launch(*plan, held, std::chrono::milliseconds(500), [&] {
    terminal.progress(fmt::format("recording: {:.1f} M accesses",
                                  static_cast<double>(session->accesses()) / 1e6));
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  terminal.clear_progress();
  if (!ended) return tl::unexpected(ended.error());
  if (*kind == frontend::kind::qemu) {
    if (const std::optional<error> why = frontend::explain_qemu_end(*program, *ended)) {
      terminal.problem(*why);
    }
  }
  if (!session->joined()) {
    return fail(program->path.string(),
                fmt::format("nothing was recorded: it ended with code {} before it began",
                            ended->exit_code()),
                "see what it said above");
  }
  const file_limit_as_error no_signal;
  const result<void> finished = session->finish(ending(*ended, elapsed));
  if (!finished) return tl::unexpected(finished.error());
  return ended->exit_code();
}

}  // namespace numatch::cli
