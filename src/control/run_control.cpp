// SPDX-License-Identifier: Apache-2.0
#include "control/run_control.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "control/joined_program.hpp"
#include "control/linux_program.hpp"
#include "control/mechanism_decider.hpp"
#include "live/running_program.hpp"
#include "live/view_sensor.hpp"
#include "mechanism/parameters.hpp"

namespace numatch::control {

namespace {

result<std::unique_ptr<mechanism>> make_mechanism(const mechanism_entry& entry,
                                                  const run_options& options) {
  const result<parameter_set> values = parameter_set::make(entry.parameters, options.parameters);
  if (!values) return tl::unexpected(values.error());
  return entry.make(*values);
}

/// Whether the kernel module shall do what the mechanism asks for.
bool wants_views(const run_options& options, const live::kernel_module_facts& module) {
  const bool may = options.sensor == "module" || (options.sensor == "auto" && module.usable);
  const result<const mechanism_entry*> entry = find_mechanism(options.mechanism);
  return may && entry && induces_by_views(**entry);
}

result<std::unique_ptr<decider>> make_decider(managed_program& program, const run_options& options,
                                              const fault_inducer& induces,
                                              const decision_log& log) {
  if (options.mechanism == own_mechanism) {
    control_options chosen = options.control;
    chosen.rules.cached_bytes =
        options.cached_bytes.value_or(private_cache_bytes(program.machine()));
    return std::make_unique<controller>(program, chosen, log);
  }
  const result<const mechanism_entry*> entry = find_mechanism(options.mechanism);
  if (!entry) return tl::unexpected(entry.error());
  result<std::unique_ptr<mechanism>> made = make_mechanism(**entry, options);
  if (!made) return tl::unexpected(made.error());
  return std::make_unique<mechanism_decider>(program, **entry, std::move(*made),
                                             options.sensing.pages.seed, options.control.dry_run,
                                             log, induces);
}

/// One of the processes that are managed together: who acts on it and who senses it.
struct managed_process {
  live::observed_process& process;
  std::unique_ptr<linux_program> program;
  std::unique_ptr<member_sink> sink{};  ///< null when it is the only one
  live::opened_sensor opened{};
  std::unique_ptr<live::running_program> running{};
  std::unique_ptr<live::sensing> senses{};
  bool pages_waited = false;
};

void add_to(live::sensing_totals& sum, const live::sensing_totals& more) {
  sum.uses += more.uses;
  sum.lost += more.lost;
  sum.unwatched += more.unwatched;
  sum.armed += more.armed;
  sum.refused += more.refused;
  sum.watched_pages += more.watched_pages;
  sum.never_sensed += more.never_sensed;
  sum.cost += more.cost;
  sum.program_time += more.program_time;
}

void add_to(live::page_mover_totals& sum, const live::page_mover_totals& more) {
  sum.moved_pages += more.moved_pages;
  sum.moved_bytes += more.moved_bytes;
  for (std::size_t r = 0; r < sum.stayed.size(); ++r) sum.stayed[r] += more.stayed[r];
  sum.longest_call = std::max(sum.longest_call, more.longest_call);
}

class control_loop {
 public:
  control_loop(std::span<live::observed_process* const> processes, const run_options& options,
               const std::atomic<bool>& stop, const run_listener& listener)
      : processes_(processes), options_(options), stop_(stop), listener_(listener) {}

  result<run_status> run() {
    if (processes_.empty() || processes_.size() > joined_program::most_members) {
      return fail("run", fmt::format("{} processes cannot be managed together", processes_.size()),
                  fmt::format("give 1 to {}", joined_program::most_members));
    }
    const result<topology> machine = topology::load("live");
    if (!machine) return tl::unexpected(machine.error());
    status_.nodes = machine->node_count();
    began_ = live::now_nanoseconds();
    end_ = began_ + static_cast<std::uint64_t>(options_.seconds.value_or(1e9) * 1e9);
    if (machine->node_count() < 2) {
      listener_.ready();
      while (goes_on()) wait_a_while();
      return finish();
    }
    return place(*machine);
  }

 private:
  bool goes_on() const {
    const bool alive = std::any_of(processes_.begin(), processes_.end(),
                                   [](const live::observed_process* p) { return p->alive(); });
    return alive && !stop_ && live::now_nanoseconds() < end_;
  }

  void wait_a_while() const {
    for (const live::observed_process* process : processes_) {
      if (!process->alive()) continue;
      pollfd awaited{process->pidfd(), POLLIN, 0};
      constexpr int milliseconds = 50;
      ::poll(&awaited, 1, milliseconds);
      return;
    }
  }

  result<run_status> place(const topology& machine) {
    const live::system_facts here = live::read_system_facts();
    if (result<void> r = open_programs(machine, here); !r) return tl::unexpected(r.error());
    managed_program* all = managed_.front().program.get();
    if (managed_.size() > 1) {
      joined_ = join();
      if (result<void> r = joined_->look_at_memory(); !r) return tl::unexpected(r.error());
      all = joined_.get();
    }
    bool decided = false;
    result<std::unique_ptr<decider>> decides =
        make_decider(*all, options_, inducer(), [&](const decision& told) {
          decided = true;
          if (listener_.decided) listener_.decided(told);
        });
    if (!decides) return tl::unexpected(decides.error());
    decides_ = std::move(*decides);
    if (result<void> r = open_sensors(here); !r) return tl::unexpected(r.error());
    listener_.ready();
    while (goes_on()) {
      if (result<void> r = step(); !r) return tl::unexpected(r.error());
      if (std::exchange(decided, false) && listener_.status) {
        note();
        listener_.status(status_);
      }
      sleep_a_round();
    }
    note();
    return finish();
  }

  fault_inducer inducer() {
    return [this](const fault_plan& plan) {
      return views_ != nullptr ? views_->induce(plan) : result<void>{};
    };
  }

  /// Where the module does not take this program, "auto" goes on to a sensor that does; MVAS
  /// cannot.
  result<live::opened_sensor> open_sensor(const live::system_facts& here,
                                          live::observed_process& process) {
    // What a mechanism asks for names the pages of one process.
    if (joined_ || !wants_views(options_, here.module)) {
      return live::open_sensor(options_.sensor, here, process);
    }
    const result<const live::sensor_entry*> entry = live::choose_sensor("module", here);
    if (!entry) return tl::unexpected(entry.error());
    result<std::unique_ptr<live::view_sensor>> made = live::view_sensor::open(
        process, live::view_sensor::closing::by_plan_only, options_.sensing.pages.seed);
    if (!made && options_.sensor == "auto" && options_.mechanism != "mvas") {
      return live::open_sensor(options_.sensor, here, process);
    }
    if (!made) return tl::unexpected(made.error());
    views_ = made->get();
    return live::opened_sensor{*entry, std::move(*made), ""};
  }

  result<void> open_programs(const topology& machine, const live::system_facts& here) {
    live::page_mover_options pages = live::options_for(here.kernel);
    pages.bytes_per_second = options_.page_bytes_per_second.value_or(pages.bytes_per_second) /
                             static_cast<double>(processes_.size());
    pages.shared_too = processes_.size() > 1;
    for (live::observed_process* process : processes_) {
      result<std::unique_ptr<linux_program>> program =
          linux_program::open(*process, machine, pages);
      if (!program) return tl::unexpected(program.error());
      managed_.push_back({.process = *process, .program = std::move(*program)});
    }
    return {};
  }

  std::unique_ptr<joined_program> join() const {
    std::vector<joined_program::member> members;
    for (const managed_process& each : managed_) {
      const live::observed_process& process = each.process;
      members.push_back({each.program.get(), [&process] { return process.mappings(); }});
    }
    return std::make_unique<joined_program>(std::move(members));
  }

  result<void> open_sensors(const live::system_facts& here) {
    for (std::size_t m = 0; m < managed_.size(); ++m) {
      managed_process& each = managed_[m];
      result<live::opened_sensor> opened = open_sensor(here, each.process);
      if (!opened) return tl::unexpected(opened.error());
      each.opened = std::move(*opened);
      if (joined_) each.sink = std::make_unique<member_sink>(*joined_, m, *decides_);
      live::use_sink& sink = each.sink ? static_cast<live::use_sink&>(*each.sink) : *decides_;
      const live::sensor_entry& entry = *each.opened.entry;
      each.running = std::make_unique<live::running_program>(each.process);
      // The mechanism decides what faults, and when, as the kernel does for other sensors.
      const live::arming how = views_ != nullptr ? live::arming::by_kernel : entry.how;
      each.senses = std::make_unique<live::sensing>(*each.running, *each.opened.senses, how,
                                                    !entry.sees_reads, options_.sensing, sink);
    }
    status_.sensor = managed_.front().opened.entry->name;
    status_.note = managed_.front().opened.note;
    return {};
  }

  /// What fails because a process ends in that moment is no error.
  result<void> step() {
    for (managed_process& each : managed_) {
      if (!each.process.alive()) continue;
      result<void> done = each.senses->step(live::now_nanoseconds());
      if (done) done = each.program->step();
      if (!done && each.process.alive()) return done;
      const bool waits = each.program->pages_wait();
      if (each.pages_waited && !waits) each.senses->look_again();
      each.pages_waited = waits;
    }
    const result<void> decided = decides_->step(live::now_nanoseconds());
    return decided || !all_alive() ? result<void>{} : decided;
  }

  bool all_alive() const {
    return std::all_of(processes_.begin(), processes_.end(),
                       [](const live::observed_process* p) { return p->alive(); });
  }

  void sleep_a_round() const {
    for (const managed_process& each : managed_) {
      if (!each.process.alive()) continue;
      const std::uint64_t round =
          each.program->pages_wait() ? options_.sensing.round : each.senses->round();
      live::sleep_a_round(*each.opened.senses, each.process, round);
      return;
    }
  }

  void note() {
    status_.seconds = static_cast<double>(live::now_nanoseconds() - began_) / 1e9;
    status_.control = decides_->totals();
    status_.sensing = {};
    status_.pages = {};
    status_.limits = managed_.front().opened.senses->limits();
    for (const managed_process& each : managed_) {
      add_to(status_.sensing, each.senses->totals());
      add_to(status_.pages, each.program->page_totals());
    }
  }

  run_status finish() {
    status_.seconds = static_cast<double>(live::now_nanoseconds() - began_) / 1e9;
    if (listener_.status) listener_.status(status_);
    return status_;
  }

  std::span<live::observed_process* const> processes_;
  const run_options& options_;
  const std::atomic<bool>& stop_;
  const run_listener& listener_;
  std::unique_ptr<joined_program> joined_;  ///< null when there is one process
  std::unique_ptr<decider> decides_;
  std::vector<managed_process> managed_;  ///< its sensors end before who decides
  run_status status_;
  live::view_sensor* views_ = nullptr;  ///< that the mechanism asks for faults; of the sensor
  std::uint64_t began_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

result<void> check_run(const run_options& options) {
  if (options.mechanism == own_mechanism) {
    if (options.parameters.empty()) return {};
    return fail("--param", "the mechanism numatch has no parameters");
  }
  const result<const mechanism_entry*> entry = find_mechanism(options.mechanism);
  if (!entry) return tl::unexpected(entry.error());
  const bool views = wants_views(options, live::read_system_facts().module);
  if (result<void> fits = check_runs_live(**entry, views); !fits) return fits;
  const result<std::unique_ptr<mechanism>> made = make_mechanism(**entry, options);
  return made ? result<void>{} : tl::unexpected(made.error());
}

result<run_status> run_control(live::observed_process& process, const run_options& options,
                               const std::atomic<bool>& stop, const run_listener& listener) {
  live::observed_process* const only = &process;
  return control_loop(std::span(&only, 1), options, stop, listener).run();
}

result<run_status> run_control_jointly(std::span<live::observed_process* const> processes,
                                       const run_options& options, const std::atomic<bool>& stop,
                                       const run_listener& listener) {
  return control_loop(processes, options, stop, listener).run();
}

}  // namespace numatch::control
