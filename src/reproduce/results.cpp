// SPDX-License-Identifier: Apache-2.0
#include "reproduce/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace numatch::reproduce {

namespace {

/// Gives a run one value of a sweep: a key with a colon is a parameter of the mechanism before it,
/// which the runs of others do not have.
void set_value(wanted_run& run, const std::string& key, const std::string& value) {
  const std::size_t colon = key.find(':');
  if (colon == std::string::npos) {
    run.settings.push_back(fmt::format("{}={}", key, value));
  } else if (run.mechanism == std::string_view(key).substr(0, colon)) {
    run.parameters.push_back(fmt::format("{}={}", key.substr(colon + 1), value));
  }
}

}  // namespace

std::string wanted_run::key() const {
  const std::string region =
      region_of_interest ? (*region_of_interest ? "region" : "whole") : "as the program says";
  return fmt::format("{} [{}] /{} {} {} [{}] {}", machine, fmt::join(settings, ", "), time_scale,
                     mechanism, half, fmt::join(parameters, ", "), region);
}

std::string wanted_run::program_for(const std::string& program) const {
  if (instead.empty()) return program;
  const auto found = instead.find(program);
  return found == instead.end() ? std::string() : found->second;
}

const suite_class& size_for(const suite_paper& paper, const suite_class& size) {
  const auto own = std::ranges::find(paper.classes, size.name, &suite_class::name);
  return own == paper.classes.end() ? size : *own;
}

std::vector<wanted_run> runs_of(const suite_paper& paper, const suite_class& size) {
  const suite_class& own = size_for(paper, size);
  wanted_run common;
  common.machine = paper.machine;
  common.settings = own.settings;
  common.time_scale = own.time_scale;
  std::vector<wanted_run> runs;
  const auto add = [&](std::string title, const std::string& mechanism, const std::string& half) {
    runs.push_back(common);
    runs.back().title = std::move(title);
    runs.back().mechanism = mechanism;
    runs.back().half = half;
  };
  if (paper.against.empty()) add("baseline", "", "");
  for (const std::string& mechanism : paper.mechanisms) {
    add(mechanism, mechanism, "");
    if (std::ranges::find(paper.halves, mechanism) == paper.halves.end()) continue;
    for (const char* const half : {"threads", "pages"}) {
      add(fmt::format("{} ({})", mechanism, half), mechanism, half);
    }
  }
  for (const suite_run& run : paper.runs) {
    add(run.name, run.mechanism, run.half);
    runs.back().parameters = run.parameters;
    runs.back().settings.insert(runs.back().settings.end(), run.settings.begin(),
                                run.settings.end());
    runs.back().region_of_interest = run.region_of_interest;
    runs.back().instead = run.instead;
  }
  return runs;
}

std::vector<sweep_point> points_of(const suite_paper& paper, const suite_sweep& sweep,
                                   const suite_class& size) {
  if (!sweep.classes.empty() && std::ranges::find(sweep.classes, size.name) == sweep.classes.end())
    return {};
  std::vector<sweep_point> points;
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    sweep_point point{sweep.values[i], {}};
    for (wanted_run& run : runs_of(paper, size)) {
      const bool named = std::ranges::find(sweep.runs, run.title) != sweep.runs.end();
      if (run.title != "baseline" && !named) continue;
      set_value(run, sweep.key, sweep.values[i]);
      for (const auto& [key, values] : sweep.with) set_value(run, key, values[i]);
      point.runs.push_back(std::move(run));
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace numatch::reproduce
