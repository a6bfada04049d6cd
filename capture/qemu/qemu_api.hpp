// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

// The part of QEMU's plugin interface that numatch uses. No header of it is packaged, and the
// binary interface of these functions is the same from 7.2 to 10.x; whatever only some versions
// have is looked up by dlsym (instruction_counter.hpp).

extern "C" {

using qemu_plugin_id_t = std::uint64_t;
using qemu_plugin_meminfo_t = std::uint32_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/// What QEMU tells a plugin at its start; only these fields are the same in all versions.
struct qemu_info_t {
  const char* target_name;
  struct {
    int min;
    int cur;
  } version;
  bool system_emulation;
};

enum qemu_plugin_cb_flags : int { QEMU_PLUGIN_CB_NO_REGS = 0 };
enum qemu_plugin_mem_rw : int { QEMU_PLUGIN_MEM_RW = 3 };

using qemu_vcpu_callback = void (*)(qemu_plugin_id_t, unsigned vcpu);
using qemu_vcpu_data_callback = void (*)(unsigned vcpu, void* data);
using qemu_translation_callback = void (*)(qemu_plugin_id_t, qemu_plugin_tb*);
using qemu_memory_callback = void (*)(unsigned vcpu, qemu_plugin_meminfo_t, std::uint64_t address,
                                      void* data);
using qemu_syscall_callback = void (*)(qemu_plugin_id_t, unsigned vcpu, std::int64_t number,
                                       std::uint64_t a1, std::uint64_t a2, std::uint64_t a3,
                                       std::uint64_t a4, std::uint64_t a5, std::uint64_t a6,
                                       std::uint64_t a7, std::uint64_t a8);
using qemu_syscall_return_callback = void (*)(qemu_plugin_id_t, unsigned vcpu, std::int64_t number,
                                              std::int64_t value);
using qemu_exit_callback = void (*)(qemu_plugin_id_t, void* data);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t, qemu_vcpu_callback);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t, qemu_vcpu_callback);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, qemu_translation_callback);
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb*, qemu_vcpu_data_callback,
                                          qemu_plugin_cb_flags, void* data);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn*, qemu_memory_callback, qemu_plugin_cb_flags,
                                      qemu_plugin_mem_rw, void* data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t, qemu_syscall_callback);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t, qemu_syscall_return_callback);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, qemu_exit_callback, void* data);

std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb*);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb*, std::size_t index);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn*);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);

}  // extern "C"
