// SPDX-License-Identifier: Apache-2.0
#include "live/proc_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "live/owned_fd.hpp"
#include "live/text_fields.hpp"

namespace numatch::live {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The kernel writes a newline in a file name as "\012".
std::string file_name(std::string_view text) {
  std::string name(trimmed(text));
  for (std::size_t at = name.find("\\012"); at != std::string::npos; at = name.find("\\012", at)) {
    name.replace(at, 4, "\n");
  }
  return name;
}

std::optional<mapped_range> parse_mapping(std::string_view line) {
  mapped_range range;
  const std::string_view first = take_until(line, '-');
  const std::string_view end = take_until(line, ' ');
  const std::string_view rights = take_until(line, ' ');
  const std::string_view offset = take_until(line, ' ');
  const std::string_view major_number = take_until(line, ':');
  const std::string_view minor_number = take_until(line, ' ');
  const std::string_view inode = take_until(line, ' ');
  unsigned device_major = 0;
  unsigned device_minor = 0;
  const bool good = parse_number(first, 16, range.first) && parse_number(end, 16, range.end) &&
                    rights.size() == 4 && parse_number(offset, 16, range.offset) &&
                    parse_number(major_number, 16, device_major) &&
                    parse_number(minor_number, 16, device_minor) &&
                    parse_number(inode, 10, range.inode);
  if (!good || range.end <= range.first) return std::nullopt;
  range.readable = rights[0] == 'r';
  range.writable = rights[1] == 'w';
  range.executable = rights[2] == 'x';
  range.shared = rights[3] == 's';
  range.device = makedev(device_major, device_minor);
  range.name = file_name(line);
  return range;
}

}  // namespace

std::optional<std::string> read_proc(const std::string& path) {
  const owned_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 16384> part{};
  for (;;) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got == 0) return text;
    if (got > 0) {
      text.append(part.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

std::string task_folder(pid_t process, pid_t task) {
  return fmt::format("/proc/{}/task/{}/", process, task);
}

std::optional<task_stat> parse_task_stat(std::string_view text) {
  // The name is in parentheses and may contain blanks and parentheses itself.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return std::nullopt;
  text.remove_prefix(name_end + 2);
  constexpr int state_field = 3;
  constexpr int start_time_field = 22;
  task_stat stat;
  stat.state = text.front();
  for (int field = state_field; field < start_time_field; ++field) take_until(text, ' ');
  if (!parse_number(take_until(text, ' '), 10, stat.start_time)) return std::nullopt;
  return stat;
}

std::optional<task_stat> read_task_stat(pid_t process, pid_t task) {
  const std::optional<std::string> text = read_proc(task_folder(process, task) + "stat");
  return text ? parse_task_stat(*text) : std::nullopt;
}

std::optional<std::string_view> status_field(std::string_view status, std::string_view name) {
  while (!status.empty()) {
    const std::string_view line = take_until(status, '\n');
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') {
      return trimmed(line.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

std::vector<mapped_range> parse_mappings(std::string_view text) {
  std::vector<mapped_range> ranges;
  while (!text.empty()) {
    if (std::optional<mapped_range> range = parse_mapping(take_until(text, '\n'))) {
      ranges.push_back(std::move(*range));
    }
  }
  return ranges;
}

}  // namespace numatch::live
