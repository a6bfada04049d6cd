// SPDX-License-Identifier: Apache-2.0
#include "cli/top_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace numatch::cli {

namespace {

constexpr char escape = '\033';

/// What follows ESC [ or ESC O.
constexpr std::array<std::pair<std::string_view, char>, 7> sequences{
    {{"A", 'k'}, {"B", 'j'}, {"5~", 'b'}, {"6~", 'f'}, {"H", 'g'}, {"1~", 'g'}, {"7~", 'g'}}};

/// Up to and with the letter or tilde that ends a sequence.
std::size_t length_of_sequence(std::string_view typed) {
  std::size_t length = 0;
  while (length < typed.size() && typed[length] < '@' && typed[length] != '~') ++length;
  return std::min(length + 1, typed.size());
}

}  // namespace

std::string keys_of(std::string_view typed) {
  std::string keys;
  while (!typed.empty()) {
    const char first = typed.front();
    typed.remove_prefix(1);
    if (first != escape) {
      keys += first;
      continue;
    }
    if (typed.empty() || (typed.front() != '[' && typed.front() != 'O')) continue;
    typed.remove_prefix(1);
    const std::string_view sequence = typed.substr(0, length_of_sequence(typed));
    typed.remove_prefix(sequence.size());
    for (const auto& [known, key] : sequences) {
      if (sequence == known) keys += key;
    }
  }
  return keys;
}

top_wish press(char key, top_view& view, std::size_t page) {
  const std::size_t back = std::min(view.first, std::max<std::size_t>(page, 1));
  switch (key) {
    case 'q':
      return top_wish::quit;
    case 'h':
    case '?':
      view.help = !view.help;
      break;
    case ' ':
    case 'p':
      view.paused = !view.paused;
      break;
    case '\t':
      view.pages = !view.pages;
      break;
    case 'c':
      view.order = top_order::cpu;
      break;
    case 'r':
      view.order = top_order::remote;
      break;
    case 'u':
      view.order = top_order::uses;
      break;
    case 'n':
      view.order = top_order::node;
      break;
    case 't':
      view.order = top_order::number;
      break;
    case 'k':
      view.first -= std::min<std::size_t>(view.first, 1);
      break;
    case 'j':
      ++view.first;
      break;
    case 'b':
      view.first -= back;
      break;
    case 'f':
      view.first += std::max<std::size_t>(page, 1);
      break;
    case 'g':
      view.first = 0;
      break;
    default:
      return top_wish::nothing;
  }
  return top_wish::redraw;
}

}  // namespace numatch::cli
