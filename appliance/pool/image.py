"""The image that pools are stamped from: there, whole, and of this clone's release."""

import re
import tarfile
from typing import NamedTuple

from pool.formats import ovf
from pool.node import WowError, agreed

OVA, QCOW2, VHDX, SCRIPT = NAMES = tuple(f"{agreed.IMAGE_NAME}.{end}" for end in ("ova", "qcow2", "vhdx", "ps1"))
VERSION = re.compile(r"<Version>([^<]*)</Version>")


class Image(NamedTuple):
    """`ova`, `qcow2`, `vhdx` and its `script` are files, `release` what the OVA's descriptor says, `digests` the SHA-256 of each name."""
    ova: object
    qcow2: object
    vhdx: object
    script: object
    release: str
    digests: dict


def is_there(clone):
    """Whether an image and the CA's program have been built."""
    return all((clone.out / name).is_file() for name in (*NAMES, "SHA256SUMS")) and clone.wow_ca.exists()


def find(clone):
    """The Image that the clone has. WowError where there is none, it is another release's, or its files are not those of one build."""
    again = f"Type: cd {clone.root} && make image"
    if not is_there(clone):
        raise WowError("holds no image", again, str(clone.out))
    files = [clone.out / name for name in NAMES]
    release = release_of(files[0], again)
    if release != clone.release:
        raise WowError(f"is of release {release}, this clone of {clone.release}", again, str(files[0]))
    return Image(*files, release, _digests(clone, again))


def release_of(ova, again):
    """What the descriptor of an OVA says. WowError where it has none."""
    try:
        with tarfile.open(ova) as archive:
            text = archive.extractfile(ovf.NAME).read().decode("utf-8")
    except (tarfile.TarError, KeyError, UnicodeDecodeError):
        raise WowError("is no OVA of WOW", again, str(ova)) from None
    found = VERSION.search(text)
    if found is None:
        raise WowError("names no release in its descriptor", again, str(ova))
    return found.group(1)


def _digests(clone, again):
    """The SHA-256 of all files, which are those that the build wrote down."""
    noted = clone.noted()
    for name in NAMES:
        if noted.get(name) != ovf.digest_of(clone.out / name):
            raise WowError("is not what SHA256SUMS beside it says: a build was broken off, or the file was changed", again, str(clone.out / name))
    return {name: noted[name] for name in NAMES}
