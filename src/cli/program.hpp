// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace numatch::cli {

/// The whole command line: parses, runs one verb, returns the exit code (verb.hpp).
int run_program(int argc, char** argv);

}  // namespace numatch::cli
