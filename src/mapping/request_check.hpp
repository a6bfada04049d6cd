// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mapping/mapper.hpp"

namespace numatch {

/// Whether a request makes sense: map_threads() asks before it maps, and a command may ask before
/// it prints. The error says which part of the request is wrong, where in it, and what to do.
/// Fewer PUs than threads are no error: they are shared evenly.
result<void> check_request(const mapping_request& request);

}  // namespace numatch
