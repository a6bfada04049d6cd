// SPDX-License-Identifier: Apache-2.0
#include "report/format.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace numatch::report {

namespace {

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::string ranges(const std::vector<std::uint64_t>& sorted) {
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", sorted[i]);
    if (last > i) text += fmt::format("{}{}", last == i + 1 ? ", " : "–", sorted[last]);
    i = last + 1;
  }
  return text;
}

/// Three digits: 1.23, 12.3, 123.
std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

std::string percent(double share) {
  const double value = 100 * share;
  if (value == 0) return "0 %";
  if (value < 0.01) return "< 0.01 %";
  if (value < 0.995) return fmt::format("{:.2f} %", value);
  if (value >= 99.95) return value >= 100 ? "100 %" : "> 99.9 %";
  return fmt::format("{:.1f} %", value);
}

std::string amount(double value) {
  static constexpr std::array<std::string_view, 6> units{"", " k", " M", " G", " T", " P"};
  if (std::abs(value) < 999.5) {
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  }
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return three_digits(value) + std::string(units[unit]);
}

std::string bytes(std::uint64_t value) {
  static constexpr std::array<std::string_view, 6> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (value < 1024) return fmt::format("{} B", value);
  double scaled = static_cast<double>(value);
  std::size_t unit = 0;
  while (scaled >= 1023.5 && unit + 1 < units.size()) {
    scaled /= 1024;
    ++unit;
  }
  if (scaled == std::floor(scaled)) return fmt::format("{:.0f} {}", scaled, units[unit]);
  return fmt::format("{} {}", three_digits(scaled), units[unit]);
}

std::string id_list(const std::vector<thread_id>& ids) {
  std::vector<std::uint64_t> values;
  for (thread_id id : ids) values.push_back(id.value);
  return ranges(values);
}

std::string thread_label(const profile& learned, thread_id id) {
  const bool named =
      id.index() < learned.threads.size() && !learned.threads[id.index()].name.empty();
  return named ? fmt::format("{} {}", id.value, learned.threads[id.index()].name)
               : fmt::format("{}", id.value);
}

std::string source_place(const data_object& object) {
  std::string place = object.function;
  if (!object.file.empty()) {
    if (!place.empty()) place += ", ";
    place += object.line > 0 ? fmt::format("{}:{}", object.file, object.line) : object.file;
  }
  return place;
}

std::string byte_ranges(std::uint64_t mask) {
  std::vector<std::uint64_t> set;
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    if ((mask >> bit & 1) != 0) set.push_back(bit);
  }
  return set.empty() ? "–" : ranges(set);
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (char c : text) count += continues_character(c) ? 0 : 1;
  return count;
}

std::string fit(std::string_view text, std::size_t width) {
  const bool cut = columns(text) > width;
  const std::size_t most = cut ? width - 1 : width;
  std::string fitted;
  std::size_t used = 0;
  for (char c : text) {
    if (!continues_character(c) && ++used > most) break;
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    fitted += control ? std::string("·") : std::string(1, c);
  }
  return cut ? fitted + "…" : fitted;
}

std::string pad(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    std::size_t end = text.find(' ');
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace numatch::report
