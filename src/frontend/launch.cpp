// SPDX-License-Identifier: Apache-2.0
#include "frontend/launch.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace numatch::frontend {

namespace {

bool interrupted() {
  sigset_t pending;
  ::sigpending(&pending);
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGQUIT) == 1 ||
         sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1;
}

std::vector<std::string> environment_of(const launch_plan& plan) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    bool keep = !plan.environment.contains(name);
    for (const std::string& removed : plan.removed_environment) keep = keep && name != removed;
    if (keep) variables.push_back(text);
  }
  for (const auto& [name, value] : plan.environment)
    variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Whether execve worked: a pipe that it closes, or through which its errno comes.
int error_from(int descriptor) {
  int code = 0;
  ssize_t got = 0;
  do {
    got = ::read(descriptor, &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof code) ? code : 0;
}

result<outcome> wait_for(pid_t child, std::chrono::milliseconds between_ticks,
                         const std::function<void()>& tick) {
  const sigset_t set = watched_signals();
  const timespec pause{between_ticks.count() / 1000, between_ticks.count() % 1000 * 1'000'000};
  for (;;) {
    outcome ended;
    const pid_t reaped = ::waitpid(child, &ended.status, WNOHANG);
    if (reaped == child) return ended;
    if (reaped < 0 && errno != EINTR) {
      return fail("waitpid", std::strerror(errno));
    }
    siginfo_t arrived{};
    const int signal = ::sigtimedwait(&set, &arrived, &pause);
    if (signal > 0 && signal != SIGCHLD) pass_on(arrived, child);
    if (signal < 0) tick();
  }
}

}  // namespace

bool outcome::exited() const {
  return WIFEXITED(status);
}
int outcome::signal() const {
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
int outcome::exit_code() const {
  return exited() ? WEXITSTATUS(status) : 128 + signal();
}

result<outcome> launch(const launch_plan& plan, const signals_held& held,
                       std::chrono::milliseconds between_ticks, const std::function<void()>& tick) {
  if (interrupted()) return fail("", "interrupted before the program was started");
  std::vector<std::string> arguments = plan.arguments;
  std::vector<std::string> variables = environment_of(plan);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(variables);
  int answer[2];
  if (::pipe2(answer, O_CLOEXEC) != 0) return fail("pipe", std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) {
    const int code = errno;
    ::close(answer[0]);
    ::close(answer[1]);
    return fail("fork", std::strerror(code));
  }
  if (child == 0) {
    held.restore();
    ::execve(plan.executable.c_str(), argv.data(), envp.data());
    const int code = errno;
    if (::write(answer[1], &code, sizeof code) < 0) ::_exit(126);
    ::_exit(127);
  }
  ::close(answer[1]);
  const int code = error_from(answer[0]);
  ::close(answer[0]);
  if (code != 0) {
    ::waitpid(child, nullptr, 0);
    return fail(plan.executable.string(),
                fmt::format("cannot be started: {}", std::strerror(code)));
  }
  return wait_for(child, between_ticks, tick);
}

}  // namespace numatch::frontend
