// SPDX-License-Identifier: Apache-2.0
#include "control/run_control.hpp"

#include <poll.h>

#include <memory>
#include <utility>

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

void wait_for_end(const live::observed_process& process, const std::atomic<bool>& stop,
                  std::uint64_t end) {
  while (process.alive() && !stop && live::now_nanoseconds() < end) {
    pollfd awaited{process.pidfd(), POLLIN, 0};
    constexpr int milliseconds = 50;
    ::poll(&awaited, 1, milliseconds);
  }
}

class control_loop {
 public:
  control_loop(live::observed_process& process, const run_options& options,
               const std::atomic<bool>& stop, const run_listener& listener)
      : process_(process), options_(options), stop_(stop), listener_(listener) {}

  result<run_status> run() {
    const result<topology> machine = topology::load("live");
    if (!machine) return tl::unexpected(machine.error());
    status_.nodes = machine->node_count();
    began_ = live::now_nanoseconds();
    end_ = began_ + static_cast<std::uint64_t>(options_.seconds.value_or(1e9) * 1e9);
    if (machine->node_count() < 2) {
      listener_.ready();
      wait_for_end(process_, stop_, end_);
      return finish();
    }
    return place(*machine);
  }

 private:
  result<run_status> place(const topology& machine) {
    const live::system_facts here = live::read_system_facts();
    live::page_mover_options pages = live::options_for(here.kernel);
    pages.bytes_per_second = options_.page_bytes_per_second.value_or(pages.bytes_per_second);
    result<std::unique_ptr<linux_program>> program = linux_program::open(process_, machine, pages);
    if (!program) return tl::unexpected(program.error());
    bool decided = false;
    const result<std::unique_ptr<decider>> decides =
        make_decider(**program, options_, inducer(), [&](const decision& told) {
          decided = true;
          if (listener_.decided) listener_.decided(told);
        });
    if (!decides) return tl::unexpected(decides.error());
    result<live::opened_sensor> opened = open_sensor(here);
    if (!opened) return tl::unexpected(opened.error());
    status_.sensor = opened->entry->name;
    status_.note = opened->note;
    live::running_program running(process_);
    // The mechanism decides what faults, and when, as the kernel does for other sensors.
    const live::arming how = views_ != nullptr ? live::arming::by_kernel : opened->entry->how;
    live::sensing senses(running, *opened->senses, how, !opened->entry->sees_reads,
                         options_.sensing, **decides);
    listener_.ready();
    bool pages_waited = false;
    while (process_.alive() && !stop_ && live::now_nanoseconds() < end_) {
      if (result<void> r = step(senses, **decides, **program); !r) {
        if (process_.alive()) return tl::unexpected(r.error());
        break;
      }
      if (pages_waited && !(*program)->pages_wait()) senses.look_again();
      pages_waited = (*program)->pages_wait();
      if (std::exchange(decided, false) && listener_.status) {
        note(senses, *opened->senses, **decides, **program);
        listener_.status(status_);
      }
      live::sleep_a_round(*opened->senses, process_, options_.sensing.round);
    }
    note(senses, *opened->senses, **decides, **program);
    return finish();
  }

  fault_inducer inducer() {
    return [this](const fault_plan& plan) {
      return views_ != nullptr ? views_->induce(plan) : result<void>{};
    };
  }

  /// Where the module does not take this program, "auto" goes on to a sensor that does; MVAS
  /// cannot.
  result<live::opened_sensor> open_sensor(const live::system_facts& here) {
    if (!wants_views(options_, here.module)) {
      return live::open_sensor(options_.sensor, here, process_);
    }
    const result<const live::sensor_entry*> entry = live::choose_sensor("module", here);
    if (!entry) return tl::unexpected(entry.error());
    result<std::unique_ptr<live::view_sensor>> made = live::view_sensor::open(
        process_, live::view_sensor::closing::by_plan_only, options_.sensing.pages.seed);
    if (!made && options_.sensor == "auto" && options_.mechanism != "mvas") {
      return live::open_sensor(options_.sensor, here, process_);
    }
    if (!made) return tl::unexpected(made.error());
    views_ = made->get();
    return live::opened_sensor{*entry, std::move(*made), ""};
  }

  static result<void> step(live::sensing& senses, decider& decides, linux_program& program) {
    if (result<void> r = senses.step(live::now_nanoseconds()); !r) return r;
    if (result<void> r = program.step(); !r) return r;
    return decides.step(live::now_nanoseconds());
  }

  void note(const live::sensing& senses, const live::sensor& sensor, const decider& decides,
            const linux_program& program) {
    status_.limits = sensor.limits();
    status_.seconds = static_cast<double>(live::now_nanoseconds() - began_) / 1e9;
    status_.control = decides.totals();
    status_.sensing = senses.totals();
    status_.pages = program.page_totals();
  }

  run_status finish() {
    status_.seconds = static_cast<double>(live::now_nanoseconds() - began_) / 1e9;
    if (listener_.status) listener_.status(status_);
    return status_;
  }

  live::observed_process& process_;
  const run_options& options_;
  const std::atomic<bool>& stop_;
  const run_listener& listener_;
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
  return control_loop(process, options, stop, listener).run();
}

}  // namespace numatch::control
