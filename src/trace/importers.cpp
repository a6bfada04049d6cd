// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/importers.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "trace/encoder.hpp"
#include "trace/session.hpp"

namespace numatch::trace {

namespace {

/// What one line of a foreign trace says.
struct foreign_line {
  enum class kind { nothing, instruction, read, write, modify } what = kind::nothing;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

/// Empty for a line that is none of the format.
using line_parser = std::optional<foreign_line> (*)(std::string_view line);

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// A number and the rest of the text behind it.
template <class Number>
bool take_number(std::string_view& text, Number& value, int base) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (problem != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<foreign_line> parse_lackey(std::string_view line) {
  foreign_line parsed;
  if (line.starts_with("==") || trimmed(line).empty()) return parsed;
  const std::string_view text = trimmed(line);
  using kind = foreign_line::kind;
  switch (text.front()) {
    case 'I':
      parsed.what = kind::instruction;
      break;
    case 'L':
      parsed.what = kind::read;
      break;
    case 'S':
      parsed.what = kind::write;
      break;
    case 'M':
      parsed.what = kind::modify;
      break;
    default:
      return std::nullopt;
  }
  std::string_view rest = trimmed(text.substr(1));
  if (!take_number(rest, parsed.address, 16) || !rest.starts_with(',')) return std::nullopt;
  rest.remove_prefix(1);
  if (!take_number(rest, parsed.bytes, 10) || !rest.empty() || parsed.bytes == 0) {
    return std::nullopt;
  }
  return parsed;
}

std::optional<foreign_line> parse_din(std::string_view line) {
  foreign_line parsed;
  std::string_view rest = trimmed(line);
  if (rest.empty()) return parsed;
  unsigned label = 0;
  if (!take_number(rest, label, 10) || label > 2) return std::nullopt;
  using kind = foreign_line::kind;
  constexpr kind kinds[] = {kind::read, kind::write, kind::instruction};
  parsed.what = kinds[label];
  parsed.bytes = 4;
  if (rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) return std::nullopt;
  rest = trimmed(rest);
  if (!take_number(rest, parsed.address, 16)) return std::nullopt;
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return std::nullopt;
  return parsed;
}

result<std::ifstream> open_text(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return fail(path.string(), "is a directory", "name a file");
  }
  std::ifstream text(path);
  if (!text) return fail(path.string(), std::strerror(errno));
  return text;
}

/// Calls use(line) for each; an error for a line that cannot be parsed.
template <class Use>
result<void> for_each_line(const std::filesystem::path& path, line_parser parse, Use use) {
  result<std::ifstream> text = open_text(path);
  if (!text) return tl::unexpected(text.error());
  std::string line;
  for (std::uint64_t number = 1; std::getline(*text, line); ++number) {
    const std::optional<foreign_line> parsed = parse(line);
    if (!parsed) {
      return fail(fmt::format("{}, line {}", path.string(), number),
                  fmt::format("'{:.60}' is not of this format", line));
    }
    if (!use(*parsed)) return {};
  }
  if (text->bad()) return fail(path.string(), "could not be read to its end");
  return {};
}

result<bool> has_instructions(const std::filesystem::path& path, line_parser parse) {
  bool found = false;
  const auto look = [&found](const foreign_line& line) {
    found = line.what == foreign_line::kind::instruction;
    return !found;
  };
  if (result<void> r = for_each_line(path, parse, look); !r) return tl::unexpected(r.error());
  return found;
}

void record_line(thread_recorder* t, const foreign_line& line, std::uint64_t& pc) {
  using kind = foreign_line::kind;
  if (line.what == kind::nothing) return;
  if (line.what == kind::instruction) {
    pc = line.address;
    record_instructions(t, 1);
    return;
  }
  if (line.what != kind::write) record_access(t, pc, line.address, line.bytes, false);
  if (line.what != kind::read) record_access(t, pc, line.address, line.bytes, true);
}

result<void> import_lines(const std::filesystem::path& input, const std::filesystem::path& output,
                          const std::string& format, line_parser parse) {
  const result<bool> counts = has_instructions(input, parse);
  if (!counts) return tl::unexpected(counts.error());
  trace_metadata metadata;
  metadata.frontend = "import:" + format;
  metadata.command = {input.string()};
  metadata.counts_instructions = *counts;
  result<session> made = session::create(output, metadata, {});
  if (!made) return tl::unexpected(made.error());
  recorder* const inside = join_session(made->path().c_str());
  thread_recorder* const t = inside == nullptr ? nullptr : begin_thread(inside, 0, ~0U);
  if (t == nullptr) return fail(output.string(), "the recorder could not be started");
  std::uint64_t pc = 0;
  const auto record = [&](const foreign_line& line) {
    record_line(t, line, pc);
    return true;
  };
  const result<void> read = for_each_line(input, parse, record);
  end_thread(t);
  leave_session(inside);
  if (!read) return read;
  return made->finish({});
}

}  // namespace

result<void> import_lackey(const std::filesystem::path& input,
                           const std::filesystem::path& output) {
  return import_lines(input, output, "lackey", parse_lackey);
}

result<void> import_din(const std::filesystem::path& input, const std::filesystem::path& output) {
  return import_lines(input, output, "din", parse_din);
}

}  // namespace numatch::trace
