"""What is used here of the node's tools: the one reader of pool.conf with its rules, its errors, whole files, tables, what is secret in a text, what opens the
history."""

import pathlib
import sys

TOOLS = str(pathlib.Path(__file__).resolve().parents[1] / "node/root/usr/lib/wow/node")
if TOOLS not in sys.path:
    sys.path.append(TOOLS)

from wow.config import kinds, poolconf  # noqa: E402, F401
from wow.config.users import is_ours  # noqa: E402, F401
from wow.history import token  # noqa: E402, F401
from wow.lib import agreed, der, files, ini, ipv4, pem, table  # noqa: E402, F401
from wow.lib.errors import WowError  # noqa: E402, F401
from wow.screen import keyboard  # noqa: E402, F401
from wow.support.blacken import BLACK, blacken  # noqa: E402, F401
from wow.verbs import history  # noqa: E402, F401
