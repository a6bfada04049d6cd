// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/mapping/instances.hpp"
#include "mapping/mapper.hpp"

namespace numatch::bench {

/// A mapping as a contender gave it, before anybody repairs it.
struct measured_run {
  thread_mapping mapping;
  double cost = 0;               ///< after the repair, where one was needed
  bool keeps_capacity = true;    ///< before the repair
  double cpu_seconds = 0;        ///< of the calling thread, median of the repeats
  double first_cpu_seconds = 0;  ///< the first call on this instance
};

/// Something that maps threads, with what it needs to do so again and again.
class contender {
 public:
  virtual ~contender() = default;
  const std::string& name() const { return name_; }
  /// Why this one does not take part, or an empty string.
  virtual std::string declines(const mapping_request& request) const = 0;
  /// Whatever a program would keep between calls for one machine. Not measured.
  virtual result<void> prepare(const mapping_request& request) = 0;
  /// What is measured.
  virtual result<thread_mapping> map(const mapping_request& request) = 0;

 protected:
  explicit contender(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// Every algorithm of the library, `numatch` in its three budgets ("numatch/online", "numatch",
/// "numatch/best"), and Scotch called directly ("Scotch default", "Scotch quality", "Scotch
/// recursive", "Scotch 10 seeds"), each on one thread.
std::vector<std::unique_ptr<contender>> all_contenders();

/// Runs a contender at least once and repeats up to `repeats` times while they take less than
/// `most_seconds` of CPU time together.
result<measured_run> measure(contender& who, const mapping_request& request, unsigned repeats,
                             double most_seconds);

/// CPU time of the calling thread.
double thread_cpu_seconds();

}  // namespace numatch::bench
