// SPDX-License-Identifier: Apache-2.0
#include "frontend/program_file.hpp"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

namespace numatch::frontend {

namespace fs = std::filesystem;

namespace {

constexpr int max_interpreters = 4;  // as in Linux

result<fs::path> look_up(const std::string& name) {
  if (name.empty()) return fail("command line", "the program's name is empty");
  std::error_code ignored;
  if (name.find('/') != std::string::npos) {
    if (!fs::exists(name, ignored)) return fail(name, "no such program");
    if (fs::is_directory(name, ignored)) return fail(name, "is a directory, not a program");
    if (::access(name.c_str(), X_OK) != 0) {
      return fail(name, "is not executable", "chmod +x it if it is a program");
    }
    return fs::path(name);
  }
  const char* const search = std::getenv("PATH");
  std::string_view left = search != nullptr ? search : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    const std::size_t colon = left.find(':');
    const std::string_view folder = left.substr(0, colon);
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (fs::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    if (colon == std::string_view::npos) break;
    left.remove_prefix(colon + 1);
  }
  return fail(name, "no such program in PATH",
              fs::exists(name, ignored) ? "write ./" + name + " for the one in this folder" : "");
}

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& into) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(&into), sizeof into);
  return file.good();
}

bool has_section(std::ifstream& file, const Elf64_Ehdr& header, std::string_view wanted) {
  Elf64_Shdr names;
  if (header.e_shnum == 0 ||
      !read_at(file, header.e_shoff + header.e_shstrndx * sizeof names, names)) {
    return false;
  }
  std::string text(wanted.size() + 1, '\0');
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_at(file, header.e_shoff + i * sizeof section, section)) return false;
    file.clear();
    file.seekg(static_cast<std::streamoff>(names.sh_offset + section.sh_name));
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.good() && text.substr(0, wanted.size()) == wanted && text.back() == '\0') return true;
  }
  return false;
}

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "arm64";
    case EM_ARM:
      return "32-bit ARM";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "ppc64";
    default:
      return fmt::format("ELF machine {}", machine);
  }
}

/// Checks an ELF file; says whether it is instrumented.
result<bool> inspect_elf(std::ifstream& file, const std::string& name) {
  Elf64_Ehdr header;
  if (!read_at(file, 0, header)) return fail(name, "is a damaged ELF file");
  if (header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_machine == EM_X86_64) {
    return fail(name, "is an x32 program; only 64-bit x86-64 programs can be recorded",
                "build it with -m64");
  }
  if (header.e_machine != EM_X86_64) {
    return fail(name,
                fmt::format("is a program for {}; only 64-bit x86-64 programs can be recorded",
                            machine_name(header.e_machine)),
                header.e_machine == EM_386 ? "build it with -m64" : "");
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    return fail(name, "is an ELF file but no program");
  }
  return has_section(file, header, marker_section);
}

struct interpreter {
  std::string path;
  std::optional<std::string> argument;
};

/// The first line of a script, taken apart as Linux does: a path and at most one argument.
std::optional<interpreter> read_interpreter(std::ifstream& file) {
  file.clear();
  file.seekg(2);
  std::string line(254, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  line.resize(std::min(line.find('\n'), line.size()));
  constexpr const char* blank = " \t";
  const std::size_t first = line.find_first_not_of(blank);
  if (first == std::string::npos) return std::nullopt;
  const std::size_t end = std::min(line.find_first_of(blank, first), line.size());
  interpreter found{line.substr(first, end - first), std::nullopt};
  const std::size_t argument = line.find_first_not_of(blank, end);
  if (argument != std::string::npos) {
    const std::size_t last = line.find_last_not_of(blank);
    found.argument = line.substr(argument, last + 1 - argument);
  }
  return found;
}

}  // namespace

result<program_file> find_program(const std::vector<std::string>& command) {
  if (command.empty()) {
    return fail("", "no program to run", "write it after --, as in: numatch trace -- ls -l");
  }
  result<fs::path> path = look_up(command[0]);
  if (!path) return tl::unexpected(path.error());
  program_file program{*path, command};
  for (int depth = 0; depth <= max_interpreters; ++depth) {
    const std::string name = program.path.string();
    std::ifstream file(program.path, std::ios::binary);
    if (!file) return fail(name, "cannot be read", "recording needs read permission");
    char magic[4] = {};
    file.read(magic, sizeof magic);
    if (file.gcount() == 4 && std::memcmp(magic, ELFMAG, SELFMAG) == 0) {
      const result<bool> instrumented = inspect_elf(file, name);
      if (!instrumented) return tl::unexpected(instrumented.error());
      program.instrumented = *instrumented;
      return program;
    }
    if (magic[0] != '#' || magic[1] != '!') {
      return fail(name, "is neither an ELF program nor a script that begins with #!");
    }
    const std::optional<interpreter> by = read_interpreter(file);
    if (!by) return fail(name, "names no interpreter behind #!");
    const result<fs::path> runner = look_up(by->path);
    if (!runner) return fail(name, fmt::format("its interpreter {} cannot be run", by->path));
    std::vector<std::string> arguments{by->path};
    if (by->argument) arguments.push_back(*by->argument);
    arguments.push_back(name);
    arguments.insert(arguments.end(), program.arguments.begin() + 1, program.arguments.end());
    program.arguments = std::move(arguments);
    program.path = *runner;
  }
  return fail(command[0], "its interpreters are scripts that name each other");
}

}  // namespace numatch::frontend
