// SPDX-License-Identifier: Apache-2.0
#include "frontend/program_file.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "frontend/choose.hpp"
#include "frontend/files.hpp"

namespace numatch::frontend {
namespace {

/// A 64-bit x86-64 ELF program with one section of this name behind the table of names.
std::string elf_with_section(const std::string& name) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;
  header.e_shoff = sizeof header;
  header.e_shnum = 2;
  header.e_shstrndx = 0;
  Elf64_Shdr sections[2]{};
  sections[0].sh_offset = sizeof header + sizeof sections;
  sections[1].sh_name = 1;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(sections), sizeof sections);
  return bytes + '\0' + name + '\0';
}

TEST(program_file, is_found_in_path_like_execvp_does) {
  const file_folder folder;
  const std::string program = folder.executable("numatch-test-tool", elf_with_section(".text"));
  const variable path("PATH", "/nowhere:" + folder.path().string());
  const result<program_file> found = find_program({"numatch-test-tool", "-x", "y"});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->path, program);
  EXPECT_EQ(found->arguments, (std::vector<std::string>{"numatch-test-tool", "-x", "y"}));
}

TEST(program_file, is_instrumented_when_it_has_the_marker_section) {
  const file_folder folder;
  const auto instrumented = [&](const std::string& section) {
    const result<program_file> found =
        find_program({folder.executable("program", elf_with_section(section))});
    return found && found->instrumented;
  };
  EXPECT_TRUE(instrumented(".numatch_runtime"));
  EXPECT_FALSE(instrumented(".numatch_runtime2"));
  EXPECT_FALSE(instrumented(".numatch"));
}

TEST(program_file, of_a_script_is_its_interpreter) {
  const file_folder folder;
  const std::string tool = folder.executable("tool", elf_with_section(".text"));
  const std::string script = folder.executable("script", "#! " + tool + "  -a b \necho\n");
  const result<program_file> found = find_program({script, "1", "2"});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->path, tool);
  EXPECT_EQ(found->arguments, (std::vector<std::string>{tool, "-a b", script, "1", "2"}));
}

TEST(program_file, of_a_script_whose_interpreter_is_a_script_is_the_last_one) {
  const file_folder folder;
  const std::string tool = folder.executable("tool", elf_with_section(".text"));
  const std::string inner = folder.executable("inner", "#!" + tool);
  const std::string outer = folder.executable("outer", "#!" + inner + "\n");
  const result<program_file> found = find_program({outer, "1"});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->arguments, (std::vector<std::string>{tool, inner, outer, "1"}));
}

TEST(program_file, of_scripts_in_a_circle_is_an_error) {
  const file_folder folder;
  const std::string path = (folder.path() / "me").string();
  folder.executable("me", "#!" + path + "\n");
  const result<program_file> found = find_program({path});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("scripts that name each other"), std::string::npos);
}

TEST(program_file, that_is_cut_off_is_an_error) {
  const file_folder folder;
  const std::string whole = elf_with_section(".text");
  for (const std::size_t length : {4U, 20U, 63U}) {
    EXPECT_FALSE(find_program({folder.executable("cut", whole.substr(0, length))})) << length;
  }
  // Without its sections it still runs.
  EXPECT_TRUE(find_program({folder.executable("stripped", whole.substr(0, 64))}));
}

TEST(program_file, in_this_folder_needs_its_dot) {
  const result<program_file> found = find_program({""});
  EXPECT_FALSE(found);
  EXPECT_FALSE(find_program({}));
}

TEST(front_end, is_instrumented_only_where_the_program_is) {
  program_file plain;
  program_file marked;
  marked.instrumented = true;
  EXPECT_EQ(*choose("auto", plain), kind::qemu);
  EXPECT_EQ(*choose("auto", marked), kind::instrumented);
  EXPECT_EQ(*choose("qemu", marked), kind::qemu);
  EXPECT_EQ(choose("quemu", plain).error().hint, "did you mean 'qemu'?");
}

}  // namespace
}  // namespace numatch::frontend
