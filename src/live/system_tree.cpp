// SPDX-License-Identifier: Apache-2.0
#include "live/system_tree.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace numatch::live {

namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

}  // namespace

template <class Number>
std::optional<Number> leading_number(std::string_view text) {
  text = without_blanks(text);
  Number value = 0;
  const std::from_chars_result read =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  return value;
}

template std::optional<int> leading_number(std::string_view text);
template std::optional<unsigned> leading_number(std::string_view text);
template std::optional<std::uint64_t> leading_number(std::string_view text);

std::vector<unsigned> number_list(std::string_view text) {
  // More processors than any Linux has: a damaged list must not fill the memory.
  constexpr unsigned most = 1U << 16U;
  std::vector<unsigned> numbers;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::optional<unsigned> first = leading_number<unsigned>(part);
    if (!first) break;
    const std::size_t dash = part.find('-');
    const std::optional<unsigned> last =
        dash == std::string_view::npos ? first : leading_number<unsigned>(part.substr(dash + 1));
    if (!last || *last >= most) break;
    for (unsigned number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  return numbers;
}

system_tree::system_tree(std::string root) : root_(std::move(root)) {
  while (!root_.empty() && root_.back() == '/') root_.pop_back();
}

std::optional<std::string> system_tree::text(const std::string& path) const {
  std::ifstream file(root_ + path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  if (!content.empty() && content.back() == '\n') content.pop_back();
  return content;
}

std::optional<std::string> system_tree::value(const std::string& path, std::string_view key) const {
  const std::optional<std::string> content = text(path);
  if (!content) return std::nullopt;
  std::string_view rest = *content;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.starts_with(key)) continue;
    std::string_view behind = line.substr(key.size());
    if (behind.find_first_of(": \t") != 0) continue;
    behind.remove_prefix(1);
    return std::string(without_blanks(behind));
  }
  return std::nullopt;
}

std::optional<std::string> system_tree::chosen(const std::string& path) const {
  const std::optional<std::string> content = text(path);
  if (!content) return std::nullopt;
  const std::size_t open = content->find('[');
  const std::size_t close = content->find(']', open);
  if (open == std::string::npos || close == std::string::npos) return content;
  return content->substr(open + 1, close - open - 1);
}

bool system_tree::exists(const std::string& path) const {
  std::error_code ignored;
  return std::filesystem::exists(root_ + path, ignored);
}

std::vector<std::string> system_tree::names_in(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code failed;
  std::filesystem::directory_iterator entry(root_ + folder, failed);
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace numatch::live
