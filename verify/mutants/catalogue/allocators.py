"""Mutants: the C library's allocator, in the processes that a notebook starts."""

import subprocess

from verify.mutants.changes import mutant, wrap

KEEP = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=10000000000:glibc.malloc.arena_max=1"


def in_programs(old: str, new: str) -> None:
    """Replace a piece of the code of each program that is started."""

    def change(real, command, **options):
        return real([part.replace(old, new) for part in command], **options)

    wrap(subprocess, "run", change)


@mutant("GLIBC_TUNABLES changes nothing", slow="benchmarks")
def _():
    def change(real, command, **options):
        environment = options.get("env") or {}
        kept = {name: value for name, value in environment.items() if name != "GLIBC_TUNABLES"}
        return real(command, **options | ({"env": kept} if environment else {}))

    wrap(subprocess, "run", change)


@mutant("glibc keeps what is freed, whatever it is told", slow="benchmarks")
def _():
    def change(real, command, **options):
        environment = options.get("env") or {}
        return real(command, **options | {"env": environment | {"GLIBC_TUNABLES": KEEP}})

    wrap(subprocess, "run", change)


@mutant("mallopt changes nothing", slow="benchmarks")
def _():
    in_programs("libc.mallopt(", "max(")


@mutant("malloc_trim gives nothing back", slow="benchmarks")
def _():
    in_programs("libc.malloc_trim(", "abs(")
