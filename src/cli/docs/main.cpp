// SPDX-License-Identifier: Apache-2.0
// numatch-docs FOLDER: writes the man pages and completions below FOLDER, laid out as under share/.
// A tool of the build; it is not installed.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/docs/pages.hpp"
#include "cli/parser.hpp"

namespace numatch::cli {

namespace {

bool write_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) fmt::print(stderr, "numatch-docs: {}: cannot write\n", path.string());
  return file.good();
}

bool write_pages(const std::filesystem::path& folder, const command_doc& documented,
                 const command_doc* parent) {
  bool written = write_file(folder / (page_name(documented) + ".1"), man_page(documented, parent));
  for (const command_doc& below : documented.commands) {
    written = write_pages(folder, below, &documented) && written;
  }
  return written;
}

bool write_wrapper_pages(const std::filesystem::path& folder) {
  bool written = true;
  for (const wrapper_doc& documented : wrapper_docs()) {
    written =
        write_file(folder / (documented.command.name + ".1"), man_page(documented)) && written;
  }
  return written;
}

}  // namespace

}  // namespace numatch::cli

int main(int argc, char** argv) {
  using namespace numatch::cli;
  if (argc != 2) {
    fmt::print(stderr, "usage: numatch-docs FOLDER\n");
    return trouble;
  }
  const std::filesystem::path folder = argv[1];
  const command_doc program = program_parser().documentation();
  const bool written =
      write_pages(folder / "man/man1", program, nullptr) &&
      write_wrapper_pages(folder / "man/man1") &&
      write_file(folder / "bash-completion/completions/numatch", bash_completion(program)) &&
      write_file(folder / "zsh/vendor-completions/_numatch", zsh_completion(program));
  return written ? fine : trouble;
}
