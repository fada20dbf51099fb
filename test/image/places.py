"""Where the image and its tools lie."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "build/out"
PARTS = ROOT / "build/image"
IMAGE = ROOT / "appliance/image"
LAB = ROOT / "appliance/lab"
LAYERS = ROOT / "appliance/layers"
WORK = ROOT / "build/test-image"

sys.dont_write_bytecode = True
sys.path += [str(IMAGE / "formats"), str(LAB)]

HOME_AT = (64 + 8192 + 16) << 20
"""Where WOWHOME begins on a disk that has all."""

POOL_CONF = """\
[pool]
name = demo
subnet = 10.128.0.0/16
bootstrap = udp:192.0.2.1:4433
secret = %s
open = yes
""" % ("ab" * 32)
