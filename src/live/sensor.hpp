// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "live/data_source.hpp"
#include "live/observed_process.hpp"
#include "live/system_facts.hpp"

// What finds out, on a running Linux, which thread uses which memory (docs/live-design.md).

namespace numatch::live {

/// Memory is sensed in pages of this size, whatever pages the kernel uses.
inline constexpr std::uint64_t sensed_page_bytes = 4096;

/// A thread used memory.
struct sensed_use {
  pid_t task = 0;
  std::uint64_t address = 0;                  ///< of the byte, virtual
  std::optional<bool> write;                  ///< nullopt: the sensor cannot tell
  double weight = 1;                          ///< uses that this one stands for
  std::uint64_t time = 0;                     ///< nanoseconds of CLOCK_MONOTONIC
  data_source source = data_source::unknown;  ///< that of one sample, where the processor says it
};

/// Who takes what a sensor delivers.
class use_sink {
 public:
  virtual ~use_sink() = default;
  virtual void on_use(const sensed_use& use) = 0;
  /// A thread was born or ended, in time order with its uses.
  virtual void on_task_start(pid_t task, std::uint64_t time) = 0;
  virtual void on_task_end(pid_t task, std::uint64_t time) = 0;
  /// The kernel had no room for so many uses.
  virtual void on_lost(std::uint64_t uses) = 0;
};

/// A run of pages, numbered by sensed_page_bytes.
struct page_run {
  page_number first;
  std::uint64_t pages = 1;
};

/// What one call of arm() did.
struct armed {
  std::uint64_t pages = 0;    ///< whose next use will be seen
  std::uint64_t refused = 0;  ///< that this sensor cannot arm, for good
};

/// How a sensor comes to see a use.
enum class arming : std::uint8_t {
  by_page,     ///< arm() takes the pages that are asked for
  whole,       ///< arm() takes all memory of the process at once, whatever is asked for
  by_kernel,   ///< the kernel chooses; arm() only prepares ranges that are new
  by_hardware  ///< nothing is armed
};

/// Senses one process. Calls come from one thread. The destructor puts everything back: no page
/// stays armed, no policy changed; when the observed process has ended there is nothing to do.
class sensor {
 public:
  virtual ~sensor() = default;
  /// The memory to sense, at the start and whenever the process's mappings have changed; ranges
  /// that the sensor cannot handle are left out and counted in armed::refused later.
  virtual result<void> watch(std::span<const mapped_range> ranges) = 0;
  /// Those of these pages that are in memory, with some beside them, ascending; all where the
  /// sensor cannot tell.
  virtual std::vector<page_run> in_memory(std::span<const page_run> pages) const {
    return {pages.begin(), pages.end()};
  }
  /// The next use of these pages by any thread is seen once. Gone mappings are no error.
  virtual result<armed> arm(std::span<const page_run> pages) = 0;
  /// Hands on what was seen since the last call, oldest first; never waits.
  virtual result<void> collect(use_sink& sink) = 0;
  /// A file descriptor that becomes readable when there is much to collect; -1: none.
  virtual int wake_fd() const = 0;
  /// While it rests nothing is seen, and seeing costs the program nothing; what is armed stays so.
  /// false: it cannot rest, and goes on.
  virtual result<bool> rest(bool /*rests*/) { return false; }
  /// Limits of the sensor's own that were reached so far, one clause each: what was not seen.
  virtual std::vector<std::string> limits() const { return {}; }
};

/// Whether a sensor works here, and if not why and what would help.
struct availability {
  bool works = false;
  std::string reason;  ///< one clause; empty when it works
  std::string remedy;  ///< "sysctl kernel.perf_event_paranoid=2", "Linux 7.3"; empty when none
};

/// One sensor = one file of live/sensors that defines `<file>_sensor` of this type.
struct sensor_entry {
  std::string_view name;
  std::string_view summary;
  std::string_view sees;  ///< "reads and writes", "writes"
  std::string_view source;
  arming how = arming::by_page;
  bool sees_reads = false;
  int rank = 0;  ///< `auto` takes the lowest that works
  availability (*probe)(const system_facts& here);
  result<std::unique_ptr<sensor>> (*make)(observed_process& process);
};

/// Generated from the files of live/sensors, sorted by name.
std::span<const sensor_entry* const> all_sensors();
/// "auto" is the best that works here; an unknown name is an error that suggests the nearest one,
/// one that does not work here is an error with reason and remedy.
result<const sensor_entry*> choose_sensor(std::string_view name, const system_facts& here);

/// A sensor that senses a process.
struct opened_sensor {
  const sensor_entry* entry = nullptr;
  std::unique_ptr<sensor> senses;
  std::string note;  ///< why it is not the best one that this machine has; empty when it is
};

/// As choose_sensor(); where "auto" finds that the best one does not work with this process,
/// because the process is traced or filters its system calls, it takes the next that does.
result<opened_sensor> open_sensor(std::string_view name, const system_facts& here,
                                  observed_process& process);

}  // namespace numatch::live
