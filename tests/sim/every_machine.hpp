// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/small_machines.hpp"

namespace numatch::sim {

struct named_machine {
  std::string name;
  machine_shape shape;
  machine_config config;
};

/// Small machines that differ in everything that the model has.
inline std::vector<named_machine> every_machine() {
  std::vector<named_machine> all;
  const auto add = [&](std::string name, machine_shape shape) -> machine_config& {
    all.push_back({std::move(name), shape, small_machine(shape)});
    return all.back().config;
  };
  add("one chip", {1, 1, 2, 1});
  add("two chips of two cores", {2, 1, 2, 1});
  add("ring of four chips of two cores", {4, 1, 2, 1});
  add("two chips on each of two nodes", {2, 2, 2, 1});
  add("cores of two PUs", {2, 1, 2, 2});
  add_middle_level(add("three levels, inclusive", {2, 1, 2, 1}), 1, true);
  add_middle_level(add("three levels, middle one not inclusive", {2, 1, 2, 1}), 1, false);
  add_middle_level(add("three levels, middle one shared", {2, 1, 4, 1}), 2, true);
  add_middle_level(add("three levels, middle one shared, not inclusive", {1, 1, 4, 2}), 4, false);
  const auto last_not_inclusive = [](machine_config& machine) -> machine_config& {
    machine.caches.back().inclusive = false;
    return machine;
  };
  last_not_inclusive(add("last level not inclusive", {2, 1, 2, 1}));
  machine_config& tiny =
      last_not_inclusive(add("last level smaller than those above", {4, 1, 4, 1}));
  tiny.caches.back().bytes = 128;
  tiny.caches.back().ways = 1;
  add_middle_level(last_not_inclusive(add("three levels, none inclusive", {2, 1, 2, 1})), 1, false);
  add_middle_level(
      last_not_inclusive(add("three levels, only the middle one inclusive, shared", {2, 1, 4, 2})),
      4, true);
  add_middle_level(
      last_not_inclusive(add("three levels, none inclusive, middle one shared", {2, 2, 4, 1})), 2,
      false);
  add_second_tlb(add("two TLBs", {2, 1, 2, 1}), 1);
  add_second_tlb(add("two TLBs, the second one shared", {2, 1, 2, 2}), 4);

  machine_config& free_way = add("without queueing", {4, 1, 2, 1});
  free_way.network.queueing = false;
  free_way.memory.queueing = false;
  add("memory without queueing", {2, 1, 2, 1}).memory.queueing = false;
  add("links without queueing", {2, 1, 2, 1}).network.queueing = false;

  machine_config& slow = add("narrow links, long bursts, two channels", {3, 1, 2, 1});
  for (link_config& link : slow.network.links) link.bytes_per_cycle = 1.5;
  slow.memory.channels = 2;
  slow.memory.burst = 40;
  add("frames in a drawn order", {2, 1, 2, 1}).memory.drawn_frames = true;
  machine_config& closed = add("rows closed after every access", {2, 1, 2, 1});
  closed.memory.open_rows = false;
  closed.core.access_stall = 0;
  closed.inside.hop = 0;

  add_stops(add("stops", {2, 1, 2, 1}), 2, 64);
  add_stops(add("stops on a ring of four chips, narrow", {4, 1, 2, 1}), 1, 5);
  add_stops(add("stops for two chips on each node and cores of two PUs", {2, 2, 2, 2}), 3, 16);
  add_stops(last_not_inclusive(add("stops, last level not inclusive", {2, 1, 4, 1})), 2, 16);
  machine_config& deep = add("stops, three levels, middle one shared", {2, 1, 4, 1});
  add_middle_level(deep, 2, true);
  add_stops(deep, 2, 16);
  machine_config& deeper = add("stops, three levels, none inclusive", {2, 1, 4, 1});
  add_middle_level(last_not_inclusive(deeper), 2, false);
  add_stops(deeper, 4, 16);
  machine_config& quiet = add("stops without queueing", {2, 1, 2, 1});
  quiet.network.queueing = false;
  add_stops(quiet, 2, 4);
  machine_config& slow_banks = add("stops with banks that are busy for long", {2, 1, 4, 1});
  add_stops(slow_banks, 1, 64);
  slow_banks.inside.bank_busy = 50;
  return all;
}

}  // namespace numatch::sim
