// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace numatch::live {

/// Loads a module file, with parameters as "force=1 precise_pcid=1". The error says what refuses
/// it, and what helps.
result<void> load_module(const std::string& file, const std::string& parameters);

/// An error when it is not loaded, or somebody uses it still.
result<void> unload_module();

/// What the kernel's refusal depends on.
struct load_refusal {
  std::string file{};
  int code = 0;                              ///< errno of finit_module(2)
  bool may_load = false;                     ///< CAP_SYS_MODULE
  bool loading_is_off = false;               ///< kernel.modules_disabled
  std::optional<std::string> lockdown{};     ///< "none", "integrity", "confidentiality"
  std::optional<std::string> kernel_says{};  ///< its last line about this module
};
error load_error(const load_refusal& refusal);

/// The text of the last line of a kernel log that begins with "numatch: "; nullopt: there is none.
std::optional<std::string> last_words(const std::string& log);

}  // namespace numatch::live
