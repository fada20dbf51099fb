"""What is in the image, each part asked what it is: the base's dpkg, the publisher of the .NET programs, this machine's dpkg for what boots, each module's manifest."""

import json
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

import architecture

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHOSEN = architecture.chosen()
# What boot/install takes from: boot.img and core.img of BIOS, the signed GRUB, shim.
BOOT = CHOSEN.boot
LOADER = architecture.loader(CHOSEN)


class Row(NamedTuple):
    """A package: where its source is, its licences, parted by a semicolon, and what else was linked into it."""
    name: str
    version: str
    source: str
    source_version: str
    licences: str
    contains: str


class Layer(NamedTuple):
    """A line of the list of layers."""
    kind: str
    name: str
    file: str
    size: str
    sha256: str


def rows(text):
    """The packages of a list."""
    return [Row(*line.split("\t")) for line in text.splitlines() if line.count("\t") == len(Row._fields) - 1]


def layers(stack):
    """The layers of a list of layers, bottom first."""
    return [Layer(*line.split()) for line in pathlib.Path(stack).read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]


def version():
    """WOW's own."""
    return re.search("<Version>([^<]+)</Version>", (ROOT / "Directory.Build.props").read_text(encoding="utf-8")).group(1)


def ours():
    """WOW itself."""
    return Row("wow", version(), "wow", version(), "Apache-2.0", "")


def boot_loader():
    """The packages that the boot loader is taken from."""
    fields = "${Package}\\t${Version}\\t${source:Package}\\t${source:Version}\\t${Built-Using}\\n"
    if CHOSEN.has_bios:
        lines = said(["dpkg-query", "-W", "-f", fields, *BOOT]).splitlines()
    else:
        # It looks at the first file that it is given, and at no other.
        lines = [line for name in BOOT for line in said(["dpkg-deb", "-W", f"--showformat={fields}", package(name)]).splitlines()]
    return [Row(*about, licence_names(copyright_of(about[0])), contains) for *about, contains in (line.split("\t") for line in lines)]


def said(words):
    """What a program prints."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def package(name):
    """The file of a package of the boot loader that was fetched."""
    return next(LOADER.glob(f"{name}_*.deb"))


def copyright_of(name):
    """Where the licence of a package of the boot loader stands."""
    return LOADER / "usr/share/doc" / BOOT[name] / "copyright"


def licence_names(file):
    """The short names of a copyright file's licences."""
    return "; ".join(sorted({match.strip() for match in re.findall(r"^License:[ \t]*(\S[^\n]*)$", file.read_text(encoding="utf-8"), re.MULTILINE)}))


def system():
    """What the Debian that the boot loader is from calls itself: this machine's, or the image's own."""
    return re.search('^PRETTY_NAME="?([^"\n]+)', os_release(), re.MULTILINE).group(1)


def codename():
    """Its short name."""
    return re.search("^VERSION_CODENAME=(.+)", os_release(), re.MULTILINE).group(1)


def os_release():
    """What that system says of itself."""
    if CHOSEN.has_bios:
        return pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    return said(["unsquashfs", "-cat", ROOT / CHOSEN.work / "base/base.squashfs", "usr/lib/os-release"])


def dotnet(programs):
    """The .NET packages that the programs are made of."""
    return rows(pathlib.Path(programs, "licences/packages.tsv").read_text(encoding="utf-8"))


def module(name, layer):
    """A module, and the Debian packages in it, by the manifest in its layer."""
    said = subprocess.run(["unsquashfs", "-cat", layer, f"usr/lib/wow/modules/{name}/manifest.json"], check=False, capture_output=True)
    try:
        about = json.loads(said.stdout)
        return [Row(name, about["version"], "in the layer", about["version"], about["licence"], ""),
                *(Row(package, said["version"], f"in the module {name}", said["version"], "; ".join(said["licences"]) or f"see /usr/share/doc/{package}/copyright", "")
                  for package, said in sorted(about.get("packages", {}).items()))]
    except (ValueError, KeyError):
        sys.exit(f"licences: {layer}: its manifest names no licence; publish the module anew, with a licence in its module.ini")


def modules(stack, folder):
    """The modules of a list of layers, whose files are in a folder, each with its packages."""
    return [row for layer in layers(stack) if layer.kind == "module" for row in module(layer.name, pathlib.Path(folder, f"{layer.name}.squashfs"))]


def debian_text(base):
    """The list of the base's packages, with its words above."""
    return pathlib.Path(base, "licences.txt").read_text(encoding="utf-8")
