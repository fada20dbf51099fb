"""What a job of alice on beta reaches in a real machine: the fence of slots on the image's own kernel, and what only control groups bound."""

import json
import pathlib

import patience
from tally import must

INTRUDER = pathlib.Path(__file__).resolve().parents[1] / "pool/intruder.py"
GLUTTON = "import time; all = [bytearray(b'x') * (1 << 20) for _ in range(1 << 11)]; time.sleep(600)"
SUBMIT = """executable = {name}
arguments = {arguments}
output = {name}.out
error = {name}.err
log = {name}.log
request_memory = {memory}
requirements = TARGET.Machine =!= "$ENV(HERE)"
transfer_output_files = ""
queue
"""
MUCH, LITTLE = 384, 64
"""MB that a job asks for: 512 processes of Python take more than the least that there is."""
CLOSED = (9618, 22, 8443)
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
        must(not said["processes"] and not said["files"] and said["submit"] == "refused", f"{said['processes']}, {said['files']}, {said['submit']}")
        must(addresses["manager"] in said["names"].values() and not said["names"]["world.example"][0].isdigit(), f"{said['names']}")
    with tally.case("a job that forks without end has no more than 512 processes, and one that takes all memory is held for that"):
        must(0 < said.get("forks", 0) < 512, f"it had {said}")
        wait(alice, "glutton", "^012 ")
        must("memory" in alice.run("sed -n '/^012 /,$p' glutton.log").stdout, "it is held for another reason")
        alice.run("condor_rm -all")


def submit(alice, name, program, memory, arguments=""):
    """Submits a program as a job of that name."""
    alice.run(f"cat > {name} && chmod 755 {name} && rm -f {name}.log", text=program)
    alice.run(f"cat > {name}.sub && HERE=$(condor_config_val FULL_HOSTNAME) condor_submit -terse {name}.sub", text=SUBMIT.format(name=name, memory=memory, arguments=arguments))


def wait(alice, name, event):
    """Waits for an event of a job's log."""
    seconds = patience.seconds("jobs")
    done = alice.run(f"for _ in $(seq {seconds:.0f}); do grep -q '{event}' {name}.log && exit; sleep 1; done; cat {name}.log; condor_q -better-analyze | tail -n 20; exit 1",
                     timeout=seconds * 2, check=False)
    must(done.returncode == 0, done.stdout)
