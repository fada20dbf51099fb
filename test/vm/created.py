"""The files that `wow pool create` makes, started as its START.md says: they become a pool by themselves."""

import dataclasses
import os
import pathlib
import subprocess
import time

import cleanup
import sites
import story
from lab import Lab
from tally import must

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "made"


def run(tally, folder, setup, say):
    """The manager from its own files, two volunteers from one, all of them behind the lab's NATs."""
    with tally.case("the files of `wow pool create` become a pool: the manager from its own, two volunteers from the same"):
        place = pathlib.Path(folder, NAME)
        begin = time.monotonic()
        done = subprocess.run([ROOT / "appliance/wow", "pool", "create", NAME, "--json", "--folder", place, "--user", f"lab={setup.key}.pub",
                               "--at", f"{sites.MANAGER.public}:{sites.OVERLAY_PORT}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        # Not what it printed on the other stream: the recovery key.
        say.plain(f"{done.stderr}figure: wow pool create, with the image there: {time.monotonic() - begin:.1f} s")
        must(done.returncode == 0, done.stderr)
        theirs = os.fspath(place / f"for-volunteers/{NAME}-config.img")
        configs = {sites.MANAGER.name: os.fspath(place / f"for-manager/{NAME}-manager-config.img"), **dict.fromkeys(story.WORKERS, theirs)}
        lab = Lab(folder, dataclasses.replace(setup, image=os.fspath(place / f"for-volunteers/{NAME}.qcow2"), configs=configs), say)
        lab.build(sites.POOL)
        try:
            story.start_pool(lab)
            hosts = {lab.vms[name].console.last("certificate").values["host"] for name in story.EVERY}
            must(len(hosts) == 3 and sites.MANAGER.name in hosts, f"they are called {hosts}")
        finally:
            lab.stop_recording()
            for name in story.EVERY:
                lab.vms[name].pull_plug()
            cleanup.stop()
