"""In which mode this start of the machine is: what the initrd chose (appliance/initrd/modes.sh)."""
from wow.lib import files

RELEASE, EPHEMERAL, DEVELOP = "release", "ephemeral", "develop"
MODES = (RELEASE, EPHEMERAL, DEVELOP)
FILE = "/run/layers/mode"
LONGEST_NAME = 32
GLUE = "glue"
"""The layer of what the modules of a stack share."""
TAKEN = ("base", "node", "kernel", "initrd", GLUE)
"""Names of what an image has besides its modules."""
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"


def read(path: str = "") -> tuple[str, str]:
    """The mode, and the module that is developed in it, "" in others."""
    words = (files.find(path or FILE) or RELEASE).split()
    return words[0], words[1] if len(words) > 1 else ""


def developed() -> str:
    """The module that is developed in this start, "" where none is."""
    return read()[1]


def is_name(word: str) -> bool:
    """Whether a module may be called so."""
    return 0 < len(word) <= LONGEST_NAME and not set(word) - set(LETTERS) and word[0] != "-" != word[-1]


def facts() -> dict[str, str | None]:
    """What `wow status --json` says of it."""
    mode, module = read()
    return {"name": mode, "module": module or None}


def sentence() -> str:
    """What there is to tell of this start; "" in release."""
    mode, module = read()
    if mode == DEVELOP:
        return f"develop: what is written to the system stays in module {module}, and no job runs here. `wow boot release` ends that."
    return "ephemeral: nothing is kept, not even in /home. `wow boot release` ends that." if mode == EPHEMERAL else ""
