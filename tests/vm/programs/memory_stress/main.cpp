// SPDX-License-Identifier: Apache-2.0
// memory_stress: threads that make the kernel change their page tables in every way, and check each
// byte.
#include <sys/mman.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "memory_stress/operations.hpp"

namespace stress {

namespace {

constexpr const char* usage = R"(usage: memory_stress [OPTION VALUE]...
Threads do random things to memory, and check it; between them they count in pages that all share.

  --threads N     8 unless said
  --rounds N      operations of each thread; 0 (unless said): until SIGTERM
  --only NAME     this operation alone
  --seed N        1 unless said

Prints how many operations went well and which did not. Exit code 0: every byte was right.
)";

constexpr std::size_t shared_pages = 32;
constexpr std::size_t page = 4096;

struct options {
  unsigned threads = 8;
  std::uint64_t rounds = 0;
  std::uint64_t seed = 1;
  std::string only;
};

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) throw std::invalid_argument(text + " is no number");
  return value;
}

options parse(const std::vector<std::string>& words) {
  options found;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& value = words[i + 1];
    if (words[i] == "--threads") {
      found.threads = static_cast<unsigned>(number(value));
    } else if (words[i] == "--rounds") {
      found.rounds = number(value);
    } else if (words[i] == "--seed") {
      found.seed = number(value);
    } else if (words[i] == "--only") {
      found.only = value;
    } else {
      throw std::invalid_argument("unknown option " + words[i]);
    }
  }
  if (words.size() % 2 != 0) throw std::invalid_argument(words.back() + " has no value");
  return found;
}

std::vector<operation> chosen_operations(const std::string& only) {
  std::vector<operation> chosen;
  for (const operation& one : all_operations()) {
    if (only.empty() || one.name == only) chosen.push_back(one);
  }
  if (chosen.empty()) throw std::invalid_argument("there is no operation " + only);
  return chosen;
}

/// xorshift64 (Marsaglia 2003).
std::uint64_t next(std::uint64_t& state) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state;
}

class worker {
 public:
  worker(std::vector<operation> chosen, std::span<char> shared, std::uint64_t seed)
      : chosen_(std::move(chosen)), shared_(shared), state_(seed * 0x9e3779b97f4a7c15U + 1) {}

  void run(std::uint64_t rounds, const std::atomic<bool>& stop) {
    arena own;
    for (std::uint64_t round = 0; (rounds == 0 || round < rounds) && !stop; ++round) {
      for (std::size_t at = 0; at < shared_pages; ++at) count_in(at);
      surroundings in{own, shared_, next(state_)};
      const operation& one = chosen_[next(state_) % chosen_.size()];
      try {
        if (one.run(in)) {
          ++right;
        } else {
          wrong += " " + std::string(one.name);
        }
      } catch (const std::system_error& refused) {
        wrong += " " + std::string(one.name) + " (" + refused.what() + ")";
      }
    }
  }

  std::uint64_t right = 0;
  std::uint64_t counted = 0;  ///< in each shared page
  std::string wrong;

 private:
  void count_in(std::size_t at) {
    std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(shared_.data() + at * page))
        .fetch_add(1);
    if (at == 0) ++counted;
  }

  std::vector<operation> chosen_;
  std::span<char> shared_;
  std::uint64_t state_;
};

/// All threads but this one leave SIGTERM to it.
void wait_for_end(std::uint64_t rounds, std::atomic<bool>& stop) {
  if (rounds != 0) return;
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  int which = 0;
  sigwait(&end, &which);
  stop = true;
}

int run(const options& chosen) {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  if (chosen.rounds == 0) pthread_sigmask(SIG_BLOCK, &end, nullptr);
  void* const mapped = ::mmap(nullptr, shared_pages * page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::runtime_error("no memory");
  const std::span<char> shared(static_cast<char*>(mapped), shared_pages * page);
  std::vector<worker> workers;
  for (unsigned i = 0; i < chosen.threads; ++i) {
    workers.emplace_back(chosen_operations(chosen.only), shared, chosen.seed + i);
  }
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (worker& one : workers) {
    threads.emplace_back([&one, &chosen, &stop] { one.run(chosen.rounds, stop); });
  }
  std::cout << "running" << std::endl;
  wait_for_end(chosen.rounds, stop);
  for (std::thread& one : threads) one.join();
  std::uint64_t right = 0;
  std::uint64_t counted = 0;
  std::string wrong;
  for (const worker& one : workers) {
    right += one.right;
    counted += one.counted;
    wrong += one.wrong;
  }
  for (std::size_t at = 0; at < shared_pages; ++at) {
    std::uint64_t value = 0;
    std::memcpy(&value, shared.data() + at * page, sizeof value);
    if (value != counted) wrong += " shared-count";
  }
  std::cout << right << " operations right" << (wrong.empty() ? "" : ", wrong:" + wrong) << '\n';
  return wrong.empty() && right > 0 ? 0 : 1;
}

}  // namespace

}  // namespace stress

int main(int count, char** words) {
  if (count > 1 && std::string(words[1]) == "--help") {
    std::cout << stress::usage;
    return 0;
  }
  try {
    return stress::run(stress::parse({words + 1, words + count}));
  } catch (const std::exception& wrong) {
    std::cerr << "memory_stress: " << wrong.what() << '\n';
    return 2;
  }
}
