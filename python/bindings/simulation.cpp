// SPDX-License-Identifier: Apache-2.0
#include "report/simulation.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/errors.hpp"
#include "bindings/parts.hpp"
#include "bindings/waiting.hpp"
#include "cli/simulate_description.hpp"
#include "cli/simulate_request.hpp"

namespace numatch::python {

namespace nb = nanobind;

namespace {

using cli::simulate_plan;
using cli::simulate_request;
using progress_function = std::function<void(std::uint64_t, std::uint64_t)>;

/// Two JSON texts: the runs, and how they went over time.
nb::tuple simulate(const trace::reader& trace, const simulate_request& request, unsigned jobs,
                   const progress_function& progress) {
  const simulate_plan plan = take(plan_of(request));
  take(check_trace(plan, trace));
  const std::unique_ptr<sim::program> traced = take(sim::trace_program(trace));
  std::atomic<std::uint64_t> done = 0;
  const std::uint64_t all = traced->accesses() * plan.runs.size();
  result<std::vector<sim::run_result>> runs;
  run_waiting(
      [&](const std::atomic<bool>& stop) {
        runs = sim::simulate(
            plan.machine, plan.config, *traced, plan.runs, jobs,
            [&](std::uint64_t so_far) { done = so_far; }, stop);
      },
      [&] {
        if (progress) progress(done, all);
      });
  const report::simulation described =
      describe_runs(request, plan, trace, *traced, take(std::move(runs)));
  return nb::make_tuple(json_simulation(described), json_timeline(described));
}

}  // namespace

void bind_simulation(nb::module_& m) {
  nb::class_<simulate_request>(m, "SimulateRequest")
      .def(nb::init<>())
      .def_rw("machine", &simulate_request::machine)
      .def_rw("mechanisms", &simulate_request::mechanisms)
      .def_rw("baseline", &simulate_request::baseline)
      .def_rw("only", &simulate_request::only)
      .def_rw("parameters", &simulate_request::parameters)
      .def_rw("settings", &simulate_request::settings)
      .def_rw("threads", &simulate_request::threads)
      .def_rw("pages", &simulate_request::pages)
      .def_rw("seed", &simulate_request::seed)
      .def_rw("phase_cycles", &simulate_request::phase_cycles)
      .def_rw("time_scale", &simulate_request::time_scale)
      .def_rw("region_of_interest", &simulate_request::region_of_interest)
      .def_rw("timeline_cycles", &simulate_request::timeline_cycles);
  m.def("simulate", &simulate, nb::arg("trace"), nb::arg("request"), nb::arg("jobs"),
        nb::arg("progress").none());
}

}  // namespace numatch::python
