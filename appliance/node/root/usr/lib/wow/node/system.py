"""Runs other programs. Not by the module subprocess: its import alone takes a tenth of a second in an emulated guest."""
import os
import select
import time

from errors import WowError

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


def run(arguments, text="", timeout=60.0):
    """(exit code, what it wrote to standard output and error) of a program; 124 when it was ended for taking too long."""
    out_read, out_write = os.pipe()
    in_read, in_write = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, in_read, 0), (os.POSIX_SPAWN_DUP2, out_write, 1), (os.POSIX_SPAWN_DUP2, out_write, 2),
               *((os.POSIX_SPAWN_CLOSE, end) for end in (in_read, in_write, out_read, out_write))]
    try:
        pid = os.posix_spawnp(arguments[0], arguments, ENVIRONMENT, file_actions=actions)
    except OSError as error:
        for end in (in_read, in_write, out_read, out_write):
            os.close(end)
        raise WowError(f"cannot be started: {error.strerror}", "Take a fresh image", arguments[0]) from None
    os.close(in_read)
    os.close(out_write)
    # All that is ever sent fits into a pipe, so this does not block.
    with os.fdopen(in_write, "wb") as file:
        try:
            file.write(text.encode())
            file.flush()
        except BrokenPipeError:
            pass
    output, ended = _collect(out_read, time.monotonic() + timeout)
    os.close(out_read)
    if not ended:
        os.kill(pid, 9)
    _, status = os.waitpid(pid, 0)
    return (os.waitstatus_to_exitcode(status) if ended else 124), output.decode("utf-8", "replace").strip()


def _collect(descriptor, limit):
    parts = b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, limit - time.monotonic()))
        if not ready:
            return parts, False
        part = os.read(descriptor, 65536)
        if not part:
            return parts, True
        parts += part


def must(arguments, text="", todo="", timeout=60.0):
    """The output of a program that must end with 0; WowError with its last line otherwise."""
    code, output = run(arguments, text, timeout)
    if code != 0:
        last = output.splitlines()[-1] if output else f"ended with {code}"
        raise WowError(last, todo or f"Look with: {' '.join(arguments)}", arguments[0])
    return output


def systemctl(*arguments):
    """Tells systemd something; returns its exit code."""
    return run(["systemctl", *arguments])[0]
