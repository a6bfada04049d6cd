// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/best_known.hpp"

#include <sstream>

#include "base/atomic_file.hpp"

namespace numatch::bench {

std::filesystem::path best_known::usual_path() {
  return std::filesystem::path(NUMATCH_BENCH_FOLDER) / "best_known.tsv";
}

best_known::key best_known::key_of(const instance& one) {
  return {one.threads, std::string(one.machine->name), one.pattern_name(), one.seed};
}

result<best_known> best_known::read(const std::filesystem::path& path) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20U;
  result<std::string> text = read_file(path, most_bytes);
  if (!text) return tl::unexpected(text.error());
  best_known all;
  std::istringstream lines(*text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    std::string family_name;
    std::string machine;
    std::size_t threads = 0;
    std::uint64_t seed = 0;
    entry found;
    fields >> family_name >> threads >> machine >> seed >> found.cost >> found.how;
    if (!fields) {
      return fail(fmt::format("{}:{}", path.string(), number), "not an entry of six fields");
    }
    all.entries_[{threads, machine, family_name, seed}] = found;
  }
  return all;
}

result<void> best_known::write(const std::filesystem::path& path) const {
  std::string text =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Lowest cost known of each instance (build/bench/mapping search --improve): family, "
      "threads,\n"
      "# machine, seed, cost, how it was found.\n";
  for (const auto& [where, found] : entries_) {
    const auto& [threads, machine, family_name, seed] = where;
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", family_name, threads, machine, seed, found.cost,
                        found.how);
  }
  return write_file(path, text);
}

const best_known::entry* best_known::find(const instance& one) const {
  const std::map<key, entry>::const_iterator found = entries_.find(key_of(one));
  return found == entries_.end() ? nullptr : &found->second;
}

void best_known::merge(const best_known& other) {
  for (const auto& [where, found] : other.entries_) {
    const auto [old, fresh] = entries_.try_emplace(where, found);
    if (!fresh && found.cost < old->second.cost * (1 - 1e-12)) old->second = found;
  }
}

bool best_known::improve(const instance& one, double cost, const std::string& how) {
  const entry* old = find(one);
  // Costs that differ by rounding are the same mapping summed in another order.
  if (old != nullptr && cost >= old->cost * (1 - 1e-12)) return false;
  entries_[key_of(one)] = {cost, how};
  return true;
}

}  // namespace numatch::bench
