// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numatch::service {

/// One program's OpenMetrics text, with the labels that tell it from others.
struct labelled_metrics {
  std::string labels;  ///< process="42",program="db"
  std::string text;
};

/// A text to stand between the quotes of a label.
std::string escaped_label(std::string_view value);

/// One OpenMetrics text of several of the same kind: each sample gets its program's labels, samples
/// of one family stand together under its first description. Lines that are no samples are left
/// out.
std::string merge_metrics(const std::vector<labelled_metrics>& programs);

}  // namespace numatch::service
