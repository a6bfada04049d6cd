// SPDX-License-Identifier: Apache-2.0
#include "ring_program/session.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>
#include <iostream>

#include "ring_program/cpus.hpp"
#include "ring_program/random.hpp"
#include "ring_program/report.hpp"
#include "ring_program/stress.hpp"

namespace ring {

namespace {

constexpr std::uint64_t creation_stream = 1'000'002;

sigset_t served_signals() {
  sigset_t served;
  sigemptyset(&served);
  for (const int signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGINT}) sigaddset(&served, signal);
  return served;
}

}  // namespace

void block_signals() {
  const sigset_t served = served_signals();
  pthread_sigmask(SIG_BLOCK, &served, nullptr);
}

session::session(const options& chosen, const memory& pages, start_line& start, unsigned process,
                 std::vector<pid_t> others)
    : chosen_(chosen), pages_(pages), start_(start), process_(process), others_(std::move(others)) {
  for (unsigned thread = process; thread < chosen.threads; thread += chosen.processes) {
    workers_.emplace_back(chosen, pages, thread);
  }
}

void session::thread_body(worker& self, int cpu) {
  self.task = gettid();
  std::optional<bound_to_cpu> bound;
  if (chosen_.cpus != cpu_use::free) bound.emplace(cpu);
  if (chosen_.cpus == cpu_use::kept) bound->keep();
  if (chosen_.touch == first_touch::users) self.touch();
  start_.wait();
  bound.reset();
  self.run(control_);
}

void session::create_threads() {
  const std::vector<int> cpus = start_cpus(chosen_);
  random source(chosen_.seed, creation_stream);
  std::vector<unsigned> order(workers_.size());
  std::iota(order.begin(), order.end(), 0U);
  if (chosen_.random_creation) order = shuffled(static_cast<unsigned>(order.size()), source);
  for (const unsigned next : order) {
    worker& self = workers_[next];
    threads_.emplace_back([this, &self, cpu = cpus[self.thread()]] { thread_body(self, cpu); });
  }
}

void session::report(std::optional<std::uint64_t> errors) const {
  const std::string text =
      report_text(chosen_, pages_, workers_, disturbance_, control_.phase, errors);
  if (!chosen_.report.empty()) {
    const std::string suffix = process_ == 0 ? "" : "." + std::to_string(process_);
    write_report(chosen_.report + suffix, text);
  } else if (errors) {
    std::cout << text << std::flush;
  }
}

/// Until the program is told to end or has nothing more to do.
void session::serve_signals() {
  const sigset_t served = served_signals();
  constexpr timespec often{0, 50'000'000};
  while (control_.finished < workers_.size() || !disturbance_.finished) {
    const int signal = sigtimedwait(&served, nullptr, &often);
    if (signal < 0) continue;
    for (const pid_t other : others_) kill(other, signal);
    if (signal == SIGTERM || signal == SIGINT) break;
    if (signal == SIGUSR2) control_.phase = (control_.phase + 1) % phases;
    if (signal == SIGUSR1) report(std::nullopt);
  }
}

bool session::run() {
  create_threads();
  start_.wait();
  std::thread beside;
  if (process_ == 0 && disturbance::rounds_of(chosen_) > 0) {
    beside = std::thread([this] { disturbance_.make(chosen_, pages_, control_.stop); });
  } else {
    disturbance_.finished = true;
  }
  std::vector<std::thread> stressing;
  for (unsigned number = 0; number < chosen_.stress; ++number) {
    stressing.emplace_back([this, number] {
      disturbance_.failed += stress_beside(pages_, chosen_.seed + number, control_.stop);
    });
  }
  report(std::nullopt);
  serve_signals();
  control_.stop = true;
  for (std::thread& thread : threads_) thread.join();
  if (beside.joinable()) beside.join();
  for (std::thread& thread : stressing) thread.join();
  std::uint64_t errors = 0;
  for (const worker& one : workers_) errors += one.errors();
  report(errors);
  return errors == 0 && disturbance_.failed == 0;
}

}  // namespace ring
