"""Where the image and the published programs lie, and the command that makes them."""

import os
import subprocess

from shell import LabError, run

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
OUT = os.path.join(ROOT, "build/out")
PARTS = os.path.join(ROOT, "build/image")
CACHE = os.environ.get("WOW_CACHE") or os.path.join(os.path.expanduser("~"), ".cache/wow")
WOW_CA = os.path.join(PARTS, "programs/ca/wow-ca")


def build():
    """Makes the image, or finds it made; its progress goes to our output."""
    if subprocess.run([os.path.join(ROOT, "appliance/image/build")], stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise LabError("the image was not built; what appliance/image/build said stands above", step="image")


def disk():
    """Path of the disk that virtual machines boot."""
    path = os.path.join(OUT, "wow.qcow2")
    if not os.path.exists(path):
        raise LabError(f"{path} is not there; `make image` makes it", step="image")
    return path


def origin(accelerator):
    """Which commit the clone has, whether files differ from it, and how guests were run: words beside figures."""
    def git(*words):
        return run("git", "-c", "safe.directory=*", "-C", ROOT, *words, check=False).stdout.strip()
    changed = " and changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    return f"{git('rev-parse', '--short=10', 'HEAD') or 'no commit'}{changed}, {'KVM' if 'kvm' in accelerator else 'TCG'}, {os.cpu_count()} processors"


def sizes():
    """Sizes in MB (10^6 bytes) for the figures; what is not there is left out."""
    parts = (("base_mb", f"{PARTS}/layers/base.squashfs"), ("dotnet_mb", f"{PARTS}/layers/node.squashfs"), ("ova_mb", f"{OUT}/wow.ova"))
    return {key: round(os.path.getsize(path) / 1e6, 1) for key, path in parts if os.path.exists(path)}
