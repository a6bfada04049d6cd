// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate_sweep.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/suggest.hpp"
#include "cli/words.hpp"
#include "topology/description_schema.hpp"

namespace numatch::cli {

namespace {

constexpr std::array<std::string_view, 3> numbers{"seed", "phase", "time-scale"};

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const std::from_chars_result read =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

/// Sets one of `numbers`; false where the value is no number.
bool set_number(simulate_request& request, std::string_view key, const std::string& value) {
  if (key == "seed") return read_number(value, request.seed);
  if (key == "phase") return read_number(value, request.phase_cycles);
  return read_number(value, request.time_scale);
}

bool is_parameter(std::string_view name) {
  for (const mechanism_entry* entry : all_mechanisms()) {
    for (const parameter& p : entry->parameters) {
      if (p.name == name) return true;
    }
  }
  return false;
}

std::vector<std::string_view> known_keys() {
  std::vector<std::string_view> known(numbers.begin(), numbers.end());
  for (const known_fact& fact : known_facts()) known.push_back(fact.key);
  for (const mechanism_entry* entry : all_mechanisms()) {
    for (const parameter& p : entry->parameters) known.push_back(p.name);
  }
  return known;
}

/// The request with this one change.
result<swept_request> changed(const simulate_request& request, const std::string& key,
                              const std::string& value) {
  swept_request made{key, value, request};
  if (std::ranges::find(numbers, key) != numbers.end()) {
    if (!set_number(made.request, key, value)) {
      return fail("--sweep", fmt::format("{}: '{}' is not a number", key, value));
    }
    return made;
  }
  if (find_known_fact(key) != nullptr) {
    made.request.settings.push_back(fmt::format("{}={}", key, value));
    return made;
  }
  const std::size_t colon = key.find(':');
  const std::string name = colon == std::string::npos ? key : key.substr(colon + 1);
  if (colon == std::string::npos && !is_parameter(name)) {
    const std::string nearest = nearest_name(name, known_keys());
    return fail("--sweep", fmt::format("there is no '{}'", key),
                nearest.empty() ? "name a key of a machine description, a mechanism's parameter, "
                                  "seed, phase or time-scale"
                                : fmt::format("did you mean '{}'?", nearest));
  }
  made.request.parameters.push_back(fmt::format("{}={}", key, value));
  return made;
}

struct open_option {
  std::string_view key;
  std::vector<std::string> values;
  std::string also;  ///< a setting that it needs to have an effect
};

std::vector<open_option> open_options(const sim::machine_config& config) {
  std::vector<open_option> options{{"tlb.walk", {"10 cycles", "60 cycles", "120 cycles"}, ""},
                                   {"memory.channels", {"1", "2", "4"}, ""},
                                   {"os.page_move", {"500 cycles", "8000 cycles"}, ""},
                                   {"os.thread_move", {"2500 cycles", "40000 cycles"}, ""},
                                   {"core.overlap", {"2", "8"}, "core.overlap_window=64"},
                                   {"link.queueing", {"yes", "no"}, ""},
                                   {"memory.frames", {"in order", "drawn"}, ""},
                                   {"seed", {"2", "3", "4", "5"}, ""}};
  // The first level has none above it to include.
  constexpr std::array<std::string_view, 2> inclusive{"cache.l2.inclusive", "cache.l3.inclusive"};
  for (std::size_t i = 1; i < config.caches.size() && i <= inclusive.size(); ++i) {
    options.insert(options.begin() + 1, {inclusive[i - 1], {"yes", "no"}, ""});
  }
  const open_option inside{"link.intra.model", {"one hop", "stops"}, ""};
  if (config.caches.size() > 1) options.insert(options.end() - 2, inside);
  return options;
}

}  // namespace

result<std::vector<swept_request>> sweep_of(const simulate_request& request,
                                            const std::vector<std::string>& sweeps) {
  std::vector<swept_request> points;
  for (const std::string& text : sweeps) {
    const std::optional<std::pair<std::string, std::string>> pair = key_and_value(text);
    if (!pair) return fail("--sweep", fmt::format("'{}' is not KEY=VALUE,VALUE,...", text));
    for (const std::string& value : split(pair->second, ',')) {
      result<swept_request> point = changed(request, pair->first, value);
      if (!point) return tl::unexpected(point.error());
      points.push_back(*std::move(point));
    }
  }
  return points;
}

result<std::vector<swept_request>> sensitivity_of(const simulate_request& request,
                                                  const sim::machine_config& config) {
  std::vector<swept_request> points;
  for (const open_option& option : open_options(config)) {
    for (const std::string& value : option.values) {
      result<swept_request> point = changed(request, std::string(option.key), value);
      if (!point) return tl::unexpected(point.error());
      if (!option.also.empty()) point->request.settings.push_back(option.also);
      points.push_back(*std::move(point));
    }
  }
  return points;
}

}  // namespace numatch::cli
