// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numatch::symbols {

/// A piece of a file in the observed program's address space, as the trace records it: one program
/// segment or the whole file, whatever the loader mapped at once.
struct module_mapping {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t file_offset = 0;
  std::string path;
};

/// Where an instruction comes from; whatever is not known is empty or 0.
struct code_location {
  std::string function;  ///< demangled, without its parameters
  std::string file;      ///< source file
  std::uint32_t line = 0;
  bool inlined = false;  ///< the function was inlined into the next frame
};

/// A global or static variable, or the space between two of them.
struct data_location {
  std::string name;           ///< demangled; empty between variables
  std::uint64_t address = 0;  ///< first byte
  std::uint64_t bytes = 0;
  std::string file;  ///< where it is declared; empty when unknown
  std::uint32_t line = 0;
  std::string module;  ///< path of the executable or library
};

/// Answers for addresses of a program that need not run any more, from the files that it had
/// mapped: DWARF where it exists (in the file, behind its debug link or build id), else the symbol
/// tables. A file that is missing, stripped or damaged gives fewer answers, never an error. Program
/// headers are read when a mapping is added, symbols at the first question. Not thread safe.
class symbolizer {
 public:
  symbolizer();
  symbolizer(symbolizer&&) noexcept;
  symbolizer& operator=(symbolizer&&) noexcept;
  ~symbolizer();

  /// A later mapping of the same addresses replaces an earlier one.
  void add(const module_mapping& mapped);

  /// Nothing of a file is mapped here any more.
  void remove(std::uint64_t address, std::uint64_t bytes);

  /// Path of the file that is mapped at `address`; empty when none is.
  std::string_view module_of(std::uint64_t address) const;

  /// The functions at `address`, the innermost first: inlined ones, then the one that holds them.
  /// Empty when nothing is known. For a return address ask for the byte before it.
  std::vector<code_location> code(std::uint64_t address);

  /// The variable at `address`, or the space between variables of its module; nothing outside the
  /// data of the modules. Thread-local variables are not found by address.
  std::optional<data_location> data(std::uint64_t address);

  struct state;

 private:
  std::unique_ptr<state> state_;
};

/// The frame that the program's own programmer wrote: the innermost one whose source file is not a
/// system header, else the outermost one. Null for an empty list.
const code_location* own_frame(const std::vector<code_location>& frames);

/// A demangled function without its parameter list: "grid::resize" of "grid::resize(int) const".
std::string without_parameters(std::string function);

/// A C++ name as people write it; any other name unchanged.
std::string demangle(const char* name);

}  // namespace numatch::symbols
