"""The module tool, run on the sample module."""

import hashlib
import json
import os
import shutil

from checks import check, expect, run
from contents import mounted
from places import LAYERS, PARTS, ROOT, WORK

PUBLISH = LAYERS / "publish"


def publish(folder, out):
    run(PUBLISH, "--base", PARTS / "base", "--node", PARTS / "layers/node.squashfs", "--about", PARTS / "base.json", folder, "-o", out)
    return hashlib.sha256(out.read_bytes()).hexdigest()


@check
def a_module_published_twice_is_the_same_layer():
    copy = WORK / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "modules/tutorial", copy)
    # Neither time stamps nor the modes of a checkout may matter.
    for path in copy.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o700 if path.is_dir() else 0o600)
    first, second = publish(ROOT / "modules/tutorial", WORK / "first.squashfs"), publish(copy, WORK / "second.squashfs")
    expect(first == second, f"{first} and {second}")
    built = hashlib.sha256((PARTS / "layers/tutorial.squashfs").read_bytes()).hexdigest()
    expect(first == built, "the image holds another tutorial layer")


@check
def the_sample_module_is_in_the_image_and_its_job_runs():
    expect("module tutorial tutorial-" in (PARTS / "A.conf").read_text(), "not on the list of layers")
    with mounted(PARTS / "layers/tutorial.squashfs") as tree:
        about = json.loads((tree / "usr/lib/wow/modules/tutorial/manifest.json").read_text())
        files = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
        expect(set(about["files"]) == files - {"usr/lib/wow/modules/tutorial/manifest.json"}, "the manifest lists other files")
        place = tree / "usr/share/wow/tutorial"
        text = run(place / "integrate", place / "balls.txt", 0, 100000)
        values = dict(line.split(": ") for line in text.splitlines())
        # The volume by integration over a grid of 1000 x 1000 columns is 0.41184; four standard errors of tolerance.
        expect(abs(float(values["volume"]) - 0.41184) < 4 * float(values["error"]) > 0, f"the estimate is off: {text}")
        expect(values["host"] == os.uname().nodename.split(".")[0], f"host {values['host']}")
        run(place / "integrate", place / "absent.txt", 0, 10, fails=True)
