"""Deltas between a former stack, or an image, and a new one: what machines fetch in the place of whole files. By Debian's rdiff (librsync)."""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE / "formats"), str(HERE.parent / "node/root/usr/lib/wow/node")]

import onedisk  # noqa: E402
import stacks  # noqa: E402
import tools  # noqa: E402
from partitions import SYSTEM, named  # noqa: E402
from wow.lib import agreed, files  # noqa: E402
from wow.stack import text  # noqa: E402

BLOCK = 128
"""Bytes that are looked for together. Blocks of squashfs that did not change are found wherever they moved. Up to two of these come in vain at each place that changed."""
WORTH = 0.8
"""Of the file's size: a larger delta is left out."""
TEXT = "stack"
"""The file of a stack folder that has its text."""


class DeltaError(Exception):
    """What is wrong, and what to do."""


def former(place, scratch, architecture=agreed.FIRST_ARCHITECTURE):
    """{name: file} of what a stack folder has for an architecture, or a qcow2 of `make image`."""
    if place.is_dir():
        return of_folder(place, architecture)
    if place.is_file():
        return of_image(place, scratch)
    raise DeltaError(f"{place}: no such folder of a stack, or image")


def of_folder(folder, architecture=agreed.FIRST_ARCHITECTURE):
    """The files of a stack folder for an architecture by their names."""
    try:
        stack = text.read((folder / TEXT).read_bytes(), 0, architecture)
    except (FileNotFoundError, text.NoStack):
        raise DeltaError(f"{folder}: is no folder of a stack; name one that `wow image stack` made, or an image") from None
    return {file.name: place for file in (*stack.system, *stack.layers) if (place := folder / file.digest).is_file()}


def of_image(image, scratch):
    """The layers of an image by their names."""
    raw = scratch / "former.raw"
    try:
        onedisk.copy_raw(image, onedisk.alone(image, image), raw, image)
        parts = json.loads(tools.run("sfdisk", "--json", raw, about=image))["partitiontable"]["partitions"]
    except tools.ImageError as error:
        raise DeltaError(str(error)) from error
    listed = stacks.find(raw, parts)
    if listed is None:
        raise DeltaError(f"{image}: is no image of `make image`: it has no list of layers")
    at, found = named(parts, SYSTEM)["start"] * stacks.SECTOR, {}
    for number, (_, name, file, size, _) in enumerate(stacks.rows(listed)):
        # A number is its name here: the image may be anybody's, and root writes.
        found[name] = scratch / f"{number}.former"
        subprocess.run(["debugfs", "-R", f"dump /layers/{file} {found[name].name}", f"{raw.name}?offset={at}"], cwd=scratch, capture_output=True, check=True,
                       env=tools.ENVIRONMENT)
        # debugfs ends with 0 whatever happens.
        if not found[name].is_file() or str(found[name].stat().st_size) != size:
            raise DeltaError(f"{image}: its layer {name} was not copied whole; make room in {tempfile.gettempdir()}, or look at the image: wow image verify {image}")
    raw.unlink()
    return found


def make(new, old, scratch):
    """[(digest of the new file, of the old one, delta's size, its digest, its file)] where that is worth it. new, old: {name: (digest, file)}."""
    rows = []
    for name, (now, file) in new.items():
        was, former_file = old.get(name, (now, None))
        if was == now:
            continue
        signature, delta = scratch / f"{name}.signature", scratch / f"{name}.delta"
        try:
            tools.run("rdiff", "-b", BLOCK, "signature", former_file, signature, about=former_file, into=signature)
            tools.run("rdiff", "delta", signature, file, delta, about=file, into=delta)
        except tools.ImageError as error:
            raise DeltaError(str(error)) from error
        signature.unlink()
        if delta.stat().st_size < WORTH * file.stat().st_size:
            rows.append((now, was, delta.stat().st_size, files.digest(delta), delta))
    return rows


def between(new, formers, scratch, architecture=agreed.FIRST_ARCHITECTURE):
    """(the rows of `make` from each former stack or image on, each pair of files once; those of the former that have the new base). new: {name: (digest, file)}.
    DeltaError where they are more rows than a stack has."""
    rows, same = {}, []
    for number, place in enumerate(formers):
        folder = scratch / f"former-{number}"
        folder.mkdir()
        old = {name: (files.digest(file), file) for name, file in former(place, folder, architecture).items() if name in new}
        if "base" in old and old["base"][0] == new["base"][0]:
            same.append(place)
        for row in make(new, old, folder):
            rows.setdefault(row[:2], row)
    if len(rows) > agreed.MOST_DELTAS:
        raise DeltaError(f"{len(rows)} deltas; a stack has {agreed.MOST_DELTAS}. Name fewer with --from")
    return [*rows.values()], same
