// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "ring_program/disturbance.hpp"
#include "ring_program/worker.hpp"

namespace ring {

/// What is known of one process, as lines of words (tests/vm/README.md describes them). `errors` is
/// empty while it runs. The counts may be read while the threads write them.
std::string report_text(const options& chosen, const memory& pages,
                        const std::deque<worker>& workers, const disturbance& beside,
                        unsigned phase, std::optional<std::uint64_t> errors);

/// The whole file at once, so that no reader sees half of it. Throws std::system_error.
void write_report(const std::string& file, const std::string& text);

}  // namespace ring
