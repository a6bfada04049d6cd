// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "compare/allowed_pus.hpp"
#include "compare/method.hpp"
#include "mapping/mapping_file.hpp"
#include "pattern/profile.hpp"

namespace numatch::compare {

namespace {

/// A profile is an SQLite file, which begins with its name.
bool is_profile(const std::string& path) {
  constexpr std::string_view magic = "SQLite format 3";
  std::string begin(magic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == magic;
}

result<saved_mapping> map_profile(const std::string& path, const situation& here) {
  const result<profile> learned = load_profile(path);
  if (!learned) return tl::unexpected(learned.error());
  const result<const mapping_algorithm*> algorithm = find_algorithm("numatch");
  if (!algorithm) return tl::unexpected(algorithm.error());
  const distance_table distances(here.machine);
  const std::vector<pu_id> allowed = allowed_pus(here.machine, here.allowed);
  mapping_request request{learned->sharing, here.machine, distances};
  request.allowed = allowed;
  result<mapping_answer> answer = map_threads(**algorithm, request);
  if (!answer) return fail(path, answer.error().what, answer.error().hint);
  saved_mapping mapping;
  mapping.answer = std::move(*answer);
  mapping.pages = place_pages(*learned, mapping.answer.mapping, here.machine);
  return mapping;
}

}  // namespace

result<file_method> method_of_file(const std::string& path, const situation& here) {
  const bool profiled = is_profile(path);
  const result<saved_mapping> mapping = profiled ? map_profile(path, here) : read_mapping(path);
  if (!mapping) return tl::unexpected(mapping.error());
  result<live::pin_plan> plan = live::plan_pins(*mapping, here.machine, here.allowed);
  if (!plan) return fail(path, plan.error().what, plan.error().hint);
  file_method made;
  made.notes = plan->notes;
  if (plan->cpu_of_thread.size() != here.threads) {
    made.notes.push_back(fmt::format("the mapping has {} threads, the program started {}",
                                     plan->cpu_of_thread.size(), here.threads));
  }
  for (std::string& note : made.notes) note = fmt::format("{}: {}", path, note);
  made.how.name = std::filesystem::path(path).filename().string();
  made.how.summary = profiled ? "the profile, mapped onto this machine" : "the mapping";
  made.how.why_not = [](const situation&) { return std::string(); };
  made.how.prepare = [setup = run_setup{std::move(*plan), std::nullopt}](
                         const situation&, std::uint64_t) -> result<run_setup> { return setup; };
  return made;
}

}  // namespace numatch::compare
