// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "symbols/symbols.hpp"

namespace numatch::symbols {

std::string demangle(const char* name) {
  if (name == nullptr) return {};
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  // Short C names ("i", "f") are valid encodings of types; only _Z… are C++ names.
  const bool mangled = name[0] == '_' && name[1] == 'Z';
  return mangled && status == 0 ? std::string(text.get()) : std::string(name);
}

std::string without_parameters(std::string function) {
  const std::size_t close = function.rfind(')');
  if (close == std::string::npos) return function;
  std::size_t open = close;
  int depth = 1;
  while (depth > 0 && open > 0) {
    --open;
    if (function[open] == ')') ++depth;
    if (function[open] == '(') --depth;
  }
  // "(anonymous namespace)::f" and "operator()" end in other parentheses.
  if (depth != 0 || open == 0 || function.compare(close, 3, ")::") == 0) return function;
  if (function.ends_with("operator()")) return function;
  return function.substr(0, open);
}

}  // namespace numatch::symbols
