// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace numatch {
inline namespace numa_v1 {

/// "0-3,8:4-7" as lists of numbers, ascending. Throws topology_error on an empty list, a number
/// that is no processor's, a range that runs backwards and a processor named twice.
std::vector<std::vector<unsigned>> parse_cpu_lists(std::string_view text);
/// One list as text: "0-3,8".
std::string cpu_list_text(std::span<const unsigned> cpus);

}  // namespace numa_v1
}  // namespace numatch
