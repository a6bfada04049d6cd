// SPDX-License-Identifier: Apache-2.0
#include "cli/map_options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/atomic_file.hpp"
#include "base/suggest.hpp"
#include "mapping/mapping_file.hpp"
#include "mapping/request_check.hpp"

namespace numatch::cli {

namespace {

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The parts between commas; an empty text has one empty part.
std::vector<std::string_view> between_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

template <class Value>
struct named {
  std::string_view name;
  Value value;
};
constexpr named<mapping_budget> budgets[] = {{"online", mapping_budget::online},
                                             {"default", mapping_budget::standard},
                                             {"best", mapping_budget::best}};
constexpr named<fill_policy> policies[] = {
    {"auto", fill_policy::automatic}, {"spread", fill_policy::spread}, {"pack", fill_policy::pack}};

template <class Value, std::size_t Count>
result<Value> by_name(std::string_view option, const std::string& text,
                      const named<Value> (&choices)[Count]) {
  std::vector<std::string_view> names;
  for (const named<Value>& choice : choices) {
    if (choice.name == text) return choice.value;
    names.push_back(choice.name);
  }
  return fail(std::string(option), fmt::format("there is no '{}'", text), suggest(text, names));
}

}  // namespace

result<std::vector<pu_id>> parse_pus(const std::string& text) {
  // Beyond any machine, so that a slip does not fill the memory.
  constexpr std::uint32_t longest_range = 1U << 20U;
  std::vector<pu_id> pus;
  for (const std::string_view part : between_commas(text)) {
    const std::size_t dash = part.find('-');
    const std::optional<std::uint32_t> first = whole_number(part.substr(0, dash));
    const std::optional<std::uint32_t> last =
        dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= longest_range) {
      return fail("--allowed", fmt::format("'{}' is no PU and no range of PUs", part),
                  "write a list like 0-3,8");
    }
    for (std::uint32_t pu = *first; pu <= *last; ++pu) pus.emplace_back(pu);
  }
  return pus;
}

result<std::vector<std::optional<pu_id>>> parse_pins(const std::string& text, std::size_t threads) {
  std::vector<std::optional<pu_id>> pins(threads);
  for (const std::string_view part : between_commas(text)) {
    const std::size_t colon = part.find(':');
    const std::optional<std::uint32_t> thread = whole_number(part.substr(0, colon));
    const std::optional<std::uint32_t> pu =
        colon == std::string_view::npos ? std::nullopt : whole_number(part.substr(colon + 1));
    if (!thread || !pu) {
      return fail("--pin", fmt::format("'{}' is not THREAD:PU", part), "write a list like 0:3,5:2");
    }
    if (*thread >= threads) {
      return fail("--pin", fmt::format("there is no thread {}", *thread),
                  fmt::format("threads are 0 to {}", threads - 1));
    }
    if (pins[*thread]) {
      return fail("--pin",
                  fmt::format("thread {} is pinned to PU {} and to PU {}", *thread,
                              pins[*thread]->value, *pu),
                  "pin a thread once");
    }
    pins[*thread] = pu_id(*pu);
  }
  return pins;
}

result<std::vector<double>> read_numbers(const std::string& path) {
  const result<std::string> text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  std::vector<double> numbers;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text->size();) {
    const char c = (*text)[at];
    if (c == '#') {
      at = std::min(text->find('\n', at), text->size());
    } else if (c == '\n' || c == ' ' || c == '\t' || c == ',' || c == '\r') {
      if (c == '\n') ++line;
      ++at;
    } else {
      const std::size_t end = std::min(text->find_first_of("\n \t,\r#", at), text->size());
      double value = 0;
      const auto [stop, problem] = std::from_chars(text->data() + at, text->data() + end, value);
      if (problem != std::errc() || stop != text->data() + end) {
        return fail(fmt::format("{}:{}", path, line),
                    fmt::format("'{}' is not a number",
                                text->substr(at, std::min<std::size_t>(end - at, 40))));
      }
      numbers.push_back(value);
      at = end;
    }
  }
  return numbers;
}

void map_options::add_to(CLI::App& app) {
  app_ = &app;
  app.add_option("--budget", budget_,
                 "Of numatch, work put into the answer: online (while a program waits), default, "
                 "best (offline)")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option(
         "--policy", policy_,
         "Where there is room to spare: auto (cost decides, but a core holds no more than its "
         "share), spread, pack")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--allowed", allowed_text_, "Use only these PUs, logical numbers like 0-3,8")
      ->type_name("PUS");
  app.add_option("--pin", pins_text_, "Keep threads on PUs: thread:PU, like 0:3,5:2")
      ->type_name("PINS");
  app.add_option("--weights", weights_file_,
                 "Load of the threads, one number > 0 each; 1 unless said")
      ->type_name("FILE");
  app.add_option("--current", current_file_,
                 "Where the threads run now, as written by -o; they move only where that pays")
      ->type_name("MAPPING");
  app.add_option(
         "--move-cost", move_cost_,
         "What moving a thread costs, in the unit of the cost; needs --current. Unless said, a "
         "hundredth of what a thread pays on average where it runs now")
      ->type_name("X");
  app.add_option("--alpha", alpha_,
                 "Of greedy: threads are a pair when they share more than this much of what the "
                 "heaviest pair shares, 0 to 1")
      ->type_name("X")
      ->capture_default_str();
  app.add_option("--seed", seed_, "Of the random choices of numatch, random, scotch")
      ->capture_default_str();
}

result<void> map_options::fill(mapping_request& request) {
  const result<mapping_budget> budget = by_name("--budget", budget_, budgets);
  if (!budget) return tl::unexpected(budget.error());
  const result<fill_policy> policy = by_name("--policy", policy_, policies);
  if (!policy) return tl::unexpected(policy.error());
  request.budget = *budget;
  request.policy = *policy;
  request.seed = seed_;
  request.alpha = alpha_;
  request.move_cost = move_cost_.value_or(0);
  if (!allowed_text_.empty()) {
    result<std::vector<pu_id>> allowed = parse_pus(allowed_text_);
    if (!allowed) return tl::unexpected(allowed.error());
    allowed_ = std::move(*allowed);
    request.allowed = allowed_;
  }
  if (!pins_text_.empty()) {
    result<std::vector<std::optional<pu_id>>> pins = parse_pins(pins_text_, request.sharing.size());
    if (!pins) return tl::unexpected(pins.error());
    pinned_ = std::move(*pins);
    request.pinned = pinned_;
  }
  if (!weights_file_.empty()) {
    result<std::vector<double>> weights = read_numbers(weights_file_);
    if (!weights) return tl::unexpected(weights.error());
    if (weights->empty()) return fail(weights_file_, "has no number", "write one per thread");
    weights_ = std::move(*weights);
    request.weights = weights_;
  }
  if (!current_file_.empty()) {
    result<saved_mapping> current = read_mapping(current_file_);
    if (!current) return tl::unexpected(current.error());
    current_ = std::move(current->answer.mapping);
    request.current = &current_;
    if (!move_cost_ && check_request(request)) request.move_cost = stable_move_cost(request);
  }
  return {};
}

result<void> map_options::check_used(std::span<const mapping_algorithm* const> algorithms) const {
  constexpr std::pair<const char*, bool algorithm_knobs::*> options[] = {
      {"--alpha", &algorithm_knobs::alpha},
      {"--budget", &algorithm_knobs::budget},
      {"--seed", &algorithm_knobs::seed}};
  for (const auto& [option, knob] : options) {
    if (app_->count(option) == 0) continue;
    const auto uses_it = [knob = knob](const mapping_algorithm* a) { return a->uses.*knob; };
    if (std::any_of(algorithms.begin(), algorithms.end(), uses_it)) continue;
    std::vector<std::string_view> users;
    for (const mapping_algorithm* algorithm : all_algorithms()) {
      if (uses_it(algorithm)) users.push_back(algorithm->name);
    }
    return fail(option, fmt::format("does nothing with {}", algorithms.front()->name),
                fmt::format("it is for {}", fmt::join(users, ", ")));
  }
  return {};
}

error map_options::in_words_of_the_user(error complaint) const {
  const std::pair<std::string_view, std::string> words[] = {
      {"allowed PUs", "--allowed"},       {"pinned threads", "--pin"},  {"weights", weights_file_},
      {"current mapping", current_file_}, {"move cost", "--move-cost"}, {"alpha", "--alpha"}};
  for (const auto& [where, place] : words) {
    if (complaint.where == where) complaint.where = place;
  }
  return complaint;
}

std::string map_options::note(const mapping_request& request) {
  if (request.allowed.empty() || request.allowed.size() >= request.sharing.size()) return {};
  const std::size_t threads = request.sharing.size();
  const std::size_t pus = request.allowed.size();
  return fmt::format("{} threads on {} allowed PUs: up to {} share one", threads, pus,
                     (threads + pus - 1) / pus);
}

}  // namespace numatch::cli
