// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/doctor_text.hpp"
#include "cli/verb.hpp"

namespace numatch {

namespace {

class doctor_command : public cli::command {
 public:
  void options(CLI::App& app) override { app.add_flag("--json", json_, "Write JSON"); }

  result<int> run(cli::console& terminal) override {
    const live::system_facts facts = live::read_system_facts();
    const std::vector<cli::examined_sensor> sensors = cli::examine(live::all_sensors(), facts);
    terminal.out(json_ ? cli::doctor_json(facts, sensors) : cli::doctor_text(facts, sensors));
    const bool any =
        std::any_of(sensors.begin(), sensors.end(),
                    [](const cli::examined_sensor& sensor) { return sensor.here.works; });
    return any ? cli::fine : cli::answer_is_no;
  }

 private:
  bool json_ = false;
};

constexpr cli::example examples[] = {
    {"numatch doctor", "can numatch look into running programs here, and if not, why?"},
    {"numatch doctor --json", "the same for a script"},
};

}  // namespace

extern const verb_entry doctor_verb{
    "doctor",
    44,
    "What this machine lets numatch see, and what may interfere",
    "Says for every sensor of running programs whether it works here, for this user; if not, why, "
    "and what it would take. Lists the NUMA nodes, those without processors, too, and what else "
    "places threads and pages: NUMA Balancing, cache-aware scheduling, sched_ext, numad, cpusets "
    "and limits of control groups. Changes nothing. Exit code 0 when a sensor works, 1 when none "
    "does. docs/doctor.md explains the words.",
    examples,
    [] { return std::unique_ptr<cli::command>(new doctor_command); }};

}  // namespace numatch
