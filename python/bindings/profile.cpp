// SPDX-License-Identifier: Apache-2.0
#include "pattern/profile.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>

#include "bindings/arrays.hpp"
#include "bindings/errors.hpp"
#include "bindings/parts.hpp"
#include "bindings/waiting.hpp"
#include "profiler/profile_trace.hpp"

namespace numatch::python {

namespace nb = nanobind;

namespace {

// page_use as numatch.profiles sees it.
static_assert(sizeof(page_use) == 40 && offsetof(page_use, first_page) == 0 &&
              offsetof(page_use, pages) == 8 && offsetof(page_use, window) == 16 &&
              offsetof(page_use, thread) == 20 && offsetof(page_use, reads) == 24 &&
              offsetof(page_use, writes) == 32);

array<const double, 2> sharing(const profile& p) {
  const std::size_t threads = p.sharing.size();
  return {p.sharing.cells().data(), {threads, threads}, nb::find(p)};
}

/// (os tid, name, start, end, accesses, instructions) each.
nb::list threads(const profile& p) {
  nb::list rows;
  for (const profiled_thread& t : p.threads) {
    rows.append(nb::make_tuple(t.os_tid, t.name, t.start, t.end, t.accesses, t.instructions));
  }
  return rows;
}

/// (start, end) each.
nb::list windows(const profile& p) {
  nb::list rows;
  for (const time_window& w : p.windows) rows.append(nb::make_tuple(w.start, w.end));
  return rows;
}

/// (kind, name, function, file, line, bytes, blocks, accesses, shared pages, shared accesses by
/// thread) each.
nb::list objects(const profile& p) {
  nb::list rows;
  for (const data_object& o : p.objects) {
    rows.append(nb::make_tuple(to_string(o.kind), o.name, o.function, o.file, o.line, o.bytes,
                               o.blocks, o.accesses, o.shared_pages, o.shared_accesses));
  }
  return rows;
}

/// (line address, object or -1, accesses, writes, [(thread, bytes read, bytes written, accesses)])
/// each.
nb::list false_shares(const profile& p) {
  nb::list rows;
  for (const false_sharing& line : p.false_shares) {
    nb::list parts;
    for (const false_sharing::part& part : line.parts) {
      parts.append(
          nb::make_tuple(part.thread.value, part.bytes_read, part.bytes_written, part.accesses));
    }
    rows.append(nb::make_tuple(line.line_address, line.object, line.accesses, line.writes, parts));
  }
  return rows;
}

profile load(const std::filesystem::path& path) {
  result<profile> loaded;
  run_waiting([&](const std::atomic<bool>&) { loaded = load_profile(path); });
  return take(std::move(loaded));
}

void save(const profile& learned, const std::filesystem::path& path) {
  result<void> saved;
  run_waiting([&](const std::atomic<bool>&) { saved = save_profile(learned, path); });
  take(std::move(saved));
}

using progress_function = std::function<void(std::uint64_t, std::uint64_t)>;

profile learn(const trace::reader& trace, const std::string& mechanism,
              std::map<std::string, std::string> parameters, unsigned windows,
              std::uint64_t quantum, bool region_of_interest, bool objects,
              const progress_function& progress) {
  const mechanism_entry* const wanted = take(find_mechanism(mechanism));
  profile_options options;
  options.parameters = std::move(parameters);
  options.replay = {quantum, region_of_interest};
  options.most_windows = windows;
  options.objects = objects;
  result<profile> learned;
  std::atomic<std::uint64_t> done = 0;
  const std::uint64_t all = trace.accesses();
  run_waiting(
      [&](const std::atomic<bool>& stop) {
        learned = profile_trace(trace, *wanted, options, [&](std::uint64_t so_far, std::uint64_t) {
          stop_here(stop);
          done = so_far;
        });
      },
      [&] {
        if (progress) progress(done, all);
      });
  return take(std::move(learned));
}

}  // namespace

void bind_profile(nb::module_& m) {
  nb::class_<profile>(m, "ProfileData")
      .def_ro("command", &profile::command)
      .def_ro("mechanism", &profile::mechanism)
      .def_ro("frontend", &profile::frontend)
      .def_ro("matrix_unit", &profile::matrix_unit)
      .def_ro("time_unit", &profile::time_unit)
      .def_ro("page_bytes", &profile::page_bytes)
      .def_ro("total_accesses", &profile::total_accesses)
      .def_ro("metadata", &profile::metadata)
      .def_ro("parameters", &profile::parameters)
      .def_prop_ro("evidence", [](const profile& p) { return to_string(p.how); })
      .def("sharing", &sharing)
      .def("pages", [](const profile& p) { return bytes_of(std::span(p.pages), nb::find(p)); })
      .def("threads", &threads)
      .def("windows", &windows)
      .def("objects", &objects)
      .def("false_sharing", &false_shares)
      .def("save", &save);
  m.def("load_profile", &load);
  m.def("learn_profile", &learn, nb::arg("trace"), nb::arg("mechanism"), nb::arg("parameters"),
        nb::arg("windows"), nb::arg("quantum"), nb::arg("region_of_interest"), nb::arg("objects"),
        nb::arg("progress").none());
}

}  // namespace numatch::python
