"""The clone that makes pools: its release, its tools, and what `make image` left in it."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from pool.formats import ARM
from pool.node import WowError


class Clone:
    """Where things lie. `root` is the clone's; the tests give `out`, `arm_out`, `wow_ca` and `builder` of their own."""

    def __init__(self, root=None, out=None, wow_ca=None, builder=None, arm_out=None):
        self.root = pathlib.Path(root or pathlib.Path(__file__).resolve().parents[2])
        self.out = pathlib.Path(out or self.root / "build/out")
        self.arm_out = pathlib.Path(arm_out or self.root / ARM.out)
        self.wow_ca = pathlib.Path(wow_ca or self.root / "build/image/programs/ca/wow-ca")
        self.replace_base = self.root / "appliance/image/replace-base"
        self.builder = builder or self.root / "appliance/image/build"

    @property
    def make_image(self):
        """What makes the image, as it is typed."""
        return f"cd {shlex.quote(str(self.root))} && make image"

    @property
    def release(self):
        """The version that this clone builds."""
        return re.search(r"<Version>([^<]+)</Version>", (self.root / "Directory.Build.props").read_text(encoding="utf-8")).group(1)

    def noted(self, out=None):
        """{file: SHA-256} of what the last build that came to its end made; of the one that left its files in `out`, where that is named."""
        sums = (out or self.out) / "SHA256SUMS"
        lines = sums.read_text(encoding="ascii").splitlines() if sums.exists() else []
        return {words[1].lstrip("*"): words[0] for words in map(str.split, lines) if len(words) == 2}

    def build(self):
        """Makes the image; its progress goes to standard error. WowError if it does not end well, or may not be made by this account."""
        if os.geteuid() != 0:
            raise WowError("is not built yet, and building it needs root", f"Type as root: {self.make_image}", str(self.out))
        if subprocess.run([self.builder], stdin=subprocess.DEVNULL, stdout=sys.stderr, umask=0o022, check=False).returncode != 0:
            raise WowError("the image was not built", "What appliance/image/build said stands above; mend that, then type the same command again")
