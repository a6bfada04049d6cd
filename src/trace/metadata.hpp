// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "trace/reader.hpp"

namespace numatch::trace {

/// The text of the metadata chunk. Bytes that are not UTF-8 (in a command) are replaced.
std::string to_json(const trace_metadata& metadata);
result<trace_metadata> metadata_from_json(std::string_view text, const std::string& where);

}  // namespace numatch::trace
