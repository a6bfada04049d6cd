// SPDX-License-Identifier: Apache-2.0
#include "frontend/choose.hpp"

#include <array>

#include "base/suggest.hpp"

namespace numatch::frontend {

std::string_view name_of(kind frontend) {
  return frontend == kind::qemu ? "qemu" : "instrumented";
}

result<kind> choose(std::string_view word, const program_file& program) {
  if (word == "qemu") return kind::qemu;
  if (word == "instrumented") return kind::instrumented;
  if (word == "auto") return program.instrumented ? kind::instrumented : kind::qemu;
  static constexpr std::array<std::string_view, 3> known{"auto", "instrumented", "qemu"};
  return fail("--frontend", fmt::format("unknown front-end '{}'", word), suggest(word, known));
}

}  // namespace numatch::frontend
