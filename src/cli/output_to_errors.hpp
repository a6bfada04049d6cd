// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace numatch::cli {

/// While it lives, standard output is standard error, for children too: what a program prints does
/// not mix with a verb's result.
class output_to_errors {
 public:
  output_to_errors();
  ~output_to_errors();
  output_to_errors(const output_to_errors&) = delete;
  output_to_errors& operator=(const output_to_errors&) = delete;

 private:
  int before_ = -1;
};

}  // namespace numatch::cli
