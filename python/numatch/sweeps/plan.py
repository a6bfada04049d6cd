# SPDX-License-Identifier: Apache-2.0
"""What a sweep is: its description, read from a TOML file or a dictionary, and its cells."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import failure
from .fields import Fields, each_once
from .suggest import suggest

Words = tuple[tuple[str, str], ...]
Axes = dict[str, tuple[str, ...]]

OPERATING_SYSTEM = "os"  # the name of a run without a mechanism
OPTIONS = ("threads", "pages", "phase", "time-scale", "roi")  # of numatch simulate
QUANTITIES = ("time", "traffic", "misses", "energy")
_UNITS = {"MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "MB": 10**6, "GB": 10**9}


@dataclass(frozen=True)
class Program:
    """A trace that is there, or a command that is recorded first."""

    name: str
    trace: Path | None = None
    command: tuple[str, ...] = ()
    environment: Words = ()


@dataclass(frozen=True)
class Slurm:
    """What Slurm is asked for; what is empty is not said to it."""

    jobs: int = 1
    queue: str = ""
    account: str = ""
    walltime: str = "01:00:00"
    interface: str = ""
    python: str = ""
    logs: str = ""
    directives: tuple[str, ...] = ()
    prologue: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One simulated run."""

    program: str
    machine: str
    settings: Words
    options: Words
    seed: int
    mechanism: str
    parameters: Words

    def beside(self) -> tuple[str, str, Words, Words, int]:
        """What it has in common with the run that it is compared with."""
        return (self.program, self.machine, self.settings, self.options, self.seed)


@dataclass(frozen=True)
class Sweep:
    """A checked description. `source` names it in errors; its files lie below `folder`."""

    source: str
    folder: Path
    summary: str
    programs: tuple[Program, ...]
    machines: tuple[str, ...]
    mechanisms: tuple[str, ...]
    baseline: str
    seeds: tuple[int, ...]
    settings: Axes = field(default_factory=dict)
    options: Axes = field(default_factory=dict)
    parameters: dict[str, Axes] = field(default_factory=dict)
    workers: int = 0  # as many as there are processors
    memory: int = 0  # bytes of each worker; a fair share of the machine's
    retries: int = 2
    slurm: Slurm = Slurm()
    figure_x: str = ""
    figure_y: str = "time"

    def cells(self) -> Iterator[Cell]:
        """All of them, always in the same order, a baseline before what is compared with it."""
        mechanisms = (self.baseline, *(one for one in self.mechanisms if one != self.baseline))
        for program, machine, settings, options, seed in itertools.product(
            self.programs,
            self.machines,
            combinations(self.settings),
            combinations(self.options),
            self.seeds,
        ):
            for mechanism in mechanisms:
                for parameters in combinations(self.parameters.get(mechanism, {})):
                    yield Cell(
                        program.name, machine, settings, options, seed, mechanism, parameters
                    )

    def axes(self) -> dict[str, tuple[str, ...]]:
        """The names of what can differ between cells, with its values."""
        named: dict[str, tuple[str, ...]] = {
            "program": tuple(program.name for program in self.programs),
            "machine": self.machines,
            **self.settings,
            **self.options,
            "seed": tuple(str(seed) for seed in self.seeds),
        }
        for mechanism, axes in self.parameters.items():
            named.update({f"{mechanism}:{name}": values for name, values in axes.items()})
        return named


def combinations(axes: Axes) -> Iterator[Words]:
    """Each choice of one value per key."""
    for values in itertools.product(*axes.values()):
        yield tuple(zip(axes, values, strict=True))


def bytes_of(text: str, where: str) -> int:
    """ "2 GiB" as a number of bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([A-Za-z]+)", text.strip())
    if match is None or match[2] not in _UNITS:
        raise failure(where, f"'{text}' is no size", "write it as '2 GiB'")
    return int(float(match[1]) * _UNITS[match[2]])


def read_file(file: Path) -> Sweep:
    """Of a TOML file; relative paths in it are below its folder."""
    try:
        text = file.read_bytes().decode()
    except OSError as problem:
        raise failure(str(file), problem.strerror or "cannot be read") from None
    except UnicodeDecodeError:
        raise failure(str(file), "is not UTF-8 text") from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise failure(str(file), f"is not TOML: {problem}") from None
    return read_table(table, str(file), file.resolve().parent)


def read_table(table: Mapping[str, Any], source: str, folder: Path) -> Sweep:
    """Of the same keys as a file has."""
    fields = Fields(
        source,
        table,
        "",
        (
            "summary",
            "traces",
            "program",
            "machines",
            "mechanisms",
            "baseline",
            "seeds",
            "set",
            "simulate",
            "parameters",
            "workers",
            "memory",
            "retries",
            "slurm",
            "figure",
        ),
    )
    memory = fields.text("memory", "")
    mechanisms = fields.texts("mechanisms")
    baseline = fields.text("baseline", OPERATING_SYSTEM)
    sweep = Sweep(
        source=source,
        folder=folder,
        summary=fields.text("summary", ""),
        programs=_programs(fields, source, folder),
        machines=fields.texts("machines", ("simics-4x2",)),
        mechanisms=mechanisms,
        baseline=baseline,
        seeds=fields.wholes("seeds", (1,)),
        settings=Fields(source, flat := _flat(fields.table("set")), "set", tuple(flat)).axes(),
        options=Fields(source, fields.table("simulate"), "simulate", OPTIONS).axes(),
        parameters=_parameters(fields, source, (baseline, *mechanisms)),
        workers=fields.whole("workers", 0),
        memory=bytes_of(memory, f"{source}: 'memory'") if memory else 0,
        retries=fields.whole("retries", 2),
        slurm=_slurm(fields, source),
        figure_x=(figure := Fields(source, fields.table("figure"), "figure", ("x", "y"))).text(
            "x", ""
        ),
        figure_y=figure.text("y", "time"),
    )
    _check(sweep)
    return sweep


def _check(sweep: Sweep) -> None:
    for key, values in (("machines", sweep.machines), ("seeds", sweep.seeds)):
        if not values:
            raise failure(sweep.source, f"'{key}' is empty", "name one, or leave it out")
    if "live" in sweep.machines:
        raise failure(
            f"{sweep.source}: 'machines'",
            "'live' is another machine on each computer",
            "write it to a file with lstopo, and name that",
        )
    for roi in sweep.options.get("roi", ()):
        if roi not in ("yes", "no"):
            raise failure(f"{sweep.source}: [simulate]", "'roi' must be true or false")
    if sweep.figure_y not in QUANTITIES:
        raise failure(
            f"{sweep.source}: [figure]",
            f"there is no '{sweep.figure_y}'",
            suggest(sweep.figure_y, QUANTITIES),
        )
    if sweep.figure_x and sweep.figure_x not in sweep.axes():
        raise failure(
            f"{sweep.source}: [figure]",
            f"nothing is called '{sweep.figure_x}' here",
            suggest(sweep.figure_x, sweep.axes()),
        )


def _programs(fields: Fields, source: str, folder: Path) -> tuple[Program, ...]:
    programs = [Program(Path(file).stem, trace=folder / file) for file in fields.texts("traces")]
    for table in fields.tables("program"):
        one = Fields(source, table, "program", ("name", "trace", "command", "environment"))
        name = one.text("name")
        if ("trace" in table) == ("command" in table):
            raise failure(
                f"{source}: [program]", f"'{name}' needs a trace or a command", "give one of them"
            )
        if "trace" in table:
            programs.append(Program(name, trace=folder / one.text("trace")))
            continue
        command = table["command"]
        if (
            not isinstance(command, list)
            or not command
            or not all(isinstance(word, str) for word in command)
        ):
            raise one.wrong("command", "a list of texts, the program and its arguments")
        environment = one.table("environment")
        if not all(isinstance(value, str) for value in environment.values()):
            raise one.wrong("environment", "a table of texts")
        programs.append(
            Program(name, command=tuple(command), environment=tuple(sorted(environment.items())))
        )
    if not programs:
        raise failure(source, "there is no program", "name traces = [...] or a [[program]]")
    each_once(tuple(program.name for program in programs), f"{source}: programs")
    return tuple(programs)


def _parameters(fields: Fields, source: str, mechanisms: tuple[str, ...]) -> dict[str, Axes]:
    parameters: dict[str, Axes] = {}
    whole = Fields(source, fields.table("parameters"), "parameters", mechanisms)
    for mechanism in fields.table("parameters"):
        table = whole.table(mechanism)
        parameters[mechanism] = Fields(
            source, table, f"parameters.{mechanism}", tuple(table)
        ).axes()
    return parameters


def _slurm(fields: Fields, source: str) -> Slurm:
    one = Fields(
        source,
        fields.table("slurm"),
        "slurm",
        (
            "jobs",
            "queue",
            "account",
            "walltime",
            "interface",
            "python",
            "logs",
            "directives",
            "prologue",
        ),
    )
    return Slurm(
        jobs=one.whole("jobs", 1, least=1),
        queue=one.text("queue", ""),
        account=one.text("account", ""),
        walltime=one.text("walltime", "01:00:00"),
        interface=one.text("interface", ""),
        python=one.text("python", ""),
        logs=one.text("logs", ""),
        directives=one.texts("directives"),
        prologue=one.texts("prologue"),
    )


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """TOML reads cache.l2.size = … as tables in tables."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{before}{key}."))
        else:
            flat[before + key] = value
    return flat
