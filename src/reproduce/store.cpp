// SPDX-License-Identifier: Apache-2.0
#include "reproduce/store.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "base/atomic_file.hpp"

namespace numatch::reproduce {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t hash_start = 0xcbf29ce484222325;

std::uint64_t hash_on(std::uint64_t hash, std::string_view text) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

bool describes(const fs::path& file, const std::string& description) {
  const result<std::string> text = read_file(file);
  return text && *text == description;
}

}  // namespace

std::uint64_t hash_of(std::string_view text) {
  return hash_on(hash_start, text);
}

result<std::string> content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(file.string(), "cannot be read");
  std::array<char, 65536> buffer{};
  std::uint64_t hash = hash_start;
  std::uint64_t bytes = 0;
  while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
    const auto got = static_cast<std::size_t>(in.gcount());
    hash = hash_on(hash, {buffer.data(), got});
    bytes += got;
  }
  return fmt::format("{} bytes {:016x}", bytes, hash);
}

result<store> store::open(const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    return fail(folder.string(), problem.message(), "name a folder that can be written");
  }
  return store(folder);
}

fs::path store::file(const std::string& description, const char* ending) const {
  return folder_ / fmt::format("{:016x}{}", hash_of(description), ending);
}

fs::path store::trace_file(const std::string& description) const {
  return file(description, ".nmt");
}

bool store::has_trace(const std::string& description) const {
  std::error_code ignored;
  return describes(file(description, ".txt"), description) &&
         fs::is_regular_file(trace_file(description), ignored);
}

result<void> store::keep_trace(const std::string& description) const {
  return write_file(file(description, ".txt"), description);
}

std::optional<std::string> store::text(const std::string& description) const {
  if (!describes(file(description, ".txt"), description)) return std::nullopt;
  result<std::string> text = read_file(file(description, ".kept"));
  if (!text) return std::nullopt;
  return *std::move(text);
}

std::optional<run_facts> store::run(const std::string& description) const {
  const std::optional<std::string> kept = text(description);
  if (!kept) return std::nullopt;
  const result<run_facts> facts = run_facts_of(*kept);
  if (!facts) return std::nullopt;
  return *facts;
}

result<void> store::keep_run(const std::string& description, const run_facts& facts) const {
  return keep_text(description, to_json(facts));
}

result<void> store::keep_text(const std::string& description, const std::string& text) const {
  // The description comes last: it says that what it describes is whole.
  if (result<void> r = write_file(file(description, ".kept"), text); !r) return r;
  return write_file(file(description, ".txt"), description);
}

}  // namespace numatch::reproduce
