"""Runs other programs. Not by the module subprocess: its import alone takes a tenth of a second in an emulated guest."""
import os
import select
import time

from wow.lib import paths
from wow.lib.errors import WowError

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
TIMED_OUT = 124
"""The code of a program that took too long, or said too much."""
MOST = 64 << 20
"""Bytes that a program may say: what strangers put into their ads passes through here."""


ELSEWHERE = "This computer is no machine of a pool: log in to one, and type it there"


def here(todo: str) -> str:
    """What to do on a machine of a pool. On another computer, such as the building machine, which has `wow`, too, it is to go to one."""
    return todo if os.path.isdir(paths.RUN) else ELSEWHERE


def run(arguments: list[str], text: str = "", timeout: float = 60.0, most: int = MOST) -> tuple[int, str]:
    """(exit code, what it wrote to standard output and error) of a program, which reads the text and may take so many seconds and say so many bytes; TIMED_OUT when
    it was ended for more of either. WowError if it cannot be started."""
    out_read, out_write = os.pipe()
    in_read, in_write = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, in_read, 0), (os.POSIX_SPAWN_DUP2, out_write, 1), (os.POSIX_SPAWN_DUP2, out_write, 2),
               *((os.POSIX_SPAWN_CLOSE, end) for end in (in_read, in_write, out_read, out_write))]
    try:
        pid = os.posix_spawnp(arguments[0], arguments, ENVIRONMENT, file_actions=actions)
    except OSError as error:
        for end in (in_read, in_write, out_read, out_write):
            os.close(end)
        raise WowError(f"cannot be started: {error.strerror}", here("Take a fresh image"), arguments[0]) from None
    os.close(in_read)
    os.close(out_write)
    _say(in_write, text)
    output, ended = _collect(out_read, time.monotonic() + timeout, most)
    os.close(out_read)
    if not ended:
        os.kill(pid, 9)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return (code if ended else TIMED_OUT), output.decode("utf-8", "replace").strip()


def _say(descriptor: int, text: str) -> None:
    # All that is ever sent fits into a pipe, so this does not block.
    with os.fdopen(descriptor, "wb") as file:
        try:
            file.write(text.encode())
            file.flush()
        except BrokenPipeError:
            pass


def _collect(descriptor: int, limit: float, most: int) -> tuple[bytearray, bool]:
    parts = bytearray()
    while True:
        left = limit - time.monotonic()
        if left <= 0 or len(parts) > most or not select.select([descriptor], [], [], left)[0]:
            return parts, False
        part = os.read(descriptor, 65536)
        if not part:
            return parts, True
        parts += part


def must(arguments: list[str], text: str = "", todo: str = "", timeout: float = 60.0) -> str:
    """The output of a program that must end with 0; WowError with its last line otherwise."""
    code, output = run(arguments, text, timeout)
    if code != 0:
        raise WowError(last_line(output) or f"ended with {code}", todo or f"Look with: {' '.join(arguments)}", arguments[0])
    return output


def last_line(output: str) -> str:
    """What a program said last: most say there why they end."""
    return output.splitlines()[-1] if output else ""


def systemctl(*arguments: str) -> int:
    """Tells systemd something; returns its exit code."""
    return run(["systemctl", *arguments])[0]
