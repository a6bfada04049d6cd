// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "instruction_counter.hpp"

#include <dlfcn.h>

namespace numatch::qemu {

namespace {

constexpr int add_u64 = 0;  // QEMU_PLUGIN_INLINE_ADD_U64

template <class Function>
Function find_in_qemu(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void instruction_counter::look_up() {
  const new_function make = find_in_qemu<new_function>("qemu_plugin_scoreboard_new");
  find_ = find_in_qemu<find_function>("qemu_plugin_scoreboard_find");
  add_ = find_in_qemu<add_function>("qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu");
  if (make != nullptr && find_ != nullptr && add_ != nullptr) {
    scoreboard_ = make(sizeof(std::uint64_t));
  }
}

void instruction_counter::count_block(qemu_plugin_tb* block, std::uint64_t count) const {
  add_(block, add_u64, {scoreboard_, 0}, count);
}

}  // namespace numatch::qemu
