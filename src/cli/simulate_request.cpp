// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate_request.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/suggest.hpp"
#include "cli/words.hpp"
#include "sim/offer.hpp"
#include "sim/read_config.hpp"
#include "topology/set_facts.hpp"

namespace numatch::cli {

namespace {

template <class Value>
struct named {
  std::string_view name;
  Value value;
};
constexpr std::array<named<thread_placing>, 4> thread_words{{{"linux", thread_placing::linux_like},
                                                             {"compact", thread_placing::compact},
                                                             {"scatter", thread_placing::scatter},
                                                             {"random", thread_placing::random}}};
constexpr std::array<named<page_placing>, 3> page_words{{{"first-touch", page_placing::first_touch},
                                                         {"interleave", page_placing::interleave},
                                                         {"random", page_placing::random}}};
constexpr std::array<std::string_view, 2> halves{"threads", "pages"};
/// The name of a run without a mechanism.
constexpr std::string_view os = "os";

template <class Value, std::size_t Count>
std::vector<std::string_view> names_of(const std::array<named<Value>, Count>& words) {
  std::vector<std::string_view> names;
  for (const named<Value>& word : words) names.push_back(word.name);
  return names;
}

template <class Value, std::size_t Count>
result<Value> by_name(const std::string& option, const std::string& text,
                      const std::array<named<Value>, Count>& words) {
  for (const named<Value>& word : words) {
    if (word.name == text) return word.value;
  }
  return fail(option, fmt::format("there is no '{}'", text), suggest(text, names_of(words)));
}

std::string choices(std::string_view name, std::span<const std::string_view> words) {
  return fmt::format("{}:{{{}}}", name, fmt::join(words, ","));
}

/// How a machine description says what its paper compares with, as our word.
std::string fact_word(const topology& machine, std::string_view key, std::string_view otherwise) {
  const auto fact = std::ranges::find(machine.facts(), key, &topology::fact::key);
  if (fact == machine.facts().end()) return std::string(otherwise);
  if (fact->value == "os") return "linux";
  if (fact->value == "pinned") return "compact";
  return fact->value;
}

using key_values = std::map<std::string, std::string>;

result<key_values> settings_of(const simulate_request& request) {
  key_values settings;
  for (const std::string& text : request.settings) {
    const std::optional<std::pair<std::string, std::string>> pair = key_and_value(text);
    if (!pair) return fail("--set", fmt::format("'{}' is not KEY=VALUE", text));
    settings[pair->first] = pair->second;
  }
  return settings;
}

bool declares(const mechanism_entry& entry, std::string_view parameter_name) {
  return std::ranges::find(entry.parameters, parameter_name, &parameter::name) !=
         entry.parameters.end();
}

bool can(const mechanism_entry& entry, action_kind action) {
  return std::ranges::find(entry.acts, action) != entry.acts.end();
}

/// A run's mechanism with the parameters that it is given.
struct chosen {
  const mechanism_entry* entry = nullptr;
  std::string name;
  key_values parameters;
};

/// The mechanisms of --mechanism, and that of --baseline in front if it is one.
result<std::vector<chosen>> choose(const simulate_request& request) {
  std::vector<std::string> names;
  if (request.baseline != os) names.push_back(request.baseline);
  for (const std::string& list : request.mechanisms) {
    for (std::string& name : split(list, ',')) names.push_back(std::move(name));
  }
  std::vector<chosen> mechanisms;
  for (const std::string& name : names) {
    const result<const mechanism_entry*> entry = find_mechanism(name);
    if (!entry) return tl::unexpected(entry.error());
    if (std::ranges::find(mechanisms, *entry, &chosen::entry) != mechanisms.end()) {
      return fail("--mechanism", fmt::format("'{}' is there twice", name), "name each once");
    }
    if (result<void> fits = check_fit(**entry, sim::simulation_offer()); !fits) {
      return tl::unexpected(fits.error());
    }
    mechanisms.push_back({*entry, name, {}});
  }
  return mechanisms;
}

/// --only: the parameter of those that have both halves; those that have one anyway stay.
result<void> keep_half(const std::string& half, std::span<chosen> mechanisms) {
  if (half.empty()) return {};
  if (std::ranges::find(halves, half) == halves.end()) {
    return fail("--only", fmt::format("there is no '{}'", half), suggest(half, halves));
  }
  if (mechanisms.empty()) {
    return fail("--only", "there is no mechanism whose half it could be", "add --mechanism");
  }
  for (chosen& mechanism : mechanisms) {
    if (declares(*mechanism.entry, "act-on")) {
      mechanism.parameters["act-on"] = half;
      mechanism.name += fmt::format(" ({})", half);
      continue;
    }
    const bool threads = can(*mechanism.entry, action_kind::move_threads);
    const bool pages = can(*mechanism.entry, action_kind::move_pages) ||
                       can(*mechanism.entry, action_kind::replicate_pages);
    if (threads == pages || threads != (half == "threads")) {
      return fail("--only", fmt::format("{} cannot act on {} alone: it has no parameter act-on",
                                        mechanism.name, half));
    }
  }
  return {};
}

/// --param: to the named mechanism, or to all that declare the name.
result<void> give_parameters(const simulate_request& request, std::span<chosen> mechanisms) {
  std::vector<std::string_view> known;
  std::vector<std::string_view> known_mechanisms;
  for (const chosen& mechanism : mechanisms) {
    known_mechanisms.push_back(mechanism.entry->name);
    for (const parameter& p : mechanism.entry->parameters) known.push_back(p.name);
  }
  for (const std::string& text : request.parameters) {
    std::optional<std::pair<std::string, std::string>> pair = key_and_value(text);
    if (!pair) return fail("--param", fmt::format("'{}' is not [MECHANISM:]NAME=VALUE", text));
    std::string& name = pair->first;
    std::string whose;
    if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
      whose = name.substr(0, colon);
      name.erase(0, colon + 1);
      if (std::ranges::find(known_mechanisms, whose) == known_mechanisms.end()) {
        return fail(
            "--param", fmt::format("'{}' is not among the mechanisms of this call", whose),
            known_mechanisms.empty() ? "add --mechanism" : suggest(whose, known_mechanisms));
      }
    }
    if (!request.only.empty() && name == "act-on") {
      return fail("--param", "act-on says what --only says", "give one of them");
    }
    bool taken = false;
    for (chosen& mechanism : mechanisms) {
      if (whose.empty() ? !declares(*mechanism.entry, name) : mechanism.entry->name != whose) {
        continue;
      }
      mechanism.parameters[name] = pair->second;
      taken = true;
    }
    if (!taken) {
      return fail("--param", fmt::format("no mechanism of this call has a parameter '{}'", name),
                  known.empty() ? "add --mechanism" : suggest(name, known));
    }
  }
  return {};
}

/// Makes the mechanism once to hear what it says about its parameters.
result<void> try_out(const chosen& mechanism) {
  const result<parameter_set> values =
      parameter_set::make(mechanism.entry->parameters, mechanism.parameters);
  if (!values) return fail(mechanism.name, values.error().what, values.error().hint);
  const result<std::unique_ptr<numatch::mechanism>> made = mechanism.entry->make(*values);
  if (!made) {
    return fail(fmt::format("{}, {}", mechanism.name, made.error().where), made.error().what,
                made.error().hint);
  }
  return {};
}

result<void> check_numbers(const simulate_request& request) {
  constexpr std::uint64_t longest_phase = 1'000'000'000;
  constexpr double greatest_scale = 1e9;
  if (request.phase_cycles < 1 || request.phase_cycles > longest_phase) {
    return fail("--phase", fmt::format("a phase has 1 to {} cycles", longest_phase));
  }
  if (!(request.time_scale >= 1 && request.time_scale <= greatest_scale)) {
    return fail("--time-scale", fmt::format("a scale is a number from 1 to {}", greatest_scale),
                "1 leaves the intervals as they are");
  }
  return {};
}

}  // namespace

void add_options(CLI::App& app, simulate_request& request) {
  std::vector<std::string_view> mechanisms;
  for (const mechanism_entry* entry : all_mechanisms()) mechanisms.push_back(entry->name);
  const auto repeatable = [](CLI::Option* option) {
    return option->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  };
  app.add_option("--machine", request.machine,
                 "What it runs on: a machine description, an hwloc synthetic string or XML file")
      ->capture_default_str();
  repeatable(app.add_option("--mechanism", request.mechanisms,
                            "What moves threads and pages, several with commas between"))
      ->type_name(choices("NAMES", mechanisms));
  app.add_option("--baseline", request.baseline,
                 "What the others are compared with: os (placement at the start, then nothing) or "
                 "a mechanism")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--only", request.only, "Half of each mechanism: what it does with")
      ->type_name(choices("HALF", halves));
  repeatable(app.add_option("--param", request.parameters,
                            "A parameter of the mechanisms, [MECHANISM:]NAME=VALUE; repeatable"))
      ->type_name("PARAM");
  repeatable(app.add_option("--set", request.settings,
                            "Another value of the machine, KEY=VALUE as in its description; "
                            "repeatable"))
      ->type_name("KEY=VALUE");
  app.add_option("--threads", request.threads,
                 "Where threads start, the machine's own way unless said")
      ->type_name(choices("HOW", names_of(thread_words)));
  app.add_option("--pages", request.pages, "Where pages start, the machine's own way unless said")
      ->type_name(choices("HOW", names_of(page_words)));
  app.add_option("--seed", request.seed, "Of all random choices")->capture_default_str();
  app.add_option("--phase", request.phase_cycles,
                 "Cycles that threads run apart before what they share is brought in order; 1 is "
                 "exact and slow")
      ->capture_default_str();
  app.add_option("--time-scale", request.time_scale,
                 "The mechanisms' intervals are so many times shorter than stated")
      ->capture_default_str();
  app.add_flag("--roi", request.region_of_interest, "Only the region of interest, if marked");
}

result<simulate_plan> plan_of(const simulate_request& request) {
  if (result<void> r = check_numbers(request); !r) return tl::unexpected(r.error());
  result<std::vector<chosen>> mechanisms = choose(request);
  if (!mechanisms) return tl::unexpected(mechanisms.error());
  // The baseline is whole and as its own parameters say.
  const std::size_t first = request.baseline == os ? 0 : 1;
  if (result<void> r = keep_half(request.only, std::span(*mechanisms).subspan(first)); !r) {
    return tl::unexpected(r.error());
  }
  if (result<void> r = give_parameters(request, *mechanisms); !r) return tl::unexpected(r.error());
  for (const chosen& mechanism : *mechanisms) {
    if (result<void> r = try_out(mechanism); !r) return tl::unexpected(r.error());
  }

  const result<key_values> settings = settings_of(request);
  if (!settings) return tl::unexpected(settings.error());
  const result<topology> described = topology::load(request.machine);
  if (!described) return tl::unexpected(described.error());
  result<topology> machine = set_facts(*described, *settings);
  if (!machine) return tl::unexpected(machine.error());
  result<sim::machine_config> config = sim::read_config(*machine);
  if (!config) return tl::unexpected(config.error());

  const bool own_threads = request.threads.empty();
  const bool own_pages = request.pages.empty();
  const std::string thread_word =
      own_threads ? fact_word(*machine, "baseline.threads", "linux") : request.threads;
  const std::string page_word =
      own_pages ? fact_word(*machine, "baseline.pages", "first-touch") : request.pages;
  const result<thread_placing> threads =
      by_name(own_threads ? "baseline.threads" : "--threads", thread_word, thread_words);
  if (!threads) return tl::unexpected(threads.error());
  const result<page_placing> pages =
      by_name(own_pages ? "baseline.pages" : "--pages", page_word, page_words);
  if (!pages) return tl::unexpected(pages.error());

  sim::run_options common;
  common.threads = *threads;
  common.pages = *pages;
  common.seed = request.seed;
  common.phase_cycles = request.phase_cycles;
  common.time_scale = request.time_scale;
  common.region_of_interest = request.region_of_interest;
  common.timeline_cycles = request.timeline_cycles;
  std::vector<sim::run_options> runs;
  if (request.baseline == os) {
    common.name = fmt::format("{}+{}", thread_word, page_word);
    runs.push_back(common);
  }
  for (chosen& mechanism : *mechanisms) {
    sim::run_options run = common;
    run.mechanism = mechanism.entry;
    run.name = std::move(mechanism.name);
    run.parameters = std::move(mechanism.parameters);
    runs.push_back(std::move(run));
  }
  return simulate_plan{*std::move(machine), *std::move(config), *settings, std::move(runs)};
}

result<void> check_trace(const simulate_plan& plan, const trace::reader& trace) {
  if (trace.accesses() == 0 && !trace.tlb_filtered()) {
    return fail(trace.path().string(), "has no memory access", "record a program that does work");
  }
  for (const sim::run_options& run : plan.runs) {
    if (run.mechanism == nullptr) continue;
    if (result<void> r = check_threads(*run.mechanism, trace.threads().size()); !r) return r;
  }
  return {};
}

std::vector<std::string> notes_on(const simulate_request& request, const simulate_plan& plan,
                                  const trace::reader& trace, const sim::program& traced) {
  std::vector<std::string> notes;
  const std::size_t threads = trace.threads().size();
  const std::size_t pus = plan.machine.pu_count();
  if (threads == 1) notes.emplace_back("One thread: mapping threads can gain nothing.");
  if (threads > pus) {
    notes.push_back(fmt::format("{} threads on {} PUs: some take turns.", threads, pus));
  }
  if (!trace.metadata().counts_instructions) {
    notes.emplace_back(
        "The trace does not count instructions: each access is taken for one instruction.");
  }
  if (request.region_of_interest && !traced.has_region_of_interest()) {
    notes.emplace_back("The program marks no region of interest: all of it was simulated.");
  }
  return notes;
}

}  // namespace numatch::cli
