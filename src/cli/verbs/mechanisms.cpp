// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>

#include "cli/verb.hpp"
#include "mechanism/mechanism.hpp"

namespace numatch {

namespace {

class mechanisms_command : public cli::command {
 public:
  void options(CLI::App& app) override {
    app.add_option("NAME", name_, "Only this mechanism");
    app.add_flag("--json", json_, "Print JSON");
  }

  result<int> run(cli::console& terminal) override {
    std::vector<const mechanism_entry*> shown(all_mechanisms().begin(), all_mechanisms().end());
    if (!name_.empty()) {
      const result<const mechanism_entry*> found = find_mechanism(name_);
      if (!found) return tl::unexpected(found.error());
      shown = {*found};
    }
    if (json_) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const mechanism_entry* entry : shown) list.push_back(to_json(*entry));
      terminal.out(list.dump(2) + "\n");
    } else {
      for (const mechanism_entry* entry : shown) terminal.out(to_text(*entry));
    }
    return cli::fine;
  }

 private:
  static nlohmann::ordered_json to_json(const mechanism_entry& entry) {
    nlohmann::ordered_json json{{"name", entry.name},
                                {"summary", entry.summary},
                                {"source", entry.source},
                                {"matrix_unit", nullptr},
                                {"max_threads", entry.max_threads}};
    if (!entry.matrix_unit.empty()) json["matrix_unit"] = entry.matrix_unit;
    json["senses"] = nlohmann::ordered_json::array();
    for (const event_kind kind : entry.needs) json["senses"].push_back(to_string(kind));
    json["acts"] = nlohmann::ordered_json::array();
    for (const action_kind kind : entry.acts) json["acts"].push_back(to_string(kind));
    json["parameters"] = nlohmann::ordered_json::array();
    for (const parameter& p : entry.parameters) {
      json["parameters"].push_back({{"name", p.name},
                                    {"default", p.fallback},
                                    {"unit", p.unit},
                                    {"help", p.help},
                                    {"source", p.source}});
    }
    return json;
  }

  static std::string to_text(const mechanism_entry& entry) {
    std::string text = fmt::format("{}  {}\n", entry.name, entry.summary);
    for (const event_kind kind : entry.needs) {
      text += fmt::format("    senses {}\n", to_string(kind));
    }
    if (!entry.matrix_unit.empty()) {
      text += fmt::format("    counts {}\n", entry.matrix_unit);
    }
    for (const action_kind kind : entry.acts) {
      text += fmt::format("    can {}\n", to_string(kind));
    }
    for (const parameter& p : entry.parameters) {
      text += fmt::format("    {:<24} {} [{}]\n", fmt::format("{}={}", p.name, p.fallback), p.help,
                          p.source);
    }
    return text + "\n";
  }

  std::string name_;
  bool json_ = false;
};

constexpr std::array<cli::example, 2> examples{{
    {"numatch mechanisms", "lists the mechanisms and their parameters"},
    {"numatch mechanisms sammu --json", "the same of one of them, as JSON"},
}};

}  // namespace

extern const verb_entry mechanisms_verb;
const verb_entry mechanisms_verb{
    "mechanisms",
    70,
    "List the mechanisms that find sharing or place threads and pages",
    "What each mechanism senses, what it counts, what it can do on a machine, and its parameters "
    "with their defaults and where these come from. One that counts nothing only says what goes "
    "where. Parameters are given to numatch profile as --param NAME=VALUE.",
    examples,
    [] { return std::unique_ptr<cli::command>(std::make_unique<mechanisms_command>()); },
};

}  // namespace numatch
