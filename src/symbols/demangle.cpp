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

}  // namespace numatch::symbols
