// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The QEMU front-end: a TCG plugin that records every access of an unmodified program. One file for
// QEMU 7.2 to 10.x; docs/capture.md lists what differs between them and how it is dealt with.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "access_word.hpp"
#include "instruction_counter.hpp"
#include "program_threads.hpp"
#include "qemu_api.hpp"
#include "system_calls.hpp"
#include "trace/encoder.hpp"

extern "C" {

/// Read by QEMU before it installs the plugin: the interface version that the plugin was built for.
/// 9.0 and later refuse 1, 7.2 and 8.x refuse 2.
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const qemu_info_t* info, int argc,
                                                               char** argv);
}

namespace numatch::qemu {

namespace {

// The one object of this library: QEMU's callbacks carry no pointer of ours.
struct plugin_state {
  program_threads threads;
  system_calls calls{threads};
  instruction_counter counter;
  qemu_memory_callback on_access = nullptr;
  pid_t process = 0;
  const char* session = nullptr;
  bool loaded = false;  ///< the program is in memory
};
plugin_state state;

__attribute__((constructor)) void choose_interface_version() {
  if (dlsym(RTLD_DEFAULT, "qemu_plugin_num_vcpus") != nullptr) qemu_plugin_version = 2;
}

void complain(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

__attribute__((noinline, cold)) trace::thread_recorder* first_access(unsigned vcpu,
                                                                     std::uint64_t address) {
  const guest_thread* const thread = state.threads.claim(vcpu, address);
  return thread != nullptr ? thread->recorder : nullptr;
}

/// Hands the thread's count on to its recorder.
__attribute__((noinline)) void take_instructions(unsigned vcpu) {
  if (state.counter.available()) state.threads.count(vcpu, state.counter.value(vcpu));
}

/// The next access ends a block of the trace, which says how many instructions it took.
bool at_block_end(const trace::thread_recorder* recorder) {
  return (trace::records_of(recorder->data.progress) + 1) % trace::block_accesses == 0;
}

template <class Decoder, bool CountsInline>
void on_access(unsigned vcpu, qemu_plugin_meminfo_t word, std::uint64_t address, void* pc) {
  trace::thread_recorder* recorder = state.threads.recorder_of(vcpu);
  if (recorder == nullptr) [[unlikely]] {
    recorder = first_access(vcpu, address);
    if (recorder == nullptr) return;
  }
  if constexpr (CountsInline) {
    if (at_block_end(recorder)) [[unlikely]]
      take_instructions(vcpu);
  }
  const access_shape shape = Decoder::decode(word);
  trace::record_access(recorder, reinterpret_cast<std::uint64_t>(pc), address, shape.bytes,
                       shape.store);
}

template <bool CountsInline>
qemu_memory_callback fastest_access_callback() {
  // The size is bits 4 to 6 in 7.2 and 10.0; newer versions may need one more bit below it.
  if (agrees_with_api<word_by_bits<4>>()) return on_access<word_by_bits<4>, CountsInline>;
  if (agrees_with_api<word_by_bits<5>>()) return on_access<word_by_bits<5>, CountsInline>;
  return on_access<word_by_api, CountsInline>;
}

void on_block(unsigned vcpu, void* instructions) {
  const std::uint64_t count = reinterpret_cast<std::uint64_t>(instructions);
  if (trace::thread_recorder* const recorder = state.threads.recorder_of(vcpu)) [[likely]] {
    trace::record_instructions(recorder, count);
  } else {
    state.threads.count_early(vcpu, count);
  }
}

/// Joins the session when the program is about to run its first instruction: only then is it known
/// where QEMU has put it: the program's addresses must be those of this process, because stacks,
/// modules and annotations are read through them. numatch reports a session that nobody joined.
void begin_recording(std::uint64_t first_pc) {
  if (!state.threads.program_is_at(first_pc)) {
    return complain(
        "numatch: QEMU shifts the program's addresses; unset QEMU_GUEST_BASE and leave out -B\n");
  }
  trace::recorder* const recorder = trace::join_session(state.session);
  if (recorder == nullptr) {
    return complain("numatch: the plugin cannot join its session; start it by numatch trace\n");
  }
  // A filtered trace has no blocks at whose end the count could be taken.
  if (!trace::is_filtered(recorder)) state.counter.look_up();
  state.on_access = state.counter.available() ? fastest_access_callback<true>()
                                              : fastest_access_callback<false>();
  state.threads.use(recorder);
}

/// A number for QEMU to hand back.
void* as_data(std::uint64_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* block) {
  if (!state.loaded) {
    state.loaded = true;
    begin_recording(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)));
  }
  if (state.on_access == nullptr) return;
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  if (state.counter.available()) {
    state.counter.count_block(block, count);
  } else {
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, QEMU_PLUGIN_CB_NO_REGS, as_data(count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* const instruction = qemu_plugin_tb_get_insn(block, i);
    const std::uint64_t pc = qemu_plugin_insn_vaddr(instruction);
    // Loads and stores together: the filter of 7.2 takes stores for loads and reports loads twice.
    qemu_plugin_register_vcpu_mem_cb(instruction, state.on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, as_data(pc));
  }
}

void on_thread_start(qemu_plugin_id_t, unsigned vcpu) {
  if (state.counter.available()) state.counter.clear(vcpu);
  state.threads.expect(vcpu);
}

void on_thread_end(qemu_plugin_id_t, unsigned vcpu) {
  take_instructions(vcpu);
  state.threads.end(vcpu);
}

void on_system_call(qemu_plugin_id_t, unsigned vcpu, std::int64_t number, std::uint64_t a1,
                    std::uint64_t a2, std::uint64_t a3, std::uint64_t a4, std::uint64_t a5,
                    std::uint64_t a6, std::uint64_t, std::uint64_t) {
  if (guest_thread* const thread = state.threads.claim(vcpu, 0)) {
    take_instructions(vcpu);
    state.calls.enter(*thread, number, {a1, a2, a3, a4, a5, a6});
  }
}

void on_system_call_return(qemu_plugin_id_t, unsigned vcpu, std::int64_t number,
                           std::int64_t value) {
  if (guest_thread* const thread = state.threads.claim(vcpu, 0)) {
    state.calls.leave(*thread, number, value);
  }
}

void on_exit(qemu_plugin_id_t, void*) {
  // A forked child runs this too.
  if (getpid() != state.process) return;
  for (unsigned vcpu = 0; vcpu < state.threads.vcpus(); ++vcpu) take_instructions(vcpu);
  state.threads.finish();
}

void on_fork_in_child() {
  state.threads.forget();
}

/// The session from "session=PATH", else from the environment.
const char* session_path(int argc, char** argv) {
  constexpr char key[] = "session=";
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], key, sizeof key - 1) == 0) return argv[i] + sizeof key - 1;
  }
  return getenv("NUMATCH_SESSION");
}

}  // namespace

}  // namespace numatch::qemu

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
  using namespace numatch::qemu;
  if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
    complain("numatch: the plugin records x86-64 programs under qemu-x86_64 only\n");
    return 1;
  }
  const char* const session = session_path(argc, argv);
  if (session == nullptr || session[0] == '\0') {
    complain("numatch: the plugin was given no session; start it by numatch trace\n");
    return 1;
  }
  state.session = strdup(session);
  state.process = getpid();
  state.threads.remember_host();
  pthread_atfork(nullptr, nullptr, on_fork_in_child);
  qemu_plugin_register_vcpu_init_cb(id, on_thread_start);
  qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_call_return);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}
