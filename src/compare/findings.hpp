// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/student.hpp"
#include "compare/experiment.hpp"

namespace numatch::compare {

enum class verdict : std::uint8_t {
  baseline,
  no_difference,  ///< none that these runs could show
  less,
  more
};
std::string_view to_string(verdict v);

/// What one method's runs say about one figure.
struct finding {
  mean_estimate mean;
  std::optional<ratio_estimate> ratio;  ///< to the first method; nullopt for itself, or a mean of 0
  double probability = 1;  ///< Welch's, corrected by Holm for the methods compared in this figure
  verdict says = verdict::baseline;
};

/// One figure of all methods, in their order.
struct figure_findings {
  figure what = figure::time;
  std::vector<finding> methods;
};

/// A difference counts below this probability; intervals are of 1 - this.
inline constexpr double significance = 0.05;

/// The figures that every run has, in the order of `figure`. Methods have two runs or more.
std::vector<figure_findings> find(std::span<const method_runs> methods);

}  // namespace numatch::compare
