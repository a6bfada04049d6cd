// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace numatch::service {

/// A line of a child for the log of the service: a decision of its --log as a sentence, or empty
/// where nothing was done; "numatch: " is taken off a note; anything else as it is.
std::string shown_child_line(std::string_view line);

}  // namespace numatch::service
