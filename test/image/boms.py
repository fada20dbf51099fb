"""The SBOM that lies beside the image and in it: sound by others' judgement, of these very layers, and with the same packages as the list of licences."""

import hashlib
import json
import re
import subprocess

from checks import check, expect, note, run
from contents import mounted
from listed import SYSTEM, listed
from places import OUT, PARTS, ROOT, WORK


def documents():
    """{name: document} of all that lie beside the image."""
    return {file.name.removesuffix(".spdx.json"): json.loads(file.read_bytes()) for file in OUT.glob("*.spdx.json")}


def layers():
    """{name: SHA-256} of the layers of the image."""
    rows = [line.split() for line in (PARTS / "A.conf").read_text().splitlines() if not line.startswith("#")]
    return {row[1]: row[4] for row in rows}


@check
def each_document_of_the_sbom_is_sound():
    expect(set(documents()) == {"wow", *(f"wow-{name}" for name in layers())}, f"there are {sorted(documents())}")
    note(run(ROOT / "test/image/sbom/validate", *sorted(OUT.glob("*.spdx.json"))).strip())


@check
def the_sbom_is_of_these_layers_and_names_all_that_the_list_of_licences_names():
    named, found = set(), documents()
    for name, document in found.items():
        main, *parts = document["packages"]
        named |= {package["name"] for package in parts}
        if name != "wow":
            expect(main["checksums"][0]["checksumValue"] == layers()[name.removeprefix("wow-")], f"{name} is of another layer")
            named |= {name.removeprefix("wow-")} - {"base", "node"}
        for package in parts:
            # apt forgets what its archive has replaced, so GRUB's packages may be without.
            expect(name == "wow" or package["checksums"][0]["algorithm"] == "SHA256", f"{package['name']} has no checksum")
            expect(package["licenseDeclared"] != "NOASSERTION" and package["downloadLocation"].startswith(("https://", "git+https://"))
                   and package["sourceInfo"] and package["externalRefs"], f"{package['name']} lacks a licence, a place or a source")
    expect(named | {"wow"} == set(listed()), f"only in one of SBOM and licences.txt: {named ^ set(listed())}")
    note(f"{len(named)} packages, {sum(file.stat().st_size for file in OUT.glob('*.spdx.json')) / 1e3:.0f} kB")


@check
def the_images_document_names_the_others_by_their_checksums():
    for other in documents()["wow"]["externalDocumentRefs"]:
        file = OUT / f"wow-{other['externalDocumentId'].removeprefix('DocumentRef-')}.spdx.json"
        expect(hashlib.sha256(file.read_bytes()).hexdigest() == other["checksum"]["checksumValue"], f"{file.name} is another one")
        expect(json.loads(file.read_bytes())["documentNamespace"] == other["spdxDocument"], f"{file.name} has another name")


@check
def the_sbom_in_the_image_is_the_one_beside_it():
    raw = WORK / "sbom.raw"
    run("qemu-img", "convert", "-O", "raw", OUT / "wow.qcow2", raw)
    for file in OUT.glob("*.spdx.json"):
        held = subprocess.run(["debugfs", "-R", f"cat /sbom/{file.name}", f"{raw}?offset={SYSTEM}"], check=True, capture_output=True).stdout
        expect(held == file.read_bytes(), f"{file.name} in WOWSYS is another one")
    raw.unlink()


@check
def the_lock_names_what_dpkg_has_in_the_base():
    expect((OUT / "packages.lock").read_bytes() == (PARTS / "base/packages.lock").read_bytes(), "the lock beside the image is another one")
    rows = [line.split() for line in (OUT / "packages.lock").read_text().splitlines() if not line.startswith(("#", "at "))]
    with mounted(PARTS / "layers/base.squashfs") as tree:
        stanzas = [dict(re.findall(r"^(Package|Version|Architecture): (.*)$", stanza, re.MULTILINE))
                   for stanza in (tree / "var/lib/dpkg/status").read_text().split("\n\n")]
        held = {(one["Package"], one["Version"], one["Architecture"]) for one in stanzas if one}
        expect(held == {tuple(row[:3]) for row in rows}, f"only in one of both: {held ^ {tuple(row[:3]) for row in rows}}")
        days = {line.split(":")[2] for line in (tree / "etc/shadow").read_text().splitlines()}
        expect(days == {str(1735689600 // 86400)}, f"/etc/shadow holds the days {days}")
        expect(not list((tree / "etc/apt").rglob("*secure*")), "apt takes packages without signature")
