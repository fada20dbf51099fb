"""What is used here of the image: the names of the one for arm64; and of its formats, how a configuration comes into an image, the OVF descriptor and its digests,
which partitions a machine may have, and its list of layers."""

import pathlib
import sys

IMAGE = pathlib.Path(__file__).resolve().parents[1] / "image"
for folder in (str(IMAGE / "formats"), str(IMAGE)):
    if folder not in sys.path:
        sys.path.append(folder)

import architecture  # noqa: E402
import configdisk  # noqa: E402, F401
import contents  # noqa: E402, F401
import headers  # noqa: E402, F401
import inplace  # noqa: E402, F401
import onedisk  # noqa: E402, F401
import ovf  # noqa: E402, F401
import partitions  # noqa: E402, F401
import stacks  # noqa: E402, F401
import stamps  # noqa: E402, F401
import tools  # noqa: E402, F401

ARM = architecture.ALL["arm64"]
