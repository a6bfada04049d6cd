// SPDX-License-Identifier: Apache-2.0
#include "topology/set_facts.hpp"

#include <charconv>

#include "topology/builder.hpp"
#include "topology/description_schema.hpp"

namespace numatch {

namespace {

/// "2 MiB" and "2MiB" are a number and its unit.
result<topology::fact> quantity_of(const known_fact& known, const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc()) {
    return fail("", fmt::format("{} cannot be '{}'", known.key, text),
                known.units.empty() ? "it takes a number"
                                    : fmt::format("it takes a number and its unit, as in '1 {}'",
                                                  known.units.front()));
  }
  std::string unit(rest, end);
  unit.erase(0, unit.find_first_not_of(' '));
  if (const result<void> fits = check_unit(known, unit); !fits) {
    return tl::unexpected(fits.error());
  }
  if (const result<void> fits = check_number(known, value); !fits) {
    return tl::unexpected(fits.error());
  }
  return topology::fact{std::string(known.key), fmt::format("{}", value), unit, ""};
}

result<topology::fact> fact_of(const std::string& key, const std::string& text) {
  const known_fact* known = find_known_fact(key);
  if (known == nullptr) {
    return fail("", fmt::format("unknown key '{}'", key), suggest_key(key));
  }
  if (known->kind == fact_kind::distances || key == "tree.hwloc") {
    return fail("", key + " can only be stated in a machine description",
                "docs/machines.md explains how to base one on another");
  }
  if (known->kind != fact_kind::word) return quantity_of(*known, text);
  if (const result<void> fits = check_word(*known, text); !fits) {
    return tl::unexpected(fits.error());
  }
  return topology::fact{key, text, "", ""};
}

/// In the place of the fact of its key, or behind the others.
void put(std::vector<topology::fact>& facts, topology::fact fact) {
  for (topology::fact& old : facts) {
    if (old.key != fact.key) continue;
    old = std::move(fact);
    return;
  }
  facts.push_back(std::move(fact));
}

}  // namespace

result<topology> set_facts(const topology& machine,
                           const std::map<std::string, std::string>& settings) {
  std::vector<topology::fact> facts = machine.facts();
  for (const auto& [key, text] : settings) {
    result<topology::fact> fact = fact_of(key, text);
    if (!fact) return tl::unexpected(fact.error());
    fact->source = "set by the user";
    put(facts, std::move(*fact));
  }
  return topology_builder::described(machine, std::move(facts));
}

}  // namespace numatch
