"""The programs by which disks are read and written, and files that are whole or the former ones. What is wrong with a user's file becomes one line."""

import contextlib
import errno
import os
import pathlib
import re
import selectors
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "node/root/usr/lib/wow/node"))

from wow.lib import agreed  # noqa: E402

# Their words are looked for, so they are English.
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
LOCKED = re.compile(r"Failed to (get|lock)|Is another process using")
FULL = "No space left on device"
KNOWN = {
    FULL: "there is no room left where it lies; make room, and try again",
    "needs to be replayed": "was not closed in order, for its machine was killed; first type: qemu-img check -r all FILE"}
"""What a program says, and what is told of it."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
BLOCK = 1 << 16
PERCENT = re.compile(rb"\((\d+)\.\d+/100%\)")
"""How `qemu-img -p` says how far it is."""
HELD = []
"""Descriptors that each program keeps open (`held`)."""


class ImageError(Exception):
    """What is wrong with the user's input, and what to do."""


class ToldError(ImageError):
    """The program said what is wrong in words that have a meaning here."""


@contextlib.contextmanager
def command(name, packages, out=None):
    """Ends the program `name` with one line where its user's files are at fault, or a program of these packages is not there. out: what it writes, if not in
    `beside`."""
    try:
        with ended(name):
            yield
    except ImageError as error:
        sys.exit(f"{name}: {error}")
    except FileNotFoundError as error:
        sys.exit(f"{name}: {error.filename}: not found; appliance/host-packages installs the tools ({packages})")
    except OSError as error:
        # What else names no file was written for this run alone.
        sys.exit(f"{name}: {refused(error.filename or out or tempfile.gettempdir(), error)}")


@contextlib.contextmanager
def ended(name):
    """Ends the program `name` with one line where a person ends it (Ctrl-C)."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"{name}: ended by you; what was there is whole. Type the same command again", file=sys.stderr)
        sys.exit(agreed.INTERRUPTED)


@contextlib.contextmanager
def beside(out):
    """Gives the path of an empty file beside `out`, which nobody else may read, for it may hold keys. If the body ends well, it takes the place of `out`, whole,
    also after a power cut. ImageError about `out` where it cannot be written."""
    out = pathlib.Path(out)
    # Behind a link lies where somebody wants it to be.
    place = out.resolve()
    new = place.with_name(f".{place.name}.new")
    if not place.parent.is_dir():
        raise ImageError(f"{out.parent}: no such folder; make it, or give another name with -o")
    try:
        # What a run that was killed left.
        new.unlink(missing_ok=True)
        new.touch(mode=0o600, exist_ok=False)
        yield new
        sync_one(new)
        new.rename(place)
        sync_one(place.parent)
    except OSError as error:
        # A program that is not there, or what Python says of a source that was cut short.
        if isinstance(error, FileNotFoundError) or not error.errno:
            raise
        raise refused(out, error) from error
    finally:
        new.unlink(missing_ok=True)


def sync_one(path):
    """Brings a file, or what a folder says of its entries, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync(path):
    """Brings a file, or a folder with all that is in it, to the disk."""
    for folder, _, names in os.walk(path):
        for name in (*names, "."):
            sync_one(os.path.join(folder, name))
    if path.is_file():
        sync_one(path)


def copy(source, out):
    """Copies a file. OSError: where there is no room, it is about the copy: Python names the source."""
    try:
        shutil.copyfile(source, out)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise OSError(error.errno, error.strerror, str(out)) from error


def refused(about, error):
    """The ImageError for an OSError about a file."""
    return ImageError(f"{about}: {KNOWN.get(error.strerror, error.strerror or error)}")


@contextlib.contextmanager
def held(descriptors):
    """Within it each program keeps these descriptors open, so that a lock outlives us until the program has ended."""
    HELD.extend(descriptors)
    try:
        yield
    finally:
        del HELD[len(HELD) - len(descriptors):]


def follow(words, far, **how):
    """The CompletedProcess of a program that says how far it is as `qemu-img -p` does, and reads nothing: far(percent) is called each time."""
    with tempfile.TemporaryFile() as errors, subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, **how) as process:
        said = bytearray()
        try:
            while block := os.read(process.stdout.fileno(), BLOCK):
                begin = max(0, len(said) - len("(100.00/100%"))
                said += block
                for found in PERCENT.findall(said, begin)[-1:]:
                    far(int(found))
        except BaseException:
            process.kill()
            raise
        process.wait()
        errors.seek(0)
        return subprocess.CompletedProcess(words, process.returncode, *(bytes(one).decode(errors="replace") for one in (said, errors.read())))


def run(*command, about, into=None, cwd=None, good=(0,), text=None, far=None):
    """What a program prints that reads `text`, or that says how far it is (`follow`). ImageError about the file `about` where it ends with another code than the good ones; about `into`, the file that it
    writes, if that is another one, where there is no room."""
    words, how = [str(word) for word in command], {"cwd": cwd, "env": ENVIRONMENT, "pass_fds": HELD}
    reads = {"stdin": subprocess.DEVNULL} if text is None else {"input": text}
    done = follow(words, far, **how) if far else subprocess.run(words, capture_output=True, text=True, check=False, **reads, **how)
    if done.returncode not in good:
        said = done.stderr or done.stdout
        raise refusal(into if into and FULL in said else about, command[0], said)
    return done.stdout


def heard(*command, most, cwd=None):
    """(what a program prints, what it says of errors, its exit code), the first two as bytes, of a program that reads what a stranger wrote: the code is None where
    it said more than so many bytes of either, and was ended for that."""
    with subprocess.Popen([str(word) for word in command], cwd=cwd, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process, selectors.DefaultSelector() as waiting:
        said = {process.stdout: bytearray(), process.stderr: bytearray()}
        for pipe in said:
            waiting.register(pipe, selectors.EVENT_READ)
        while waiting.get_map():
            for ready, _ in waiting.select():
                block = os.read(ready.fd, BLOCK)
                if not block:
                    waiting.unregister(ready.fileobj)
                said[ready.fileobj] += block
            if too_much := any(len(one) > most for one in said.values()):
                process.kill()
                break
    return *(bytes(one) for one in said.values()), None if too_much else process.returncode


def refusal(about, program, said):
    """The ImageError for what a program said of a file."""
    if LOCKED.search(said):
        return ToldError(f"{about}: is in use: a machine runs from it, or another program writes it; switch the machine off first")
    for words, meaning in KNOWN.items():
        if words in said:
            return ToldError(f"{about}: {meaning}")
    words = " ".join(line.strip() for line in said.splitlines()[-2:])
    return ImageError(f"{about}: {program} says: {words or 'nothing'}")
