"""Figures of the image's files: their sizes, how long it takes to stamp each form, and what their tests take."""

import re
import resource
import subprocess
import time

from checks import expect
from places import IMAGE, OUT, PARTS, POOL_CONF, ROOT, WORK

STAMP = IMAGE / "stamp"
COPIED = (".ova", ".box")
"""Forms that are stamped by copying them."""
DISKS = (".qcow2", ".vhdx", ".vmdk", ".raw", ".img")
TIMES = ROOT / "build/out/test/times.txt"
"""The last whole run of `make test`."""


def sizes(_):
    """Megabytes."""
    return {"base": round((PARTS / "layers/base.squashfs").stat().st_size / 1e6, 1), "ova": round((OUT / "wow.ova").stat().st_size / 1e6, 1)}


def stamped(source, conf):
    """Seconds that one image takes in the way that people use: of processors, which other work on this computer does not change, and by the clock."""
    copy, out = WORK / f"to-stamp{source.suffix}", WORK / f"stamped{source.suffix}"
    subprocess.run(["cp", "--sparse=always", source, copy], check=True)
    # Where -o may be left out, a disk is changed in place.
    is_changed = source.suffix in DISKS and "[-o OUT]" in STAMP.read_text(encoding="utf-8")
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([STAMP, copy, conf, *([] if is_changed else ["-o", out])], capture_output=True, text=True, check=False)
    took, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    expect(done.returncode == 0, f"{source.name} is not stamped: {done.stderr}")
    for path in (copy, out):
        path.unlink(missing_ok=True)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2), round(took, 2)


def stamp(asked):
    """Each form that is there, each so many times; one that has a shorter name as well counts once."""
    conf = WORK / "bench-pool.conf"
    conf.write_text(POOL_CONF)
    forms = sorted(path for path in OUT.glob("wow*") if path.suffix in COPIED + DISKS and path.is_file() and not path.is_symlink())
    expect(forms, f"{OUT} holds no image")
    found = {path.name: [stamped(path, conf) for _ in range(asked.rounds)] for path in forms}
    return {"processor": {name: [one for one, _ in pairs] for name, pairs in found.items()}, "clock": {name: [one for _, one in pairs] for name, pairs in found.items()}}


def tests(_):
    """Seconds of the stage `image`."""
    found = re.search(r"^image +(?:[a-z]+ +)?\d+ +\d+ +([\d.]+) s", TIMES.read_text(encoding="utf-8"), re.MULTILINE) if TIMES.exists() else None
    return {"seconds": float(found.group(1)) if found else None}
