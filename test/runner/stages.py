"""The stages of `make test`, in order. Limits are five times and more what a quiet machine with two cores needs from a cold cache; what a busy one lacks is left
out (netns/pressure.py)."""

import datetime
import os
import pathlib
import re
import subprocess
import sys
from typing import Callable, NamedTuple, Optional

from runner.counts import Count, failed_in_trx, from_last_line, from_trx, from_unittest
from runner.lanes import ALONE, BUILD, COMPUTES, COMPUTING, MACHINES, SERVES, SLEEPS, UNITS, WAITS
from runner.long import from_bench, from_grid, from_log, from_parts, from_sim, goals, seed, with_goals

SHELL = re.compile(rb"#!.*\b(sh|bash|dash)\b")
PYTHON = re.compile(rb"#!.*\bpython3\b")
PARSE = "import ast, sys; [ast.parse(open(name, encoding='utf-8').read(), name) for name in sys.argv[1:]]"
END_TO_END = ("test/arm64", "test/netns", "test/netns/bench", "test/netns/dhcp", "test/netns/grid", "test/netns/router", "test/image", "test/image/bench", "test/pages",
              "test/pages/bench", "test/pool", "test/pool/bench", "test/vm")
NODE = "appliance/node/root/usr/lib/wow/node"
TOOLS = IMAGE_TOOLS, POOL_TOOLS = "test/image", "test/pool-admin"
"""Folders of unit tests that start programs most of the time: a stage each."""
IN_MEMORY = ("unshare", "--mount", "sh", "-ec", 'mount -t tmpfs -o mode=1777 tmpfs /dev/shm; TMPDIR=/dev/shm; export TMPDIR; exec "$@"', "sh")
"""Before a command of Python's unit tests: what they write goes to memory. What is to outlive a power cut they sync, and a disk writes all that other lanes wrote
before it says that it did. No unit test can tell, for none cuts the power. Those of the image put folders of theirs in the place of /dev in the initrd's scripts, so
theirs may not lie below it."""
SHORT_LIVED = ("env", "DOTNET_TieredPGO=0")
"""Before what .NET is to compile once, and not to prepare for a long life."""
FIRST = ("restore", "programs", "build", "image-build")
"""What others need. All else begins after `build`: beside it the compiler would have a tenth of a processor, and half of the stages would wait for it."""
GIVES_WAY, GOES_FIRST = 5, -5
"""The niceness of what waits for nobody, and that of virtual machines: guests and their peers go by clocks, which a guest that has no processor misses."""
UNIT_SECONDS = 600
UNIT_SECONDS_OF = {"Simulation.Tests": 1200}


class Stage(NamedTuple):
    """One stage: commands run one after the other, each for `limit` seconds at most; `count` reads the log (and what the commands left) once they have ended.
    It begins after those of `after`, however these ended, on a slow computer after those of `slow_after`, too, and is not run where one that it needs failed."""
    name: str
    limit: float
    commands: list
    count: Callable[[str], Optional[Count]]
    needs: tuple = ()
    detail: Callable[[], list] = list
    missing: Optional[str] = None
    lane: str = COMPUTES
    niceness: int = 0
    after: tuple = ()
    slow_after: tuple = ()
    figures: Callable[[str], list] = from_log


def tracked(root: pathlib.Path) -> list:
    """The files of the clone: tracked, and new ones that git does not ignore; no links."""
    listing = subprocess.run(
        # The clone may belong to the user who called sudo.
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True)
    names = sorted(set(listing.stdout.decode().split("\0")) - {""})
    return [name for name in names if (root / name).is_file() and not (root / name).is_symlink()]


def shell_scripts(root: pathlib.Path) -> list:
    """Every file that a shell runs, by its first line or its suffix."""
    found = []
    for name in tracked(root):
        with (root / name).open("rb") as file:
            first = file.readline(100)
        if name.endswith(".sh") or SHELL.match(first):
            found.append(name)
    return found


def python_files(root: pathlib.Path) -> list:
    """Every file that Python runs."""
    found = []
    for name in tracked(root):
        with (root / name).open("rb") as file:
            if name.endswith(".py") or PYTHON.match(file.readline(100)):
                found.append(name)
    return found


def python_test_folders(root: pathlib.Path) -> list:
    """Folders under test/ that hold test_*.py."""
    return sorted({
        str(pathlib.PurePath(name).parent) for name in tracked(root)
        if name.startswith("test/") and pathlib.PurePath(name).match("test_*.py")})


def python_tests(root: pathlib.Path, folder: str) -> list:
    """The command that runs a folder's unit tests: its own `run`, where that is not an end-to-end stage, else unit.py."""
    own = root / folder / "run"
    if os.access(own, os.X_OK) and folder not in END_TO_END:
        return [*IN_MEMORY, str(own)]
    return [*(() if folder == IMAGE_TOOLS else IN_MEMORY), sys.executable, "test/runner/unit.py", folder]


def unit_projects(root: pathlib.Path) -> list:
    """The test projects: the house's own rules first, for they are quick to break, then the simulation, which takes longest: lanes that have ended take the others."""
    names = [path.stem for path in root.glob("test/*.Tests/*.csproj")]
    return sorted(names, key=lambda name: (name != "House.Tests", name != "Simulation.Tests", name))


def each_passes(number: int) -> Callable[[str], Count]:
    """The count of a stage whose tool says no more than yes or no."""
    return lambda log: Count(number, 0)


def script(root: pathlib.Path, name: str, limit: float, path: str, count=from_last_line, needs=(), arguments=(), lane=COMPUTES) -> Stage:
    """An end-to-end stage: an executable of the clone."""
    absent = None if os.access(root / path, os.X_OK) else f"{path} is missing or not executable"
    return Stage(name, limit, [[str(root / path), *arguments]], count, needs, missing=absent, lane=lane)


def unit(root: pathlib.Path, name: str, limit: float, out: pathlib.Path) -> Stage:
    """The tests of one project, as the build left them."""
    assembly = root / "build/dotnet/bin" / name / "release" / f"{name}.dll"
    trx = out / f"{name}.trx"
    before = () if name in UNIT_SECONDS_OF else SHORT_LIVED
    command = [*before, "dotnet", "test", str(assembly), "--logger", f"trx;LogFileName={trx.name}", "--results-directory", str(out)]
    return Stage(name, limit, [command], lambda log: from_trx(trx), ("build",), lambda: failed_in_trx(trx), lane=UNITS)


def tools(root: pathlib.Path, folder: str) -> Stage:
    """The unit tests of one of TOOLS."""
    return Stage(f"{pathlib.PurePath(folder).name}-tools", 2700, [python_tests(root, folder)], from_unittest, ("programs",))


def arranged(stage: Stage) -> Stage:
    """The same, with its turn: what others need comes first, and what computes gives way to what waits. On a slow computer virtual machines come before all else
    that goes by clocks: beside it they take twice as long, and their guests compute all the while."""
    if stage.name in FIRST:
        return stage
    if stage.lane in COMPUTING:
        return stage._replace(after=(BUILD,), niceness=GIVES_WAY)
    if stage.name == "vm":
        return stage._replace(after=(BUILD,), niceness=GOES_FIRST)
    return stage._replace(after=(BUILD,), slow_after=("vm",))


def stages(root: pathlib.Path, out: pathlib.Path) -> list:
    """What `make test` runs."""
    shells = shell_scripts(root)
    pythons = python_test_folders(root)
    node = [name for name in python_files(root) if name.startswith(f"{NODE}/")]
    return [arranged(stage) for stage in (
        # Locked: a package or reference that the lock files do not know is a failure here already, not only in CI.
        Stage("restore", 600, [["dotnet", "restore", "Wow.slnx", "--locked-mode"]], each_passes(1)),
        # The programs of the image: what is measured is what ships.
        script(root, "programs", 900, "appliance/image/programs", each_passes(1), ("restore",), lane=WAITS),
        # The projects share one compiler, which compiles the analyzers once; it is ended after that.
        Stage("build", 1500, [[
            *SHORT_LIVED, "dotnet", "build", "Wow.slnx", "-c", "Release", "--no-restore", "-warnaserror", "-nologo", "-nodeReuse:false", "-p:UseSharedCompilation=true"],
            ["dotnet", "build-server", "shutdown", "--vbcscompiler"]], each_passes(1), ("restore",)),
        # Three stages of other lanes stand on its layers.
        script(root, "image-build", 1800, "appliance/image/build", each_passes(1), ("programs",), lane=MACHINES),
        # SC1091: paths that exist only in the guest.
        Stage("shellcheck", 120, [["shellcheck", "-x", "-P", "SCRIPTDIR", "-e", "SC1091", *shells]], each_passes(len(shells))),
        # Debian's own, which know Debian's Python; pyproject.toml has the settings.
        Stage("types", 300, [["/usr/bin/mypy", *node], ["/usr/bin/pylint", *node]], each_passes(len(node))),
        # Before the other unit tests, which wait for `build`.
        Stage("python", 2700, [
            [sys.executable, "-c", PARSE, *python_files(root)],
            *(python_tests(root, folder) for folder in pythons if folder not in TOOLS)], from_unittest, ("programs",), lane=UNITS),
        # White space; the build holds the rest, and House.Tests the two rules of style that the build does not.
        Stage("format", 600, [["dotnet", "format", "whitespace", "Wow.slnx", "--verify-no-changes", "--no-restore"]], each_passes(1), ("restore",)),
        *(unit(root, name, UNIT_SECONDS_OF.get(name, UNIT_SECONDS), out) for name in unit_projects(root)),
        script(root, "fuzz", 600, "test/Fuzz/run", needs=("build",), lane=UNITS),
        script(root, "netns", 2000, "test/netns/run", needs=("programs",), arguments=("--beside",), lane=WAITS),
        script(root, "dhcp", 900, "test/netns/dhcp/run", needs=("programs",), lane=SERVES),
        # What takes long comes first in its lane: what is left at the end other lanes take.
        *(tools(root, folder) for folder in pythons if folder == POOL_TOOLS),
        script(root, "image", 2400, "test/image/run", needs=("image-build",)),
        *(tools(root, folder) for folder in pythons if folder == IMAGE_TOOLS),
        # Mostly waits for a browser.
        script(root, "pages", 1200, "test/pages/run", needs=("image-build",), lane=SERVES),
        script(root, "router", 900, "test/netns/router/run", needs=("programs",), lane=WAITS),
        script(root, "pool", 2700, "test/pool/run", needs=("image-build",), lane=SLEEPS),
        script(root, "grid", 600, "test/netns/grid/run", needs=("programs",), arguments=("--few",), lane=SLEEPS),
        script(root, "vm", 3000, "test/vm/run", needs=("image-build",), lane=MACHINES),
        script(root, "netns-alone", 900, "test/netns/run", needs=("programs",), arguments=("--alone",), lane=ALONE),
    )]


def long_stages(root: pathlib.Path, today: datetime.date) -> list:
    """What `make test-long` runs: what takes too long for every commit. Names that begin with `long-` keep their result in docs/test-long.json."""
    def simulated(name: str, limit: float, *arguments: str) -> Stage:
        out = root / "build/out" / name
        stage = script(root, name, limit, "test/Simulation/sim", goals(lambda: from_sim(out / "sim.json")), ("build",), (*arguments, "--output", str(out)))
        return stage._replace(figures=lambda log: from_sim(out / "sim.json"))

    def measured(name: str, limit: float, path: str, file: str, read: Callable[[pathlib.Path], list], lane: str, needs: str = "programs") -> Stage:
        def figures(_: str = "") -> list:
            return read(root / "build/out" / file)
        stage = script(root, name, limit, path, with_goals(from_last_line, figures), (needs,), lane=lane)
        return stage._replace(figures=figures)

    return [
        script(root, "programs", 900, "appliance/image/programs", each_passes(1), lane=WAITS),
        Stage("build", 1500, [["dotnet", "build", "Wow.slnx", "-c", "Release", "-warnaserror", "-nologo", "-nodeReuse:false"]], each_passes(1)),
        # Waits for an hour while machines are cut off; the grid goes after it.
        script(root, "long-cut", 5400, "test/netns/dhcp/run", needs=("programs",), arguments=("--hour",), lane=WAITS),
        # Waits for records to run out; the release is built first, unless the cache has it.
        script(root, "long-release", 3600, "test/netns/run", needs=("programs",), arguments=("--release",), lane=WAITS),
        measured("long-grid", 5400, "test/netns/grid/run", "netns/grid.json", from_grid, WAITS),
        script(root, "long-fuzz", 1800, "test/Fuzz/run", needs=("build",), arguments=("--seconds", "600", "--seed", seed(today))),
        simulated("long-sim-day", 10800, "--scenario", "day", "--size", "300"),
        simulated("long-sim-week", 3600, "--scenario", "week", "--sessions", "cheap"),
        simulated("long-sim-big", 7200, "--scenario", "big", "--sessions", "cheap")._replace(lane=ALONE),
        script(root, "image-build", 1800, "appliance/image/build", each_passes(1), ("programs",)),
        # The base once more, of the packages that it records.
        script(root, "long-again", 3600, "test/image/again", needs=("image-build",)),
        # A machine for each disk controller and each network card that QEMU has.
        script(root, "long-image", 7200, "test/image/run", needs=("image-build",), arguments=("--long",)),
        # On counted instructions, so that who computes beside it changes nothing.
        measured("long-image-bench", 7200, "test/image/bench/run", "image/bench.json", from_parts, COMPUTES, "image-build"),
        # Ten machines, whose parts are killed a hundred times, and three managers; the log has the seed.
        script(root, "long-pool", 5400, "test/pool/run", needs=("image-build",),
               arguments=("--workers", "9", "--kills", "100", "--seed", seed(today), "killing", "three"), lane=SLEEPS),
        script(root, "long-vm", 5400, "test/vm/run", needs=("image-build",), arguments=("--long",), lane=ALONE),
        # What administrators, people and jobs do with a pool that runs.
        script(root, "long-vm-used", 3600, "test/vm/run", needs=("image-build",), arguments=("historied", "confined", "published"), lane=ALONE),
        # Built under emulation, unless the cache has its base; then in a pool beside amd64.
        script(root, "long-arm64", 10800, "test/arm64/run", needs=("image-build",), lane=ALONE),
        measured("long-bench", 3600, "test/netns/bench/run", "netns/bench.json", from_bench, ALONE),
        # Three quarters of an hour; each figure with a goal counts as a case.
        measured("long-bench-pool", 10800, "test/pool/bench/run", "pool/bench.json", from_parts, ALONE, "image-build"),
    ]
