# SPDX-License-Identifier: Apache-2.0
"""The sharing matrices of workloads/README.md, derived on paper: closed forms of threads T, size S
and iterations K. `matrix(name, T, S, K)[i][j]` is what the oracle must count for i and j, and with
count="accesses" what it must count with that parameter."""

WORDS = 512  # 8-byte words in a page


def matrix(name, threads, size, iterations, count="transfers"):
    cells = _CELLS_BY_ACCESSES if count == "accesses" and name in _CELLS_BY_ACCESSES else _CELLS
    cell = cells[name](threads, size, iterations)
    return [[0 if i == j else cell(min(i, j), max(i, j)) for j in range(threads)]
            for i in range(threads)]


def _stencil(threads, size, iterations):
    return lambda i, j: 4 * (8 * WORDS - 2) * (iterations // 2) if j == i + 1 else 0


def _stencil_by_accesses(threads, size, iterations):
    return lambda i, j: 2 * (8 * WORDS - 2) * iterations if j == i + 1 else 0


def _ring(threads, size, iterations):
    once = 2 * WORDS * size * (iterations // 2)

    def cell(i, j):
        if threads == 2:
            return 2 * once
        return once if j == i + 1 or (i == 0 and j == threads - 1) else 0
    return cell


def _pipeline(threads, size, iterations):
    return lambda i, j: WORDS * size * iterations if j == i + 1 else 0


def _transpose(threads, size, iterations):
    return lambda i, j: 2 * 2 * 8 * WORDS * size * size * (iterations // 2)


def _private(threads, size, iterations):
    return lambda i, j: 0


def _master_worker(threads, size, iterations):
    return lambda i, j: 2 * WORDS * size * iterations if i == 0 else 0


def _turns(thread, threads, iterations):
    return sum(1 for k in range(iterations) if k % threads == thread)


def _read_mostly(threads, size, iterations):
    return lambda i, j: size * (_turns(i, threads, iterations) + _turns(j, threads, iterations))


def _read_mostly_by_accesses(threads, size, iterations):
    return lambda i, j: size * (WORDS * iterations + min(_turns(i, threads, iterations),
                                                         _turns(j, threads, iterations)))


_CELLS = {
    "stencil": _stencil,
    "ring": _ring,
    "pipeline": _pipeline,
    "transpose": _transpose,
    "private": _private,
    "master_worker": _master_worker,
    "read_mostly": _read_mostly,
}
_CELLS_BY_ACCESSES = {"stencil": _stencil_by_accesses, "read_mostly": _read_mostly_by_accesses}
WORKLOADS = sorted(_CELLS)
