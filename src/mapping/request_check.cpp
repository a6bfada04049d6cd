// SPDX-License-Identifier: Apache-2.0
#include "mapping/request_check.hpp"

#include <cmath>

namespace numatch {

namespace {

/// "xeon32 has PUs 0 to 31"
std::string pus_there_are(const topology& machine) {
  return fmt::format("{} has PUs 0 to {}", machine.name(), machine.pu_count() - 1);
}

bool is_number_from_zero(double value) {
  return std::isfinite(value) && value >= 0;
}

result<void> check_sharing(const sharing_matrix& sharing) {
  const std::size_t threads = sharing.size();
  if (threads == 0) return fail("mapping", "there is no thread to map");
  const std::span<const double> cells = sharing.cells();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (is_number_from_zero(cells[i])) continue;
    return fail("sharing matrix",
                fmt::format("row {}, column {} is not a number >= 0", i / threads, i % threads));
  }
  return {};
}

/// One flag per PU of the machine: may be used.
result<std::vector<bool>> check_allowed(const mapping_request& request) {
  std::vector<bool> allowed(request.machine.pu_count(), request.allowed.empty());
  for (const pu_id pu : request.allowed) {
    if (pu.index() >= allowed.size()) {
      return fail("allowed PUs", fmt::format("there is no PU {}", pu.value),
                  pus_there_are(request.machine));
    }
    if (allowed[pu.index()]) {
      return fail("allowed PUs", fmt::format("PU {} is there twice", pu.value),
                  "name every PU once");
    }
    allowed[pu.index()] = true;
  }
  return allowed;
}

result<void> check_pins(const mapping_request& request, const std::vector<bool>& allowed) {
  const std::size_t threads = request.sharing.size();
  if (request.pinned.empty()) return {};
  if (request.pinned.size() != threads) {
    return fail("pinned threads", fmt::format("they are for {} threads, the matrix has {}",
                                              request.pinned.size(), threads));
  }
  for (std::size_t t = 0; t < threads; ++t) {
    if (!request.pinned[t]) continue;
    const pu_id pu = *request.pinned[t];
    if (pu.index() >= allowed.size()) {
      return fail("pinned threads",
                  fmt::format("thread {} is pinned to PU {}, which does not exist", t, pu.value),
                  pus_there_are(request.machine));
    }
    if (!allowed[pu.index()]) {
      return fail("pinned threads",
                  fmt::format("thread {} is pinned to PU {}, which is not allowed", t, pu.value),
                  "allow the PU or pin the thread to another one");
    }
  }
  return {};
}

result<void> check_weights(const mapping_request& request) {
  const std::size_t threads = request.sharing.size();
  if (request.weights.empty()) return {};
  if (request.weights.size() != threads) {
    return fail("weights",
                fmt::format("there are {} for {} threads", request.weights.size(), threads),
                "give one number per thread");
  }
  double total = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    const double weight = request.weights[t];
    total += weight;
    if (std::isfinite(weight) && weight > 0) continue;
    return fail("weights", fmt::format("that of thread {} is {}", t, weight),
                "a weight is a finite number above 0");
  }
  if (!std::isfinite(total)) {
    return fail("weights", "their sum is not finite", "divide them all by the same number");
  }
  return {};
}

result<void> check_current(const mapping_request& request) {
  if (!is_number_from_zero(request.move_cost)) {
    return fail("move cost", fmt::format("{} is not a number >= 0", request.move_cost));
  }
  if (request.current == nullptr) {
    if (request.move_cost == 0) return {};
    return fail("move cost", "there is no current mapping to move from",
                "give the current mapping, too");
  }
  const std::vector<pu_id>& places = request.current->pu_of;
  if (places.size() != request.sharing.size()) {
    return fail("current mapping", fmt::format("it is for {} threads, the matrix has {}",
                                               places.size(), request.sharing.size()));
  }
  for (std::size_t t = 0; t < places.size(); ++t) {
    if (places[t].index() < request.machine.pu_count()) continue;
    return fail("current mapping",
                fmt::format("thread {} is on PU {}, which does not exist", t, places[t].value),
                pus_there_are(request.machine));
  }
  return {};
}

}  // namespace

result<void> check_request(const mapping_request& request) {
  if (result<void> r = check_sharing(request.sharing); !r) return r;
  if (request.distances.size() != request.machine.pu_count()) {
    return fail("distances", fmt::format("they are for {} PUs, {} has {}", request.distances.size(),
                                         request.machine.name(), request.machine.pu_count()));
  }
  const result<std::vector<bool>> allowed = check_allowed(request);
  if (!allowed) return tl::unexpected(allowed.error());
  if (result<void> r = check_pins(request, *allowed); !r) return r;
  if (result<void> r = check_weights(request); !r) return r;
  if (!is_number_from_zero(request.alpha) || request.alpha > 1) {
    return fail("alpha", fmt::format("{} is not a number from 0 to 1", request.alpha));
  }
  return check_current(request);
}

}  // namespace numatch
