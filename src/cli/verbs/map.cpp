// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "base/atomic_file.hpp"
#include "cli/verb.hpp"
#include "mapping/mapper.hpp"
#include "mapping/mapping_file.hpp"
#include "mapping/recipes.hpp"
#include "pattern/matrix_text.hpp"
#include "pattern/profile.hpp"
#include "topology/drawing.hpp"

namespace numatch {

namespace {

/// What is mapped: a profile, or a bare matrix (then there are no pages).
struct map_input {
  profile learned;
  bool from_profile = false;
};

std::string algorithm_names() {
  std::vector<std::string_view> names;
  for (const mapping_algorithm* algorithm : all_algorithms()) names.push_back(algorithm->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "T0,T8" per PU; where very many share one PU their number must do.
std::vector<std::string> threads_on_pus(const thread_mapping& mapping, std::size_t pus) {
  constexpr std::size_t shown = 4;
  std::vector<std::vector<std::string>> names(pus);
  for (std::size_t t = 0; t < mapping.pu_of.size(); ++t) {
    names[mapping.pu_of[t].index()].push_back(fmt::format("T{}", t));
  }
  std::vector<std::string> notes;
  for (std::vector<std::string>& here : names) {
    const std::size_t count = here.size();
    if (count > shown) here.resize(2);
    notes.push_back(fmt::format("{}", fmt::join(here, ",")));
    if (count > shown) notes.back() += fmt::format(",…({} threads)", count);
  }
  return notes;
}

class map_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("PROFILE", profile_, "Profile written by `numatch profile`");
    app.add_option("--comm", matrix_,
                   "Map this text matrix instead: a row of numbers per thread, # starts a comment")
        ->type_name("FILE");
    app.add_option(
           "-t,--topology", spec_,
           "Machine: live, a name of machines/, an hwloc synthetic string, an hwloc XML file")
        ->type_name("SPEC")
        ->capture_default_str();
    app.add_option("-a,--algorithm", algorithm_, "One of: " + algorithm_names())
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--distance", distance_,
                   "Text matrix of PU x PU distances instead of those of the tree")
        ->type_name("FILE");
    app.add_option("--seed", seed_, "Of the algorithm's random choices")->capture_default_str();
    app.add_flag("--json", json_, "Write JSON");
    app.add_option("-o,--output", output_, "Save the mapping here, for `numatch exec`");
  }

  result<int> run(cli::console& terminal) override {
    result<map_input> input = read_input();
    if (!input) return tl::unexpected(input.error());
    const result<topology> machine = topology::load(spec_);
    if (!machine) return tl::unexpected(machine.error());
    const result<distance_table> distances = read_distances(*machine);
    if (!distances) return tl::unexpected(distances.error());
    const result<const mapping_algorithm*> algorithm = find_algorithm(algorithm_);
    if (!algorithm) return tl::unexpected(algorithm.error());
    const mapping_request request{input->learned.sharing, *machine, *distances, seed_};
    result<mapping_answer> answer = map_threads(**algorithm, request);
    if (!answer) return tl::unexpected(answer.error());

    saved_mapping mapping;
    mapping.answer = std::move(*answer);
    mapping.machine = spec_;
    for (const pu_id pu : mapping.answer.mapping.pu_of) {
      mapping.nodes.push_back(machine->node_of(pu));
    }
    mapping.share_in_node = share_in_node(request.sharing, mapping.answer.mapping, *machine);
    if (input->from_profile) {
      mapping.pages = place_pages(input->learned, mapping.answer.mapping, *machine);
    }
    if (!output_.empty()) {
      if (result<void> r = write_file(output_, mapping_to_json(mapping, true)); !r) {
        return tl::unexpected(r.error());
      }
    }
    if (json_) {
      terminal.out(mapping_to_json(mapping, false));
    } else {
      terminal.out(text_of(mapping, *input, request));
    }
    return cli::fine;
  }

 private:
  result<map_input> read_input() const {
    if (profile_.empty() == matrix_.empty()) {
      return fail("", "give either a PROFILE or --comm MATRIX.txt", "see numatch map --help");
    }
    map_input input;
    if (matrix_.empty()) {
      result<profile> learned = load_profile(profile_);
      if (!learned) return tl::unexpected(learned.error());
      input.learned = std::move(*learned);
      input.from_profile = true;
      return input;
    }
    result<sharing_matrix> sharing = read_matrix(matrix_);
    if (!sharing) return tl::unexpected(sharing.error());
    input.learned.sharing = std::move(*sharing);
    return input;
  }

  result<distance_table> read_distances(const topology& machine) const {
    if (distance_.empty()) return distance_table(machine);
    result<square_table> table = read_table(distance_);
    if (!table) return tl::unexpected(table.error());
    if (table->size != machine.pu_count()) {
      return fail(distance_, fmt::format("has distances of {} PUs, {} has {}", table->size,
                                         machine.name(), machine.pu_count()));
    }
    return distance_table::from_cells(table->size, std::move(table->cells));
  }

  std::string text_of(const saved_mapping& mapping, const map_input& input,
                      const mapping_request& request) const;
  std::string comparison(const mapping_request& request) const;
  std::string pages_text(const page_placement& pages) const;

  std::string profile_;
  std::string matrix_;
  std::string spec_ = "live";
  std::string algorithm_ = "scotch";
  std::string distance_;
  std::string output_;
  std::uint64_t seed_ = 1;
  bool json_ = false;
};

/// What the mappings that need no knowledge would give.
std::string map_command::comparison(const mapping_request& request) const {
  std::string text;
  for (const std::string_view name : {"compact", "scatter", "random"}) {
    if (name == algorithm_) continue;
    const result<mapping_answer> other = map_threads(**find_algorithm(name), request);
    if (!other) continue;
    text += fmt::format("  {:<10}{:>16.6g}{:>11.1f} %\n", name, other->cost,
                        100 * share_in_node(request.sharing, other->mapping, request.machine));
  }
  return text;
}

std::string map_command::pages_text(const page_placement& pages) const {
  std::string text = fmt::format(
      "\npages of {}: each on the node that uses it most keeps {:.1f} % of the accesses local\n",
      size_text(pages.page_bytes), 100 * pages.local_mapped);
  text += fmt::format("  first touch keeps {:.1f} %, interleave {:.1f} %; policy for `exec`: {}\n",
                      100 * pages.local_first_touch, 100 * pages.local_interleave,
                      to_string(pages.policy));
  for (std::size_t n = 0; n < pages.pages_on_node.size(); ++n) {
    text += fmt::format("  node {:<4}{:>12} pages\n", n, pages.pages_on_node[n]);
  }
  return text;
}

std::string map_command::text_of(const saved_mapping& mapping, const map_input& input,
                                 const mapping_request& request) const {
  const thread_mapping& places = mapping.answer.mapping;
  std::string text =
      draw_machine(request.machine, threads_on_pus(places, request.machine.pu_count()));
  const std::string unit =
      input.learned.matrix_unit.empty() ? "sharing as given" : input.learned.matrix_unit;
  text += fmt::format("\n{} threads by {} in {:.3g} ms (measured)\n", places.pu_of.size(),
                      mapping.answer.algorithm, 1000 * mapping.answer.seconds);
  text +=
      fmt::format("  {:<10}{:>16}{:>13}   cost: {} x distance\n", "", "cost", "in a node", unit);
  text += fmt::format("  {:<10}{:>16.6g}{:>11.1f} %\n", mapping.answer.algorithm,
                      mapping.answer.cost, 100 * mapping.share_in_node);
  text += comparison(request);
  page_policy policy = page_policy::local;
  if (mapping.pages) {
    text += pages_text(*mapping.pages);
    policy = mapping.pages->policy;
  }
  text += "\nto use it:\n";
  text += output_.empty() ? "  save it with -o FILE, then: numatch exec --mapping FILE -- CMD\n"
                          : fmt::format("  numatch exec --mapping {} -- CMD\n", output_);
  for (const recipe& r : recipes_for(places, request.machine, policy)) {
    text += fmt::format("  # {}\n  {}\n", r.says, r.line);
  }
  return text;
}

constexpr cli::example examples[] = {
    {"numatch map app.nmp --topology xeon64", "shows where each thread and page belongs"},
    {"numatch map app.nmp -o app.map && numatch exec --mapping app.map -- ./app",
     "maps onto this machine and runs the program so"},
    {"numatch map --comm matrix.txt --topology 'numa:4 core:2 pu:1' --json",
     "maps a matrix from elsewhere, for a script"},
};

}  // namespace

extern const verb_entry map_verb{
    "map",
    40,
    "Map threads and pages to a machine",
    "Finds a processing unit (PU) for every thread, so that threads that share memory are near "
    "each "
    "other, and a node for every page. The input is a profile or a text matrix; the machine need "
    "not be this one. Cost is the sum over pairs of threads of what they share times the distance "
    "of their PUs. docs/mapping.md explains the output.",
    examples,
    [] { return std::unique_ptr<cli::command>(new map_command); }};

}  // namespace numatch
