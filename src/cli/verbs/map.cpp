// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "base/atomic_file.hpp"
#include "cli/map_options.hpp"
#include "cli/map_text.hpp"
#include "cli/verb.hpp"
#include "pattern/matrix_text.hpp"
#include "pattern/profile.hpp"

namespace numatch {

namespace {

/// What is mapped: a profile, or a bare matrix (then there are no pages).
struct map_input {
  profile learned;
  bool from_profile = false;
};

using algorithm_list = std::vector<const mapping_algorithm*>;

std::string algorithm_names() {
  std::vector<std::string_view> names;
  for (const mapping_algorithm* algorithm : all_algorithms()) names.push_back(algorithm->name);
  return fmt::format("{}", fmt::join(names, ", "));
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
    app.add_option("--compare", compare_,
                   "Show what these algorithms make of it, too: all, or names between commas")
        ->delimiter(',')
        ->type_name("NAMES");
    app.add_option("--distance", distance_,
                   "Text matrix of PU x PU distances instead of those of the tree")
        ->type_name("FILE");
    asked_.add_to(app);
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
    const result<algorithm_list> compared = algorithms_to_compare();
    if (!compared) return tl::unexpected(compared.error());
    if (result<void> r = asked_.check_used(all_that_run(**algorithm, *compared)); !r) {
      return tl::unexpected(r.error());
    }
    mapping_request request{input->learned.sharing, *machine, *distances};
    if (result<void> r = asked_.fill(request); !r) return tl::unexpected(r.error());
    result<mapping_answer> answer = map_threads(**algorithm, request);
    if (!answer) return tl::unexpected(asked_.in_words_of_the_user(answer.error()));
    if (const std::string note = cli::map_options::note(request); !note.empty()) {
      terminal.note(note);
    }

    saved_mapping mapping = saved(std::move(*answer), *input, request);
    if (!output_.empty()) {
      if (result<void> r = write_file(output_, mapping_to_json(mapping, true)); !r) {
        return tl::unexpected(r.error());
      }
    }
    mapping.compared = compare_algorithms(*compared, request);
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
    result<distance_table> distances =
        distance_table::from_cells(table->size, std::move(table->cells));
    if (!distances) distances.error().where = distance_;
    return distances;
  }

  result<algorithm_list> algorithms_to_compare() const {
    const std::span<const mapping_algorithm* const> all = all_algorithms();
    if (compare_.size() == 1 && compare_.front() == "all") {
      return algorithm_list(all.begin(), all.end());
    }
    algorithm_list chosen;
    for (const std::string& name : compare_) {
      const result<const mapping_algorithm*> algorithm = find_algorithm(name);
      if (!algorithm) return tl::unexpected(algorithm.error());
      chosen.push_back(*algorithm);
    }
    return chosen;
  }

  /// Those that need no knowledge are beside the answer in the text.
  algorithm_list all_that_run(const mapping_algorithm& chosen,
                              const algorithm_list& compared) const {
    algorithm_list all{&chosen};
    all.insert(all.end(), compared.begin(), compared.end());
    if (compared.empty() && !json_) {
      const algorithm_list blind = blind_algorithms();
      all.insert(all.end(), blind.begin(), blind.end());
    }
    return all;
  }

  algorithm_list blind_algorithms() const {
    algorithm_list blind;
    for (const std::string_view name : {"compact", "scatter", "random"}) {
      if (name != algorithm_) blind.push_back(*find_algorithm(name));
    }
    return blind;
  }

  saved_mapping saved(mapping_answer answer, const map_input& input,
                      const mapping_request& request) const {
    saved_mapping mapping;
    mapping.answer = std::move(answer);
    mapping.machine = spec_;
    for (const pu_id pu : mapping.answer.mapping.pu_of) {
      mapping.nodes.push_back(request.machine.node_of(pu));
    }
    mapping.share_in_node = share_in_node(request.sharing, mapping.answer.mapping, request.machine);
    if (input.from_profile) {
      mapping.pages = place_pages(input.learned, mapping.answer.mapping, request.machine);
    }
    return mapping;
  }

  std::string text_of(const saved_mapping& mapping, const map_input& input,
                      const mapping_request& request) const {
    cli::shown_mapping shown{mapping, request, input.learned.matrix_unit, output_, {}, false};
    if (shown.unit.empty()) shown.unit = "sharing as given";
    shown.in_full = !mapping.compared.empty();
    if (shown.in_full) {
      shown.others = mapping.compared;
      return cli::text_of(shown);
    }
    // What the mappings that need no knowledge would give, from nothing.
    mapping_request afresh = request;
    afresh.current = nullptr;
    afresh.move_cost = 0;
    shown.others = compare_algorithms(blind_algorithms(), afresh);
    return cli::text_of(shown);
  }

  std::string profile_;
  std::string matrix_;
  std::string spec_ = "live";
  std::string algorithm_ = "numatch";
  std::vector<std::string> compare_;
  std::string distance_;
  cli::map_options asked_;
  std::string output_;
  bool json_ = false;
};

constexpr cli::example examples[] = {
    {"numatch map app.nmp --topology xeon64", "shows where each thread and page belongs"},
    {"numatch map app.nmp -o app.map && numatch exec --mapping app.map -- ./app",
     "maps onto this machine and runs the program so"},
    {"numatch map app.nmp --topology xeon64 --compare all",
     "shows what every mapping algorithm makes of it"},
    {"numatch map new.nmp --current app.map --move-cost 1000 -o next.map",
     "maps again and moves threads only where it pays"},
    {"numatch map app.nmp --allowed 0-7 --pin 0:0 --policy spread",
     "uses eight PUs evenly and leaves thread 0 on the first"},
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
