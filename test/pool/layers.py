"""The image's own layers, that machines stand on."""

import functools
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ROOT / "build/image"
FOLDER = pathlib.Path(os.environ.get("LAYERS", PARTS / "layers"))
LAYERS = (FOLDER / "base.squashfs", FOLDER / "node.squashfs")
NODE = ROOT / "appliance/node/root/usr/lib/wow/node/wow"
LOG_END = 20


@functools.cache
def stack():
    """The list of layers, as the image has it."""
    listed = [f"{layer.stem}={layer}" for layer in LAYERS]
    return subprocess.run([ROOT / "appliance/image/stack-list", *listed], stdout=subprocess.PIPE, text=True, check=True).stdout


def build():
    """Makes what is stale of the image's parts; ends the run with the log's end if that fails. LAYERS names a folder with others."""
    if "LAYERS" in os.environ:
        return
    made = subprocess.run(["appliance/image/parts"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if made.returncode:
        print("\n".join(["the image's layers were not made, so there is nothing to test:", *made.stdout.splitlines()[-LOG_END:], "0 passed, 1 failed"]))
        sys.exit(1)
