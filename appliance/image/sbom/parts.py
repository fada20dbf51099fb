"""The packages of each layer as SPDX has them: of Debian, of NuGet, and our own."""

import hashlib
import pathlib
import re
import subprocess
import sys
import urllib.parse

import inventory
import spdx
import terms

SNAPSHOT = "https://snapshot.debian.org/package/"


def quoted(text):
    """Text within a package URL."""
    return urllib.parse.quote(text, safe="-._~:")


def deb(row, release, architecture, checksum, download, references):
    """A Debian package, and where its source is."""
    contains = f"; it also contains {row.contains}" if row.contains else ""
    urls = (f"pkg:deb/debian/{quoted(row.name)}@{quoted(row.version)}?arch={architecture}&distro={release}",
            f"pkg:deb/debian/{quoted(row.source)}@{quoted(row.source_version)}?arch=source&distro={release}")
    return spdx.package(
        row.name, row.version, terms.expression(row.licences, references), download or f"{SNAPSHOT}{row.source}/{row.source_version}/",
        supplier="Organization: Debian", checksums=checksum and spdx.sha256(checksum),
        sourceInfo=f"built from {row.source} {row.source_version}: {SNAPSHOT}{row.source}/{row.source_version}/{contains}",
        externalRefs=spdx.purl(*urls))


def base(rows, lock, address, release):
    """(packages, extracted licences) of the base layer. `lock` has its packages, `address` says where each lies."""
    strays = {row.name for row in rows} ^ set(lock.packages)
    if strays:
        sys.exit(f"sbom: the base's list of licences and its packages.lock differ in {', '.join(sorted(strays))}; build it anew: WOW_FRESH=1 appliance/base/build")
    packages, users = [], {}
    for row in rows:
        locked, references = lock.packages[row.name], {}
        packages.append(deb(row, release, locked.architecture, locked.sha256, address(lock, locked), references))
        for key, words in references.items():
            users.setdefault(key, (words, []))[1].append(row.name)
    return packages, extracted(users, "of the base layer")


def extracted(users, where):
    """(LicenseRef, what Debian calls it, where its words are) of {LicenseRef: (what Debian calls it, packages)}."""
    return [(key, words, f"Debian calls it: {words}. Its text, for each package that names it: " + ", ".join(f"/usr/share/doc/{name}/copyright" for name in names)
             + f" {where}.") for key, (words, names) in users.items()]


def boot_loader(rows, release):
    """(packages, extracted licences) of what the boot partitions hold of this machine's Debian."""
    packages, users = [], {}
    for row in rows:
        checksum, architecture = fetched(row) if not inventory.CHOSEN.has_bios else installed(row)
        references = {}
        packages.append(deb(row, release, architecture, checksum, None, references))
        for key, words in references.items():
            users.setdefault(key, (words, []))[1].append(row.name)
    return packages, extracted(users, "of the building machine, and licences/PACKAGE.copyright in WOWSYS")


def installed(row):
    """(checksum, architecture) of a package of this machine. apt forgets what its archive has replaced; then there is no checksum to be had: None."""
    shown = subprocess.run(["apt-cache", "show", f"{row.name}={row.version}"], check=False, capture_output=True, text=True).stdout
    checksum, architecture = (re.search(f"^{field}: (.+)$", shown, re.MULTILINE) for field in ("SHA256", "Architecture"))
    return checksum and checksum[1], architecture[1] if architecture else inventory.CHOSEN.arch


def fetched(row):
    """The same of one that was fetched."""
    file = inventory.package(row.name)
    return hashlib.sha256(file.read_bytes()).hexdigest(), file.stem.rpartition("_")[2]


def nuget(rows, programs):
    """The .NET packages, with what the publisher says of their files."""
    lines = pathlib.Path(programs, "licences/files.tsv").read_text(encoding="utf-8").splitlines()
    files = {name: about for name, *about in (line.split("\t") for line in lines)}
    return [spdx.package(
        row.name, row.version, row.licences, f"git+{row.source}" + (f"@{row.source_version}" if re.fullmatch("[0-9a-f]{40}", row.source_version) else ""),
        packageFileName=files[row.name][0], checksums=spdx.sha256(files[row.name][1]), supplier=f"Organization: {files[row.name][2]}", sourceInfo=f"built from {row.source} {row.source_version}",
        comment="trimmed, and compiled together with the programs", externalRefs=spdx.purl(f"pkg:nuget/{quoted(row.name)}@{quoted(row.version)}"))
        for row in rows]


def in_module(rows, release):
    """The Debian packages of a module, as far as its manifest knows them; what they are licensed by stands in the layer's own copyright files."""
    return [spdx.package(row.name, row.version, None, None, supplier="Organization: Debian", comment=f"licences, as its copyright file names them: {row.licences}",
                         externalRefs=spdx.purl(f"pkg:deb/debian/{quoted(row.name)}@{quoted(row.version)}?distro={release}")) for row in rows]


def layer(line, version, licence, purpose, **more):
    """A layer itself."""
    return spdx.package(f"wow-{line.name}", version, licence, None, packageFileName=line.file, checksums=spdx.sha256(line.sha256), primaryPackagePurpose=purpose,
                        supplier="Organization: The WOW authors", **more)


def image(version):
    """The image as a whole: what is in its boot partitions, and the layers."""
    return spdx.package("wow-image", version, inventory.ours().licences, None, primaryPackagePurpose="OPERATING_SYSTEM", supplier="Organization: The WOW authors",
                        comment="the checksums of its files stand in SHA256SUMS, which lies beside them")
