// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/atomic_file.hpp"
#include "base/suggest.hpp"
#include "bindings/arrays.hpp"
#include "bindings/errors.hpp"
#include "bindings/parts.hpp"
#include "bindings/waiting.hpp"
#include "mapping/comparison.hpp"
#include "mapping/mapping_file.hpp"
#include "mapping/request_check.hpp"
#include "pattern/profile.hpp"

namespace numatch::python {

namespace nb = nanobind;

namespace {

using square = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct placed_runs_record {
  std::uint64_t first_page;
  std::uint64_t pages;
  std::uint32_t node;
  std::uint32_t unused;
};

/// What is asked, and the memory that the request refers to.
struct asked {
  sharing_matrix sharing;
  std::optional<distance_table> distances;
  std::vector<pu_id> allowed;
  std::vector<std::optional<pu_id>> pinned;
  std::vector<double> weights;
  std::optional<thread_mapping> current;
  std::optional<double> move_cost;
  mapping_budget budget = mapping_budget::standard;
  fill_policy policy = fill_policy::automatic;
  double alpha = 0;
  std::uint64_t seed = 1;

  mapping_request request(const topology& machine) const {
    mapping_request made{sharing, machine, *distances};
    made.seed = seed;
    made.budget = budget;
    made.policy = policy;
    made.allowed = allowed;
    made.pinned = pinned;
    made.weights = weights;
    made.alpha = alpha;
    if (current) made.current = &*current;
    made.move_cost = move_cost.value_or(0);
    if (current && !move_cost && check_request(made)) made.move_cost = stable_move_cost(made);
    return made;
  }
};

result<void> check_cells(const std::string& where, const square& cells) {
  if (cells.shape(0) != cells.shape(1)) {
    return fail(where, fmt::format("has {} rows and {} columns", cells.shape(0), cells.shape(1)),
                "give a square matrix");
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double value = cells.data()[i];
    if (!std::isfinite(value) || value < 0) {
      return fail(
          where,
          fmt::format("row {}, column {} is {}", i / cells.shape(0), i % cells.shape(0), value),
          "amounts are finite and not negative");
    }
  }
  return {};
}

sharing_matrix sharing_of(const square& cells) {
  take(check_cells("sharing", cells));
  sharing_matrix made(cells.shape(0));
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (std::size_t j = 0; j < made.size(); ++j) {
      if (i != j) made.set(i, j, cells(i, j));
    }
  }
  return made;
}

distance_table distances_of(const topology& machine, const std::optional<square>& cells) {
  if (!cells) return distance_table(machine);
  take(check_cells("distances", *cells));
  if (cells->shape(0) != machine.pu_count()) {
    raise({fmt::format("are of {} PUs, {} has {}", cells->shape(0), machine.name(),
                       machine.pu_count()),
           "distances", ""});
  }
  std::vector<double> values(cells->data(), cells->data() + cells->size());
  result<distance_table> made = distance_table::from_cells(machine.pu_count(), std::move(values));
  if (!made) made.error().where = "distances";
  return take(std::move(made));
}

template <class Value, std::size_t Count>
Value by_name(const char* where, const std::string& word,
              const std::pair<std::string_view, Value> (&known)[Count]) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : known) {
    if (name == word) return value;
    names.push_back(name);
  }
  raise({fmt::format("there is no '{}'", word), where, suggest(word, names)});
}

constexpr std::pair<std::string_view, mapping_budget> budgets[] = {
    {"online", mapping_budget::online},
    {"default", mapping_budget::standard},
    {"best", mapping_budget::best}};
constexpr std::pair<std::string_view, fill_policy> policies[] = {
    {"auto", fill_policy::automatic}, {"spread", fill_policy::spread}, {"pack", fill_policy::pack}};

std::vector<pu_id> pus_of(const std::vector<std::uint32_t>& numbers) {
  std::vector<pu_id> pus;
  for (const std::uint32_t number : numbers) pus.emplace_back(number);
  return pus;
}

std::vector<std::optional<pu_id>> pins_of(const std::map<std::uint32_t, std::uint32_t>& pinned,
                                          std::size_t threads) {
  if (pinned.empty()) return {};
  std::vector<std::optional<pu_id>> pins(threads);
  for (const auto& [thread, pu] : pinned) {
    if (thread >= threads) {
      raise({fmt::format("there is no thread {}", thread), "pinned",
             fmt::format("there are {} threads, from 0", threads)});
    }
    pins[thread] = pu_id(pu);
  }
  return pins;
}

void set_asked(asked* place, const topology& machine, const square& sharing,
               const std::optional<square>& distances, const std::vector<std::uint32_t>& allowed,
               const std::map<std::uint32_t, std::uint32_t>& pinned, std::vector<double> weights,
               const std::optional<std::vector<std::uint32_t>>& current,
               std::optional<double> move_cost, const std::string& budget,
               const std::string& policy, double alpha, std::uint64_t seed) {
  asked made;
  made.sharing = sharing_of(sharing);
  made.distances = distances_of(machine, distances);
  made.allowed = pus_of(allowed);
  made.pinned = pins_of(pinned, made.sharing.size());
  made.weights = std::move(weights);
  if (current) made.current = thread_mapping{pus_of(*current)};
  made.move_cost = move_cost;
  made.budget = by_name("budget", budget, budgets);
  made.policy = by_name("policy", policy, policies);
  made.alpha = alpha;
  made.seed = seed;
  new (place) asked(std::move(made));
}

/// As the command does: a choice that the algorithm would not look at is a mistake.
void check_knobs(const mapping_algorithm& algorithm, const std::vector<std::string>& given) {
  constexpr std::pair<std::string_view, bool algorithm_knobs::*> knobs[] = {
      {"alpha", &algorithm_knobs::alpha},
      {"budget", &algorithm_knobs::budget},
      {"seed", &algorithm_knobs::seed}};
  for (const auto& [name, knob] : knobs) {
    if (algorithm.uses.*knob || std::ranges::find(given, name) == given.end()) continue;
    raise({fmt::format("does nothing with {}", algorithm.name), std::string(name), "leave it out"});
  }
}

saved_mapping map(const asked& question, const topology& machine, const std::string& spec,
                  const std::string& name, const std::vector<std::string>& given,
                  const profile* learned) {
  const mapping_algorithm& algorithm = *take(find_algorithm(name));
  check_knobs(algorithm, given);
  const mapping_request request = question.request(machine);
  result<mapping_answer> answer;
  saved_mapping made;
  run_waiting([&](const std::atomic<bool>&) {
    answer = map_threads(algorithm, request);
    if (answer && learned != nullptr) made.pages = place_pages(*learned, answer->mapping, machine);
  });
  made.answer = take(std::move(answer));
  made.machine = spec;
  for (const pu_id pu : made.answer.mapping.pu_of) made.nodes.push_back(machine.node_of(pu));
  made.share_in_node = share_in_node(request.sharing, made.answer.mapping, machine);
  return made;
}

/// (algorithm, cost or None, share in node, CPU seconds, gain, moved, why there is no answer) each.
nb::list compare(const asked& question, const topology& machine,
                 const std::vector<std::string>& names) {
  std::vector<const mapping_algorithm*> algorithms;
  for (const std::string& name : names) algorithms.push_back(take(find_algorithm(name)));
  const mapping_request request = question.request(machine);
  take(check_request(request));
  std::vector<compared_algorithm> compared;
  run_waiting(
      [&](const std::atomic<bool>&) { compared = compare_algorithms(algorithms, request); });
  nb::list rows;
  for (const compared_algorithm& one : compared) {
    if (one.answer) {
      rows.append(nb::make_tuple(one.algorithm, one.answer->cost, one.share_in_node,
                                 one.answer->cpu_seconds, one.answer->gain, one.answer->moved, ""));
    } else {
      rows.append(nb::make_tuple(one.algorithm, nb::none(), nb::none(), nb::none(), nb::none(),
                                 nb::none(), one.problem));
    }
  }
  return rows;
}

template <class Id>
array<std::uint32_t, 1> numbers_of(const std::vector<Id>& ids) {
  std::vector<std::uint32_t> numbers;
  for (const Id id : ids) numbers.push_back(id.value);
  return as_array(std::move(numbers));
}

array<std::uint8_t, 1> page_runs(const saved_mapping& made) {
  std::vector<placed_runs_record> records;
  if (made.pages) {
    for (const placed_run& run : made.pages->runs) {
      records.push_back({run.first_page.value, run.pages, run.node.value, 0});
    }
  }
  return as_bytes(std::span<const placed_runs_record>(records));
}

/// (policy, page bytes, pages on each node, local mapped, local first touch, local interleave) or
/// None.
nb::object page_shares(const saved_mapping& made) {
  if (!made.pages) return nb::none();
  return nb::make_tuple(to_string(made.pages->policy), made.pages->page_bytes,
                        made.pages->pages_on_node, made.pages->local_mapped,
                        made.pages->local_first_touch, made.pages->local_interleave);
}

}  // namespace

void bind_mapping(nb::module_& m) {
  nb::class_<asked>(m, "MappingRequest")
      .def("__init__", &set_asked, nb::arg("machine"), nb::arg("sharing"),
           nb::arg("distances").none(), nb::arg("allowed"), nb::arg("pinned"), nb::arg("weights"),
           nb::arg("current").none(), nb::arg("move_cost").none(), nb::arg("budget"),
           nb::arg("policy"), nb::arg("alpha"), nb::arg("seed"));
  nb::class_<saved_mapping>(m, "MappingData")
      .def_prop_ro("algorithm", [](const saved_mapping& s) { return s.answer.algorithm; })
      .def_prop_ro("cost", [](const saved_mapping& s) { return s.answer.cost; })
      .def_prop_ro("gain", [](const saved_mapping& s) { return s.answer.gain; })
      .def_prop_ro("moved", [](const saved_mapping& s) { return s.answer.moved; })
      .def_prop_ro("cpu_seconds", [](const saved_mapping& s) { return s.answer.cpu_seconds; })
      .def_ro("machine", &saved_mapping::machine)
      .def_ro("share_in_node", &saved_mapping::share_in_node)
      .def("pus", [](const saved_mapping& s) { return numbers_of(s.answer.mapping.pu_of); })
      .def("nodes", [](const saved_mapping& s) { return numbers_of(s.nodes); })
      .def("page_runs", &page_runs)
      .def("page_shares", &page_shares)
      .def("save", [](const saved_mapping& s, const std::filesystem::path& path) {
        take(write_file(path, mapping_to_json(s, true)));
      });
  m.def("map_threads", &map, nb::arg("request"), nb::arg("machine"), nb::arg("spec"),
        nb::arg("algorithm"), nb::arg("given"), nb::arg("profile").none());
  m.def("compare_algorithms", &compare);
  m.def("read_mapping", [](const std::filesystem::path& path) {
    return numbers_of(take(read_mapping(path)).answer.mapping.pu_of);
  });
}

}  // namespace numatch::python
