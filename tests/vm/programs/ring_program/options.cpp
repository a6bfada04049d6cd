// SPDX-License-Identifier: Apache-2.0
#include "ring_program/options.hpp"

#include <charconv>
#include <map>
#include <stdexcept>
#include <utility>

namespace ring {

namespace {

/// A slot of 8 bytes for each thread in each page of 4096.
constexpr unsigned most_threads = 512;

template <typename Number>
Number number(const std::string& option, const std::string& text, Number least, Number most) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || value < least || value > most) {
    throw std::invalid_argument(option + " " + text + ": a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

template <typename Value>
Value word(const std::string& option, const std::string& text,
           const std::map<std::string, Value>& known) {
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  std::string names;
  for (const auto& [name, value] : known) names += " " + name;
  throw std::invalid_argument(option + " " + text + ": one of" + names);
}

bool read_flag(const std::string& option, options& into) {
  const std::map<std::string, bool options::*> flags = {
      {"--random-creation", &options::random_creation},
      {"--huge", &options::huge},
      {"--lock", &options::lock},
  };
  const auto found = flags.find(option);
  if (found == flags.end()) return false;
  into.*(found->second) = true;
  return true;
}

bool read_number(const std::string& option, const std::string& text, options& into) {
  const std::map<std::string, std::pair<unsigned options::*, std::pair<unsigned, unsigned>>> small =
      {
          {"--threads", {&options::threads, {1, most_threads}}},
          {"--processes", {&options::processes, {1, 8}}},
          {"--read-percent", {&options::read_percent, {0, 100}}},
          {"--compute", {&options::compute, {0, 1'000'000}}},
          {"--short-threads", {&options::short_threads, {0, 100'000}}},
          {"--forks", {&options::forks, {0, 10'000}}},
          {"--execs", {&options::execs, {0, 10'000}}},
          {"--stress", {&options::stress, {0, 16}}},
      };
  if (const auto found = small.find(option); found != small.end()) {
    const auto& [member, range] = found->second;
    into.*member = number<unsigned>(option, text, range.first, range.second);
    return true;
  }
  constexpr std::size_t most_pages = std::size_t{1} << 20U;
  if (option == "--private-pages") {
    into.private_pages = number<std::size_t>(option, text, 0, most_pages);
  } else if (option == "--shared-pages") {
    into.shared_pages = number<std::size_t>(option, text, 0, most_pages);
  } else if (option == "--seed") {
    into.seed = number<std::uint64_t>(option, text, 0, UINT64_MAX);
  } else if (option == "--accesses") {
    into.accesses = number<std::uint64_t>(option, text, 1, UINT64_MAX);
  } else {
    return false;
  }
  return true;
}

void read_word(const std::string& option, const std::string& text, options& into) {
  if (option == "--pattern") {
    into.pattern = word<sharing>(
        option, text, {{"ring", sharing::ring}, {"pairs", sharing::pairs}, {"all", sharing::all}});
  } else if (option == "--touch") {
    into.touch = word<first_touch>(
        option, text, {{"users", first_touch::users}, {"main", first_touch::main_thread}});
  } else if (option == "--cpus") {
    into.cpus = word<cpu_use>(
        option, text,
        {{"free", cpu_use::free}, {"scrambled", cpu_use::scrambled}, {"kept", cpu_use::kept}});
  } else if (option == "--memory") {
    into.memory = word<memory_kind>(
        option, text, {{"anonymous", memory_kind::anonymous}, {"memfd", memory_kind::memfd}});
  } else if (option == "--file") {
    into.memory = memory_kind::file;
    into.file = text;
  } else if (option == "--report") {
    into.report = text;
  } else {
    throw std::invalid_argument("unknown option " + option + "; see ring_program --help");
  }
}

void check(options& found) {
  if (found.private_pages + found.shared_pages == 0) {
    throw std::invalid_argument("without private and shared pages there is nothing to access");
  }
  if (found.pattern == sharing::pairs && found.threads % 2 != 0) {
    throw std::invalid_argument("--pattern pairs needs an even number of threads");
  }
  if (found.processes > found.threads) {
    throw std::invalid_argument("more processes than threads");
  }
  if (found.processes > 1 && found.memory == memory_kind::anonymous) {
    found.memory = memory_kind::memfd;
  }
}

}  // namespace

std::optional<options> parse(const std::vector<std::string>& words) {
  options found;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& option = words[at];
    if (option == "--help") return std::nullopt;
    if (read_flag(option, found)) continue;
    if (at + 1 == words.size()) {
      throw std::invalid_argument("unknown option, or one without its value: " + option);
    }
    const std::string& text = words[++at];
    if (!read_number(option, text, found)) read_word(option, text, found);
  }
  check(found);
  return found;
}

const char* usage() {
  return R"(usage: ring_program [OPTION...]
Threads that access private pages and pages shared with others in a random order, keep their own record
of which thread accessed which page, and check every byte they wrote.

  --threads N          8; up to 512
  --processes N        1; thread t belongs to process t % N; the memory is then a memfd
  --private-pages N    256 per thread
  --shared-pages N     256 per shared region; there are as many regions as threads
  --pattern P          ring: region r belongs to threads r and r + 1; pairs: to 2k and 2k + 1; all: to all
  --read-percent N     50
  --seed N             1
  --accesses N         of each thread; without it the program runs until SIGTERM
  --compute N          0; steps of arithmetic after each access
  --random-creation    creates the threads in a random order
  --touch users|main   users: who uses a page touches it first; main: the main thread, on its first CPU
  --cpus free|scrambled|kept  kept: each thread binds itself; scrambled: starts so and is free afterwards
  --memory anonymous|memfd, --file PATH    where the pages come from
  --huge, --lock       asks for huge pages, which it otherwise refuses; locks the pages in memory
  --short-threads N, --forks N, --execs N  made meanwhile, one after the other
  --stress N           threads that do meanwhile what memory_stress does; they move the pages, but never use them
  --report FILE        written at SIGUSR1 and at the end; process p > 0 writes FILE.p

SIGUSR1 writes the report, SIGUSR2 changes the partners, SIGTERM ends the program.
Exit code: 0 all sums are right, 1 one is wrong, 2 the program could not run.
)";
}

}  // namespace ring
