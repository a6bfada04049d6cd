// SPDX-License-Identifier: Apache-2.0
// What there is by name: mechanisms, mapping algorithms, machines.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/parts.hpp"
#include "mapping/mapper.hpp"
#include "mechanism/mechanism.hpp"
#include "topology/machine_folders.hpp"

namespace numatch::python {

namespace nb = nanobind;

namespace {

nb::list parameters_of(const mechanism_entry& entry) {
  nb::list parameters;
  for (const parameter& p : entry.parameters) {
    parameters.append(nb::make_tuple(p.name, p.fallback, p.unit, p.help));
  }
  return parameters;
}

template <class Kinds>
nb::list words_of(const Kinds& kinds) {
  nb::list words;
  for (const auto kind : kinds) words.append(to_string(kind));
  return words;
}

/// (name, summary, source, unit of its matrix, senses, acts, parameters) each.
nb::list mechanisms() {
  nb::list rows;
  for (const mechanism_entry* entry : all_mechanisms()) {
    rows.append(nb::make_tuple(entry->name, entry->summary, entry->source, entry->matrix_unit,
                               words_of(entry->needs), words_of(entry->acts),
                               parameters_of(*entry)));
  }
  return rows;
}

/// (name, summary) each.
nb::list algorithms() {
  nb::list rows;
  for (const mapping_algorithm* algorithm : all_algorithms()) {
    rows.append(nb::make_tuple(algorithm->name, algorithm->summary));
  }
  return rows;
}

}  // namespace

void bind_catalogue(nb::module_& m) {
  m.def("mechanisms", &mechanisms);
  m.def("algorithms", &algorithms);
  m.def("machine_names", &machine_names);
}

}  // namespace numatch::python
