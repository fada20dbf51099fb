"""The image that pools are stamped from: there, whole, and of this clone's release."""

import json
import re
import tarfile
from typing import NamedTuple

from pool.formats import ARM, ovf
from pool.node import WowError, agreed

OVA, QCOW2, VHDX, SCRIPT = NAMES = tuple(f"{agreed.IMAGE_NAME}.{end}" for end in ("ova", "qcow2", "vhdx", "ps1"))
ARM_QCOW2, ARM_DISK, ARM_SETTINGS = ARM_NAMES = (f"{ARM.image}.qcow2", f"{ARM.image}.utm/Data/wow.qcow2", f"{ARM.image}.utm/config.plist")
"""The disk, and what is in the folder for UTM (appliance/image/formats/utm)."""
SBOM = "wow.spdx.json"
VERSION = re.compile(r"<Version>([^<]*)</Version>")


class Image(NamedTuple):
    """`ova`, `qcow2`, `vhdx` and its `script` are files, `release` what the OVA's descriptor says, `digests` the SHA-256 of each name."""
    ova: object
    qcow2: object
    vhdx: object
    script: object
    release: str
    digests: dict


class ArmImage(NamedTuple):
    """The image for arm64. `qcow2`, and `disk` and `settings` of the folder for UTM, are files, `digest` is a hash over all of them."""
    qcow2: object
    disk: object
    settings: object
    digest: str


def find_arm(clone):
    """The ArmImage that the clone has. WowError where there is none, it is another release's, or its files are not those of one build."""
    again, out = f"Type: {clone.make_image} ARCH={ARM.arch}", clone.arm_out
    files = [out / name for name in ARM_NAMES]
    if not all(path.is_file() for path in (*files, out / SBOM, out / "SHA256SUMS")):
        raise WowError(f"holds no image for {ARM.arch}", f"{again}. The first one takes an hour", str(out))
    digests = _digests(clone, again, out, (*ARM_NAMES, SBOM))
    release = json.loads((out / SBOM).read_text(encoding="utf-8"))["packages"][0]["versionInfo"]
    if release != clone.release:
        raise WowError(f"is of release {release}, this clone of {clone.release}", again, str(files[0]))
    return ArmImage(*files, " ".join(digests[name] for name in ARM_NAMES))


def is_there(clone):
    """Whether an image and the CA's program have been built."""
    return all((clone.out / name).is_file() for name in (*NAMES, "SHA256SUMS")) and clone.wow_ca.exists()


def find(clone):
    """The Image that the clone has. WowError where there is none, it is another release's, or its files are not those of one build."""
    again = f"Type: {clone.make_image}"
    if not is_there(clone):
        raise WowError("holds no image", again, str(clone.out))
    files = [clone.out / name for name in NAMES]
    release = release_of(files[0], again)
    if release != clone.release:
        raise WowError(f"is of release {release}, this clone of {clone.release}", again, str(files[0]))
    return Image(*files, release, _digests(clone, again, clone.out, NAMES))


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


def _digests(clone, again, out, names):
    """The SHA-256 of these files of a build, which are those that it wrote down."""
    noted = clone.noted(out)
    for name in names:
        if noted.get(name) != ovf.digest_of(out / name):
            raise WowError("is not what SHA256SUMS beside it says: a build was broken off, or the file was changed", again, str(out / name))
    return {name: noted[name] for name in names}
