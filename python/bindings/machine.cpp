// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/errors.hpp"
#include "bindings/parts.hpp"
#include "topology/topology.hpp"

namespace numatch::python {

namespace nb = nanobind;

namespace {

/// value(pu) of every PU.
template <class Value>
array<std::uint32_t, 1> per_pu(const topology& machine, const Value& value) {
  std::vector<std::uint32_t> values(machine.pu_count());
  for (std::uint32_t pu = 0; pu < values.size(); ++pu) values[pu] = value(pu_id(pu));
  return as_array(std::move(values));
}

array<double, 2> node_distances(const topology& machine) {
  const auto nodes = static_cast<std::uint32_t>(machine.node_count());
  std::vector<double> cells;
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = 0; b < nodes; ++b) {
      cells.push_back(machine.node_distance(node_id(a), node_id(b)));
    }
  }
  return as_array<2>(std::move(cells), {nodes, nodes});
}

array<std::uint32_t, 2> pu_distances(const topology& machine) {
  const auto pus = static_cast<std::uint32_t>(machine.pu_count());
  std::vector<std::uint32_t> cells;
  for (std::uint32_t a = 0; a < pus; ++a) {
    for (std::uint32_t b = 0; b < pus; ++b) cells.push_back(machine.distance(pu_id(a), pu_id(b)));
  }
  return as_array<2>(std::move(cells), {pus, pus});
}

/// (key, value, unit, source) each.
nb::list facts(const topology& machine) {
  nb::list rows;
  for (const topology::fact& fact : machine.facts()) {
    rows.append(nb::make_tuple(fact.key, fact.value, fact.unit, fact.source));
  }
  return rows;
}

}  // namespace

void bind_machine(nb::module_& m) {
  nb::class_<topology>(m, "Topology")
      .def_prop_ro("name", &topology::name)
      .def_prop_ro("pus", &topology::pu_count)
      .def_prop_ro("nodes", &topology::node_count)
      .def_prop_ro("distances_known", &topology::distances_known)
      .def_prop_ro("arities", &topology::arities)
      .def("node_of_pu",
           [](const topology& t) {
             return per_pu(t, [&](pu_id pu) { return t.node_of(pu).value; });
           })
      .def("core_of_pu",
           [](const topology& t) { return per_pu(t, [&](pu_id pu) { return t.core_of(pu); }); })
      .def("os_index",
           [](const topology& t) { return per_pu(t, [&](pu_id pu) { return t.os_index(pu); }); })
      .def("node_distances", &node_distances)
      .def("pu_distances", &pu_distances)
      .def("facts", &facts);
  m.def("load_topology", [](const std::string& spec) { return take(topology::load(spec)); });
}

}  // namespace numatch::python
