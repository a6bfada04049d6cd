// SPDX-License-Identifier: Apache-2.0
#include "mechanism/mechanism.hpp"

#include "base/suggest.hpp"

namespace numatch {

result<const mechanism_entry*> find_mechanism(std::string_view name) {
  std::vector<std::string_view> known;
  for (const mechanism_entry* entry : all_mechanisms()) {
    if (entry->name == name) return entry;
    known.push_back(entry->name);
  }
  return fail("", fmt::format("unknown mechanism '{}'", name), suggest(name, known));
}

}  // namespace numatch
