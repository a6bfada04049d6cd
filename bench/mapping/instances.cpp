// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/instances.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/suggest.hpp"
#include "pattern/matrix_text.hpp"

namespace numatch::bench {

namespace {

constexpr bench_machine machines[] = {
    {"2x8x2", "numa:2 core:8 pu:2", 32},
    {"8x4", "numa:8 core:4 pu:1", 32},
    {"4x8x2", "numa:4 core:8 pu:2", 64},
    {"2x4x8x2", "package:2 numa:4 core:8 pu:2", 128},
    {"4x2x8x8x2", "package:4 numa:2 l3:8 core:8 pu:2", 1024},
    {"8x8x8x4x2", "package:8 numa:8 l3:8 core:4 pu:2", 4096},
    {"ladder", "numa:8 core:8 pu:1", 64},
};

struct table_row {
  std::size_t threads;
  std::string_view machine;
};
constexpr table_row rows[] = {
    {32, "2x8x2"},  {32, "8x4"},         {64, "4x8x2"},     {64, "2x8x2"},       {256, "2x4x8x2"},
    {256, "4x8x2"}, {1024, "4x2x8x8x2"}, {1024, "2x4x8x2"}, {4096, "8x8x8x4x2"},
};
constexpr std::size_t sizes[] = {32, 64, 256, 1024, 4096};

/// The wiring of eight-socket Opteron boards: rails 0-2-4-6 and 1-3-5-7, rungs at both ends, and
/// crossed links in the middle.
constexpr std::array<std::array<unsigned, 2>, 10> ladder_links = {
    {{0, 2}, {2, 4}, {4, 6}, {1, 3}, {3, 5}, {5, 7}, {0, 1}, {6, 7}, {2, 5}, {3, 4}}};

std::filesystem::path captures_folder() {
  return std::filesystem::path(NUMATCH_BENCH_FOLDER) / "captures";
}

std::vector<double> ladder_distances() {
  constexpr std::size_t sockets = 8;
  constexpr std::size_t pus = 64;
  std::array<std::array<unsigned, sockets>, sockets> hops{};
  for (std::size_t a = 0; a < sockets; ++a) {
    for (std::size_t b = 0; b < sockets; ++b) hops[a][b] = a == b ? 0 : sockets;
  }
  for (const std::array<unsigned, 2>& link : ladder_links) {
    hops[link[0]][link[1]] = hops[link[1]][link[0]] = 1;
  }
  for (std::size_t k = 0; k < sockets; ++k) {
    for (std::size_t a = 0; a < sockets; ++a) {
      for (std::size_t b = 0; b < sockets; ++b) {
        hops[a][b] = std::min(hops[a][b], hops[a][k] + hops[k][b]);
      }
    }
  }
  std::vector<double> cells;
  for (std::size_t a = 0; a < pus; ++a) {
    for (std::size_t b = 0; b < pus; ++b) cells.push_back(hops[a / 8][b / 8]);
  }
  return cells;
}

}  // namespace

std::span<const bench_machine> all_machines() {
  return machines;
}

result<const bench_machine*> find_machine(std::string_view name) {
  std::vector<std::string_view> known;
  for (const bench_machine& one : machines) {
    if (one.name == name) return &one;
    known.push_back(one.name);
  }
  return fail("", fmt::format("unknown machine '{}'", name), suggest(name, known));
}

result<loaded_machine> load(const bench_machine& machine) {
  result<topology> loaded = topology::load(machine.spec);
  if (!loaded) return tl::unexpected(loaded.error());
  if (machine.name != "ladder") {
    distance_table distances(*loaded);
    return loaded_machine{std::move(*loaded), std::move(distances)};
  }
  result<distance_table> distances =
      distance_table::from_cells(loaded->pu_count(), ladder_distances());
  if (!distances) return tl::unexpected(distances.error());
  return loaded_machine{std::move(*loaded), std::move(*distances)};
}

std::string instance::pattern_name() const {
  return pattern != nullptr ? std::string(pattern->name) : "capture:" + capture;
}

std::string instance::name() const {
  if (pattern == nullptr) return fmt::format("{}@{}", pattern_name(), machine->name);
  return fmt::format("{}-{}@{}#{}", pattern->name, threads, machine->name, seed);
}

bool instance::sparse() const {
  return pattern != nullptr && pattern->sparse;
}

result<made_pattern> instance::make() const {
  if (pattern != nullptr) return pattern->make(threads, seed);
  result<sharing_matrix> captured = read_matrix(captures_folder() / (capture + ".txt"));
  if (!captured) return tl::unexpected(captured.error());
  return made_pattern{std::move(*captured), {}};
}

result<std::vector<instance>> captured_instances() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const std::filesystem::directory_entry& file :
       std::filesystem::directory_iterator(captures_folder(), failed)) {
    if (file.path().extension() == ".txt") names.push_back(file.path().stem().string());
  }
  if (failed) return fail(captures_folder().string(), failed.message());
  std::sort(names.begin(), names.end());
  std::vector<instance> all;
  for (const std::string& name : names) {
    for (const std::string_view machine : {"2x8x2", "4x8x2"}) {
      instance one{nullptr, *find_machine(machine), 0, 0, name};
      result<made_pattern> made = one.make();
      if (!made) return tl::unexpected(made.error());
      one.threads = made->sharing.size();
      // Where PUs hold one or two threads, how many of them may stay idle decides the cost, and
      // Scotch cannot be told.
      if (one.threads > one.machine->pus && one.threads % one.machine->pus != 0) continue;
      all.push_back(std::move(one));
    }
  }
  return all;
}

std::vector<instance> table_of(std::size_t threads, std::uint64_t seed) {
  std::vector<instance> table;
  for (const table_row& row : rows) {
    if (row.threads != threads) continue;
    for (const bench_machine& machine : machines) {
      if (machine.name != row.machine) continue;
      for (const family& pattern : all_families()) {
        if (threads < 4096 || pattern.sparse) {
          table.push_back({&pattern, &machine, threads, seed});
        }
      }
    }
  }
  return table;
}

std::span<const std::size_t> table_sizes() {
  return sizes;
}

}  // namespace numatch::bench
