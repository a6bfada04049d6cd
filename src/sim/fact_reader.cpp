// SPDX-License-Identifier: Apache-2.0
#include "sim/fact_reader.hpp"

#include <algorithm>

#include "topology/machine_description.hpp"

namespace numatch::sim {

namespace {

constexpr double usual_hertz = 2e9;

}  // namespace

fact_reader::fact_reader(const topology& machine) : machine_(machine), hertz_(usual_hertz) {
  if (const topology::fact* clock = find("processor.frequency"); clock != nullptr) {
    hertz_ = number(*clock) * (clock->unit == "GHz" ? 1e9 : 1e6);
  }
}

const topology::fact* fact_reader::find(std::string_view key) const {
  return find_fact(machine_.facts(), key);
}

double fact_reader::number(const topology::fact& fact) const {
  return std::stod(fact.value);
}

bool fact_reader::has_section(std::string_view prefix) const {
  return std::any_of(machine_.facts().begin(), machine_.facts().end(),
                     [&](const topology::fact& fact) { return fact.key.starts_with(prefix); });
}

std::string fact_reader::word(std::string_view key, std::string_view fallback) const {
  const topology::fact* fact = find(key);
  return fact == nullptr ? std::string(fallback) : fact->value;
}

bool fact_reader::yes(std::string_view key, bool fallback) const {
  const topology::fact* fact = find(key);
  return fact == nullptr ? fallback : fact->value == "yes";
}

unsigned fact_reader::count(std::string_view key, unsigned fallback) const {
  const topology::fact* fact = find(key);
  return fact == nullptr ? fallback : static_cast<unsigned>(number(*fact));
}

std::uint64_t fact_reader::bytes(std::string_view key, std::uint64_t fallback) const {
  const topology::fact* fact = find(key);
  return fact == nullptr ? fallback : bytes_of(*fact);
}

double fact_reader::cycles_of(std::string_view key) const {
  const topology::fact& fact = *find(key);
  double per_unit = 1;
  if (fact.unit == "ns") per_unit = hertz_ * 1e-9;
  if (fact.unit == "us") per_unit = hertz_ * 1e-6;
  if (fact.unit == "ms") per_unit = hertz_ * 1e-3;
  return number(fact) * per_unit;
}

double fact_reader::bytes_per_cycle(std::string_view key, std::uint64_t bytes_of_transfer,
                                    double fallback) {
  const topology::fact* fact = find(key);
  if (fact == nullptr) return fallback;
  if (fact->unit == "B/cycle") return number(*fact);
  if (fact->unit == "GB/s") return number(*fact) * 1e9 / hertz_;
  if (bytes_of_transfer == 0) {
    complain(std::string(key) + " in MT/s needs the bytes of one transfer",
             "state link.inter.width");
  }
  return number(*fact) * 1e6 * static_cast<double>(bytes_of_transfer) / hertz_;
}

double fact_reader::megatransfers(std::string_view key, double fallback) const {
  const topology::fact* fact = find(key);
  return fact == nullptr ? fallback : number(*fact);
}

double fact_reader::nanojoule(std::string_view key, double fallback) const {
  const topology::fact* fact = find(key);
  if (fact == nullptr) return fallback;
  if (fact->unit == "pJ") return number(*fact) * 1e-3;
  if (fact->unit == "pJ/bit") return number(*fact) * 8e-3;
  return number(*fact);
}

double fact_reader::watt(std::string_view key, double fallback) const {
  const topology::fact* fact = find(key);
  if (fact == nullptr) return fallback;
  return number(*fact) * (fact->unit == "mW" ? 1e-3 : 1);
}

void fact_reader::complain(std::string what, std::string hint) {
  if (!problem_) problem_ = error{std::move(what), machine_.name(), std::move(hint)};
}

}  // namespace numatch::sim
