"""What a job of alice on beta reaches in a real machine: the fence of slots on the image's own kernel, and what only control groups bound."""

import json
import pathlib
import re

import probe
from tally import must

INTRUDER = pathlib.Path(__file__).resolve().parents[1] / "pool/intruder.py"
GLUTTON = "import time; all = [bytearray(b'x') * (1 << 20) for _ in range(1 << 11)]; time.sleep(600)"
SUBMIT = """executable = {name}
arguments = {arguments}
output = {name}.out
error = {name}.err
log = {name}.log
request_memory = {memory}
request_disk = {disk}
requirements = TARGET.Machine =!= "$ENV(HERE)"
transfer_output_files = ""
queue
"""
WRITER = "#!/bin/sh\nwhile :; do cat /dev/zero >> all; sleep 1; done\n"
MAKER = "#!/bin/sh\ncount=0\nwhile true > $count; do count=$((count + 1)); done\necho $count\n"
FITS = """#!/bin/sh
set -e
head -c 8M /dev/zero > here
head -c 7M /dev/zero > /var/tmp/there
mkdir many
for count in $(seq 200); do echo $count > many/$count; done
"""
TELLS = re.compile(r"The job's (\d+) files take (\d+) KB, and its request_disk gave it (\d+) KB and (\d+) files: ask for more")
DISK = 16
"""MiB that these jobs ask for."""
WRITTEN = "du -sk /var/lib/wow/execute"
ROOM = "df --output=avail -k /home | tail -n 1"
MUCH, LITTLE = 384, 64
"""MB that a job asks for: 512 processes of Python take more than the least that there is."""
LOOK = 10
"""Seconds that a look at a job's log waits in the guest, where that costs less than another login."""
CLOSED = (9618, 22, 8443, 8445, 8446)
"""Ports of every machine that no job reaches: HTCondor's, ssh's, the CA's."""


def run(tally, lab):
    """Jobs of alice on alpha; they run on beta, the only other machine with slots."""
    alice = lab.login("alpha", "alice")
    addresses = {name: lab.address(name) for name in ("manager", "alpha", "beta")}
    places = [f"{address}:{port}" for address in addresses.values() for port in CLOSED]
    submit(alice, "intruder", "#!/usr/bin/python3\n" + INTRUDER.read_text(encoding="utf-8"), MUCH, " ".join(places))
    submit(alice, "glutton", f'#!/bin/sh\nexec python3 -c "{GLUTTON}"\n', LITTLE)
    said = {}
    with tally.case("a job on beta reaches itself and no daemon of any machine, sees itself alone, and gets no other account"):
        wait(alice, "intruder", "^005 ")
        said.update(json.loads(alice.run("cat intruder.out").stdout))
        must(said["own loopback"] == said["own address"] == "open", f"it does not reach itself: {said}")
        reached = [place for place, how in said["places"].items() if how == "open"]
        must(not reached, f"it reaches {reached}")
        must(said["own shared"], "it has no shared memory of its own")
        must(said["user namespace"] == "refused" and said["privileges"] == "none", f"{said['user namespace']}, {said['privileges']}")
        must(said["control group"] == "BlockingIOError" and not said["writable"], f"{said['control group']}, {said['writable']}")
        must(said["tap"] == "PermissionError" and not said["filed"], f"{said['tap']}, {said['filed']}")
        must(not said["processes"] and not said["files"] and said["submit"].startswith("1: "), f"{said['processes']}, {said['files']}, {said['submit']}")
        must(addresses["manager"] in said["names"].values() and not said["names"]["world.example"][0].isdigit(), f"{said['names']}")
    with tally.case("a job that forks without end has no more than 512 processes, and one that takes all memory is held for that"):
        must(0 < said.get("forks", 0) < 512, f"it had {said}")
        wait(alice, "glutton", "^012 ")
        must("memory" in alice.run("sed -n '/^012 /,$p' glutton.log").stdout, "it is held for another reason")
        alice.run("condor_rm -all")
    fill(tally, lab, alice)


def fill(tally, lab, alice):
    """What jobs write where everybody's files are."""
    for name, program in (("fits", FITS), ("maker", MAKER), ("writer", WRITER)):
        submit(alice, name, program, LITTLE, disk=f"{DISK}M")
    with tally.case("a job writes all of the disk that it asked for, in three places and in many files, and ends well"):
        wait(alice, "fits", "^005 ")
        must("return value 0" in alice.run("cat fits.log").stdout, alice.run("cat fits.log fits.err").stdout)
    with tally.case("a job that makes files without end gets so many as its disk allows, and is held for that when it ends"):
        files, _, _, most = held(alice, "maker")
        must(most <= files <= most + 32, f"it made {files} files of {most}")
    with tally.case("a job that writes without end is stopped at the disk that it asked for and held for that, and home has room for everybody"):
        probe.until(lambda: int(probe.root("beta", WRITTEN).split()[0]), lambda kib: kib >= DISK << 10, "jobs", "it does not write what it asked for")
        must(int(probe.root("beta", ROOM)) > 4 * DISK << 10, "home is full")
        _, kib, given, _ = held(alice, "writer")
        must(given < kib <= given + given // 256 + 2048, f"it wrote {kib} KB of {given}")
        alice.run("condor_rm -all")


def held(alice, name):
    """The figures in the reason for which the job is held."""
    wait(alice, name, "^012 ")
    log = alice.run(f"cat {name}.log").stdout
    found = TELLS.search(log)
    must(found, f"it is held for another reason:\n{log}")
    return [int(number) for number in found.groups()]


def submit(alice, name, program, memory, arguments="", disk="1M"):
    """Submits a program as a job of that name."""
    alice.run(f"cat > {name} && chmod 755 {name} && rm -f {name}.log", text=program)
    alice.run(f"cat > {name}.sub && HERE=$(condor_config_val FULL_HOSTNAME) condor_submit -terse {name}.sub", text=SUBMIT.format(name=name, memory=memory, disk=disk, arguments=arguments))


def wait(alice, name, event):
    """Waits for an event of a job's log."""
    def look():
        return alice.run(f"for _ in $(seq {LOOK}); do grep -q '{event}' {name}.log && exit; sleep 1; done; cat {name}.log; exit 1", check=False)

    try:
        probe.until(look, lambda done: done.returncode == 0, "jobs", f"{name} has no event {event}")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{alice.run('condor_q -better-analyze | tail -n 20', check=False).stdout}") from error
