"""wow-support@NUMBER: root's work for `wow support`. Collects the parts, takes secrets out of them and leaves one archive that the user of that number alone
may read. Runs when asked and ends."""
import contextlib
import io
import os
import sys
import tarfile
import time

from wow.lib import files, paths
from wow.lib.errors import WowError
from wow.support import parts
from wow.support.blacken import blacken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

FOLDER = f"{paths.RUN}/support"
LONGEST_LINE = 4096
WANTED = 180.0
"""Seconds that who asked waits for an archive; what is older is nobody's."""
FOR = "WOW_SUPPORT_FOR"
"""The environment's word for the user's number."""


def main() -> int:
    """Exit code; systemd runs it."""
    number = os.environ.get(FOR, "")
    if not number.isdigit():
        print(f"wow-support is started for a user: systemctl start wow-support@NUMBER ({FOR} is {number!r})", file=sys.stderr)
        return 1
    os.makedirs(FOLDER, mode=0o755, exist_ok=True)
    clear(FOLDER, time.time())
    files.write(place(int(number)), archive(parts.PARTS, parts.secrets(), time.time()), 0o600, (int(number), 0))
    return 0


def place(number: int) -> str:
    """Where the archive for a user is left. The folder is root's, so nobody puts something else there."""
    return f"{FOLDER}/{number}.tar.gz"


def clear(folder: str, now: float) -> None:
    """Takes away what nobody waits for any more, and what is no archive: whose a file is may write to it whatever fits into the folder. now: seconds since 1970."""
    for name in os.listdir(folder):
        # Another one of us may give a file its name meanwhile.
        with contextlib.suppress(FileNotFoundError):
            facts = os.lstat(f"{folder}/{name}")
            if facts.st_size > parts.LARGEST * len(parts.PARTS) or not 0 <= now - facts.st_ctime < WANTED:
                os.unlink(f"{folder}/{name}")


def archive(every: "Sequence[parts.Part]", secrets: list[str], now: float) -> bytes:
    """A tar.gz with a file for each part. now: seconds since 1970."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for part in every:
            shown = blacken(text(part), secrets)
            # Only now, for a cut through a secret would leave half of it. JSON is one long line.
            data = (shown if part.name.endswith(".json") else shortened(shown)).encode("utf-8", "replace")[-parts.LARGEST:]
            head = tarfile.TarInfo(f"wow-support/{part.name}")
            head.size, head.mtime, head.mode = len(data), int(now), 0o600
            tar.addfile(head, io.BytesIO(data))
    return out.getvalue()


def shortened(shown: str) -> str:
    """The text with lines of 4 kB at most, so that one does not fill a part."""
    return "\n".join(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ... ({len(line) - LONGEST_LINE} characters more)" for line in shown.split("\n"))


def text(part: parts.Part) -> str:
    """A part's text; one that cannot be had says why, for the others are wanted all the same."""
    try:
        return part.get()
    except (WowError, OSError) as error:
        return f"it could not be had: {error}\n"
