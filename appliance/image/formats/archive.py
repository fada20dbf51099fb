"""Tar archives as hypervisors and Vagrant read them: ustar, members in a given order, nothing of the builder in them."""

import io
import lzma
import tarfile
import zlib

import ovf
from disks import QCOW2

BROKEN = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError)
"""What Python raises of a file that is no archive, or is damaged, packed or not; and an OSError without a number."""


def kind_of(names):
    """Of which kind of WOW's archives these members are, which hold a configuration disk: "OVA", "box", or None."""
    if names[:2] == [ovf.NAME, ovf.MANIFEST] and ovf.CONFIG in names:
        return "OVA"
    return "box" if "metadata.json" in names and (QCOW2 in names or ovf.CONFIG in names) else None


class Archive:
    """Writes members in the order of the calls."""

    def __init__(self, path):
        self.tar = tarfile.open(path, "w", format=tarfile.USTAR_FORMAT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tar.close()

    def _head(self, name, size):
        head = tarfile.TarInfo(name)
        head.size = size
        head.mode = 0o644
        return head

    def add_bytes(self, name, data):
        self.tar.addfile(self._head(name, len(data)), io.BytesIO(data))

    def add_stream(self, name, size, stream):
        self.tar.addfile(self._head(name, size), stream)

    def add_file(self, name, path):
        with open(path, "rb") as file:
            file.seek(0, io.SEEK_END)
            size = file.tell()
            file.seek(0)
            self.add_stream(name, size, file)
