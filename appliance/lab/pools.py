"""What the lab takes of appliance/pool, by which `wow pool create` makes pools: its own is made the same way. What is secret is known there, too."""

import pathlib
import sys

APPLIANCE = str(pathlib.Path(__file__).resolve().parents[1])
if APPLIANCE not in sys.path:
    sys.path.append(APPLIANCE)

from pool import addresses, conf, settings, steps  # noqa: E402, F401
from pool.authority import day_in, moment  # noqa: E402, F401
from pool.clone import Clone  # noqa: E402, F401
from pool.folder import Folder  # noqa: E402, F401
from pool.formats import configdisk  # noqa: E402, F401
from pool.node import BLACK, WowError, blacken  # noqa: E402, F401
from pool.pool import Pool  # noqa: E402, F401
from pool.progress import Progress  # noqa: E402, F401
