// SPDX-License-Identifier: Apache-2.0
#include "recorded.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace numatch::capture {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

fs::path new_folder() {
  std::string name = (fs::temp_directory_path() / "numatch-capture.XXXXXX").string();
  return ::mkdtemp(name.data());
}

void redirect(const fs::path& path, int flags, int descriptor) {
  const int opened = ::open(path.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(125);
}

}  // namespace

running_command::running_command(const std::vector<std::string>& arguments,
                                 const std::map<std::string, std::string>& environment,
                                 const fs::path& folder)
    : folder_(folder) {
  std::vector<std::string> words = arguments;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  process_ = ::fork();
  if (process_ != 0) return;
  ::setpgid(0, 0);
  ::signal(SIGINT, SIG_DFL);  // ignored where the tests run in the background
  ::alarm(60);                // kept by exec: nothing hangs for ever
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(folder / "out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(folder / "err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::execvp(argv[0], argv.data());
  ::_exit(126);
}

void running_command::wait_for_line() {
  while (text_of(folder_ / "out").find('\n') == std::string::npos) {
    siginfo_t gone{};
    ::waitid(P_PID, static_cast<id_t>(process_), &gone, WEXITED | WNOHANG | WNOWAIT);
    if (gone.si_pid != 0) return;
    ::usleep(10'000);
  }
}

ended running_command::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  ended end;
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  end.out = text_of(folder_ / "out");
  end.err = text_of(folder_ / "err");
  return end;
}

void recorded::start(const std::string& guest, const std::vector<std::string>& arguments,
                     const std::vector<std::string>& options) {
  folder_ = new_folder();
  std::vector<std::string> words{NUMATCH_EXECUTABLE, "trace", "-o", (folder_ / "t.nmt").string()};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", NUMATCH_GUESTS "/" + guest});
  words.insert(words.end(), arguments.begin(), arguments.end());
  command_.emplace(words, std::map<std::string, std::string>{}, folder_);
}

recorded::recorded(const std::string& guest, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& options) {
  start(guest, arguments, options);
  finish();
}

recorded::recorded(later, const std::string& guest, const std::vector<std::string>& arguments) {
  start(guest, arguments, {});
}

void recorded::finish() {
  end_ = command_->wait();
  result<trace::reader> opened = trace::reader::open(folder_ / "t.nmt");
  if (!opened) {
    ADD_FAILURE() << opened.error().message() << "\nexit code " << end_.code << "\n" << end_.err;
    return;
  }
  trace_.emplace(std::move(*opened));
  for (const trace::thread_info& thread : trace_->threads()) {
    trace::event_cursor cursor = trace_->events_of(thread.id);
    for (;;) {
      const result<const trace::event*> next = cursor.next();
      ASSERT_TRUE(next) << next.error().message();
      if (*next == nullptr) break;
      events_.push_back({thread.id.value, **next, std::string((*next)->text)});
    }
  }
  std::sort(events_.begin(), events_.end(),
            [](const seen_event& a, const seen_event& b) { return a.event.stamp < b.event.stamp; });
}

recorded::~recorded() {
  fs::remove_all(folder_);
}

std::vector<seen_event> recorded::events(trace::event_kind kind) const {
  std::vector<seen_event> wanted;
  for (const seen_event& e : events_) {
    if (e.event.kind == kind) wanted.push_back(e);
  }
  return wanted;
}

seen_event recorded::label(const std::string& name) const {
  for (const seen_event& e : events(trace::event_kind::label)) {
    if (e.text == name) return e;
  }
  ADD_FAILURE() << "no label '" << name << "'";
  return {};
}

std::map<std::uint32_t, tally> recorded::accesses(const std::string& label) const {
  std::map<std::uint32_t, tally> found;
  if (!trace_) return found;
  const seen_event range = this->label(label);
  const std::uint64_t begin = range.event.args[0];
  const std::uint64_t end = begin + range.event.args[1];
  for (const trace::thread_info& thread : trace_->threads()) {
    trace::access_cursor cursor = trace_->accesses_of(thread.id);
    for (;;) {
      const result<trace::block> next = cursor.next();
      if (!next) ADD_FAILURE() << next.error().message();
      if (!next || next->accesses.empty()) break;
      for (const trace::access& a : next->accesses) {
        if (a.address < begin || a.address + a.bytes > end) continue;
        tally& t = found[thread.id.value];
        (a.write ? t.writes : t.reads) += 1;
        (a.write ? t.written_bytes : t.read_bytes) += a.bytes;
      }
    }
  }
  return found;
}

tally recorded::total(const std::string& label) const {
  tally sum;
  for (const auto& [thread, part] : accesses(label)) {
    sum.reads += part.reads;
    sum.writes += part.writes;
    sum.read_bytes += part.read_bytes;
    sum.written_bytes += part.written_bytes;
  }
  return sum;
}

scratch_folder::scratch_folder() : path_(new_folder()) {}

scratch_folder::~scratch_folder() {
  fs::remove_all(path_);
}

}  // namespace numatch::capture
