# SPDX-License-Identifier: Apache-2.0
"""Starts THREADS - 1 threads one after the other, prints where each may run, then a child's."""
import os
import sys
import threading

lines = []


def note():
    lines.append(",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))))


note()
for _ in range(int(sys.argv[1]) - 1):
    thread = threading.Thread(target=note)
    thread.start()
    thread.join()
child = os.fork()
if child == 0:
    os._exit(0 if len(os.sched_getaffinity(0)) == int(sys.argv[2]) else 1)
_, status = os.waitpid(child, 0)
lines.append("child is free" if status == 0 else "child is pinned")
print("\n".join(lines))
