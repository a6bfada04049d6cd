#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The virtual test machine itself: what must fail does. `--boot SERIES` boots a kernel for it, too."""

import pathlib
import sys
import tempfile
import unittest

import guest
import initramfs
import kernel_log
import run_tests
from machine import BadMachine, Machine

KERNEL = None


class KernelLog(unittest.TestCase):
    def test_trouble_is_found(self):
        for line in ("[    5.1] BUG: kernel NULL pointer dereference, address: 0000000000000008",
                     "[    5.1] kernel BUG at mm/memory.c:1234!",
                     "[    5.1] WARNING: CPU: 3 PID: 77 at kernel/sched/core.c:99 schedule+0x1/0x2",
                     "[    5.1] Oops: 0002 [#1] PREEMPT SMP PTI",
                     "[   50.1] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [ring:77]",
                     "[   50.1] rcu: INFO: rcu_preempt self-detected stall on CPU",
                     "[  250.1] INFO: task ring:77 blocked for more than 120 seconds.",
                     "[    5.1] general protection fault, probably for non-canonical address: 0 [#1]",
                     "[    5.1] Kernel panic - not syncing: Attempted to kill init!"):
            with self.subTest(line):
                self.assertEqual(kernel_log.troubles("[    1.0] fine\n" + line + "\n"), [line])
                self.assertTrue(kernel_log.excerpt("fine\n" + line + "\nmore").startswith(line))

    def test_the_fault_of_the_emulator_is_told_from_others(self):
        for line in ("[    3.1] int3: 0000 [#1] PREEMPT SMP NOPTI",
                     "[    3.1] Oops: int3: 0000 [#1] PREEMPT SMP"):
            self.assertIn("int3", kernel_log.emulators_fault(line))
        for line in ("[    3.1] Oops: int3: 0000 [#2] PREEMPT SMP",
                     "[    3.1] Oops: 0002 [#1] PREEMPT SMP PTI", "[    3.1] fine"):
            self.assertEqual(kernel_log.emulators_fault(line), "")

    def test_an_interrupt_that_the_emulator_has_lost_is_told_from_other_lockups(self):
        waits = ("[  168.5] watchdog: BUG: soft lockup - CPU#1 stuck for 156s! [module_interfac:168]",
                 "[  168.5] RIP: 0010:smp_call_function_many_cond+0xf1/0x330",
                 "[  168.5] Call Trace:", "[  168.5]  text_poke_bp_batch+0xb7/0x300",
                 "[  168.5] RIP: 0033:0x7f6ac218dd6b",
                 "[  168.6] Sending NMI from CPU 1 to CPUs 0,2-3:")
        idle = ("[  168.7] NMI backtrace for cpu 0 skipped: idling at native_safe_halt+0xb/0x10",)
        program = ("[  168.7] NMI backtrace for cpu 2", "[  168.7] RIP: 0033:0x47b7a0")
        kernel = ("[  168.7] NMI backtrace for cpu 3", "[  168.7] RIP: 0010:on_switch+0x1/0x2 [numatch]",
                  "[  168.7] RIP: 0033:0x47b7a0")
        elsewhere = tuple(line.replace("text_poke_bp_batch", "flush_tlb_mm_range") for line in waits)
        warned = ("[   20.1] WARNING: CPU: 3 PID: 77 at mm/memory.c:99",)

        def fault(*parts):
            return kernel_log.emulators_fault("\n".join(line for part in parts for line in part))
        self.assertIn("soft lockup in text_poke", fault(waits, idle, program))
        self.assertEqual(fault(waits), "", "nobody knows where the others are")
        self.assertEqual(fault(waits, idle, kernel, program), "", "one is in the kernel")
        self.assertEqual(fault(elsewhere, idle), "")
        self.assertEqual(fault(warned, waits, idle), "", "it began with something else")

    def test_what_a_healthy_kernel_says_is_no_trouble(self):
        for line in ("[    0.0] rcu: Hierarchical RCU implementation.",
                     "[    1.0] Unstable clock detected, switching default tracing clock",
                     "[    1.0] NMI watchdog: Enabled.", "[    1.0] debug: debugging",
                     "[    2.0] ring[77]: segfault at 0 ip 0000 sp 0000 error 4 in ring"):
            with self.subTest(line):
                self.assertEqual(kernel_log.troubles(line), [])
                self.assertEqual(kernel_log.excerpt(line), "")


class Machines(unittest.TestCase):
    def test_distances_are_those_of_a_ring(self):
        eight = Machine.parse("8x1")
        self.assertEqual([eight.distance(0, node) for node in range(8)],
                         [10, 20, 30, 40, 50, 40, 30, 20])
        self.assertEqual(eight.distance(2, 7), eight.distance(7, 2))

    def test_each_processor_is_of_one_node(self):
        words = Machine.parse("4x2").qemu()
        self.assertIn("node,nodeid=3,memdev=ram3,cpus=6-7", words)

    def test_what_is_no_machine_is_refused(self):
        for text in ("", "4", "4x", "0x2", "9x1", "8x4", "4x2x2", "-1x2"):
            with self.subTest(text), self.assertRaises(BadMachine):
                Machine.parse(text)


class Contents(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.contents = initramfs.Contents(pathlib.Path(self.folder.name) / "root")

    def tearDown(self):
        self.folder.cleanup()

    def test_a_program_comes_with_its_libraries(self):
        self.contents.add_program(sys.executable)
        self.assertTrue(list(self.contents.root.rglob("libc.so.6")))
        self.assertTrue(list(self.contents.root.rglob("ld-linux*")))

    def test_a_program_named_like_a_command_of_busybox_is_refused(self):
        with self.assertRaisesRegex(initramfs.BadContents, "mt is a command of busybox"):
            self.contents.add_program("/somewhere/mt")

    def test_what_is_not_there_is_refused(self):
        with self.assertRaisesRegex(initramfs.BadContents, "not there"):
            self.contents.add_program("/nowhere/ring_program")
        with self.assertRaisesRegex(initramfs.BadContents, "not there"):
            self.contents.add_file("/nowhere/module.ko", "/modules/module.ko")

    def test_two_scripts_of_one_name_are_refused(self):
        with self.assertRaisesRegex(initramfs.BadContents, "one name"):
            self.contents.add_tests(["a/move.sh", "b/move.sh"], 60)
        with self.assertRaisesRegex(initramfs.BadContents, "one named lib"):
            self.contents.add_tests(["a/lib.sh"], 60)

    def test_a_script_may_say_how_long_it_takes(self):
        with tempfile.TemporaryDirectory() as folder:
            scripts = [pathlib.Path(folder, "short.sh"), pathlib.Path(folder, "long.sh")]
            scripts[0].write_text("true\n", encoding="utf-8")
            scripts[1].write_text("# LIMIT 900\ntrue\n", encoding="utf-8")
            self.contents.add_tests(scripts, 60)
        listed = (self.contents.root / "tests" / "list").read_text(encoding="utf-8")
        self.assertEqual(listed, "short 60\nlong 900\n")


class Scripts(unittest.TestCase):
    def read(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
            file.write(text)
            file.flush()
            return run_tests.read_script(pathlib.Path(file.name))

    def test_a_script_says_which_machine_it_wants(self):
        script = self.read("# MACHINE 8x1\n# KERNELS 6.12 7.3\n# APPEND pti=on\ntrue\n")
        self.assertEqual((script.machine, script.kernels, script.append),
                         ("8x1", ("6.12", "7.3"), "pti=on"))

    def test_a_script_may_ask_for_a_second_boot(self):
        script = self.read("# MACHINE 8x1\n# ALSO pti=on\ntrue\n")
        self.assertEqual([run.boot for run in script.runs],
                         [("8x1", "", "", ()), ("8x1", "pti=on", "", ())])

    def test_an_unknown_word_is_refused(self):
        with self.assertRaisesRegex(run_tests.Malformed, "MASHINE"):
            self.read("# MASHINE 8x1\n")


class Results(unittest.TestCase):
    """What a guest gives back, without a guest."""

    def result(self, **changes):
        fine = {"codes": {"a": 0}, "output": "", "log": "fine\n", "folder": pathlib.Path(),
                "ended": True, "late": False, "wall": 1.0}
        return guest.Result(**{**fine, **changes})

    def test_all_is_well_only_when_each_script_ended_with_0(self):
        self.assertEqual(self.result().failures(["a"]), [])
        self.assertEqual(self.result(codes={"a": 3}).failures(["a"]), ["a: exit code 3"])
        self.assertEqual(self.result().failures(["a", "b"]), ["b: did not end"])

    def test_trouble_in_the_kernel_log_is_a_failure_though_each_script_passed(self):
        wrong = self.result(log="[ 1] WARNING: CPU: 0 PID: 1 at mm/x.c\n").failures(["a"])
        self.assertEqual(len(wrong), 1)
        self.assertIn("WARNING: CPU: 0", wrong[0])

    def test_a_guest_that_does_not_end_is_a_failure(self):
        self.assertTrue(self.result(late=True, ended=False).failures(["a"]))
        self.assertTrue(self.result(ended=False).failures(["a"]))


class Boots(unittest.TestCase):
    def boot(self, text, **limits):
        if KERNEL is None:
            self.skipTest("no --boot")
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "script.sh"
            script.write_text(text, encoding="utf-8")
            result = guest.boot(KERNEL, Machine(2, 1), [script], pathlib.Path(folder) / "out",
                                **limits)
            return result, result.failures(["script"])

    def test_a_kernel_that_crashes_fails_the_run(self):
        result, wrong = self.boot("check fine true; echo c > /proc/sysrq-trigger; sleep 60\n")
        self.assertFalse(result.ended)
        self.assertIn("Kernel panic", "\n".join(wrong))

    def test_a_warning_in_the_kernel_log_fails_the_run(self):
        result, wrong = self.boot("check fine true; echo 'WARNING: CPU: 0' > /dev/kmsg\n")
        self.assertEqual(result.codes, {"script": 0})
        self.assertIn("ok      fine", result.output)
        self.assertEqual(len(wrong), 1)
        self.assertIn("WARNING: CPU: 0", wrong[0])

    def test_a_check_that_does_not_hold_fails_the_run_and_is_shown(self):
        result, wrong = self.boot("check 'one is two' [ 1 = 2 ]; check fine true\n")
        self.assertEqual(wrong, ["script: exit code 1"])
        self.assertIn("FAILED  one is two", result.output)

    def test_a_script_without_a_check_fails(self):
        _, wrong = self.boot("true\n")
        self.assertEqual(wrong, ["script: exit code 1"])

    def test_a_script_that_hangs_is_ended(self):
        result, wrong = self.boot("check fine true; sleep 1000\n", script_limit=2)
        self.assertTrue(result.ended)
        self.assertEqual(wrong, ["script: exit code 124"])
        self.assertIn("did not end in 2 s", result.output)

    def test_a_guest_that_hangs_is_ended(self):
        result, wrong = self.boot("check fine true; sleep 1000\n", limit=5)
        self.assertTrue(result.late)
        self.assertIn("script: did not end", wrong)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--boot":
        KERNEL = sys.argv[2]
        if not run_tests.kernel_is_there(KERNEL):
            sys.exit(2)
        del sys.argv[1:3]
    unittest.main()
