"""What is used here of the image's formats: how a configuration comes into an image, the OVF descriptor and its digests, which partitions a machine may have,
and its list of layers."""

import pathlib
import sys

FOLDER = str(pathlib.Path(__file__).resolve().parents[1] / "image/formats")
if FOLDER not in sys.path:
    sys.path.append(FOLDER)

import configdisk  # noqa: E402, F401
import inplace  # noqa: E402, F401
import onedisk  # noqa: E402, F401
import ovf  # noqa: E402, F401
import partitions  # noqa: E402, F401
import stacks  # noqa: E402, F401
import stamps  # noqa: E402, F401
import tools  # noqa: E402, F401
