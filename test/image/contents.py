"""What is in the layers, and what must not be: nothing that identifies a machine, no password, no key."""

import contextlib
import re
import sys

from checks import check, expect, note, run
from places import OUT, PARTS, ROOT, WORK

sys.path.append(str(ROOT / "appliance/node/root/usr/lib/wow/node"))

from wow.lib import agreed  # noqa: E402

LIMITS = {PARTS / "layers/base.squashfs": 100, PARTS / "layers/node.squashfs": 15.2, OUT / "wow.ova": 130}
KEY_BLOCK = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}")
SIGNED = b"~Module signature appended~\n"  # the kernel's include/linux/module_signature.h
# Programs and libraries hold such words as data; a key lies in a small file of its own.
KEY_FILE_LIMIT = 64 * 1024


@contextlib.contextmanager
def mounted(layer):
    """The tree of a layer."""
    place = WORK / "layer"
    place.mkdir(exist_ok=True)
    run("mount", "-t", "squashfs", "-o", "ro,loop", layer, place)
    try:
        yield place
    finally:
        run("umount", place)


def layers():
    return [line.split("=", 1)[1] for line in (PARTS / "stack").read_text().splitlines()]


@check
def sizes_are_within_their_limits():
    for file, limit in LIMITS.items():
        size = file.stat().st_size / 1e6
        note(f"{file.name} {size:.1f} MB of {limit}")
        expect(size <= limit, f"{file.name}: {size:.1f} MB, limit {limit}")


@check
def no_layer_holds_a_key_or_an_identity():
    for layer in layers():
        with mounted(layer) as tree:
            for pattern in ("etc/ssh/ssh_host_*", "var/lib/wow/*", "var/lib/wow/.*", "home/*", "root/.ssh", "var/lib/systemd/random-seed",
                            "var/lib/systemd/credential.secret", "etc/ssl/private/*", "etc/condor/passwords.d/*", "etc/condor/tokens.d/*",
                            "var/lib/dbus/machine-id", "root/.bash_history", "var/lib/apt/lists/*Packages*", "var/log/*.log"):
                found = list(tree.glob(pattern))
                expect(not found, f"{layer}: {found}")
            machine_id = tree / "etc/machine-id"
            expect(not machine_id.exists() or machine_id.read_bytes() in (b"", b"uninitialized\n"), f"{layer}: a machine-id")
            for file in tree.rglob("*"):
                if file.is_file() and not file.is_symlink() and file.stat().st_size <= KEY_FILE_LIMIT:
                    expect(not KEY_BLOCK.search(file.read_bytes()), f"{layer}: a private key in {file.relative_to(tree)}")


@check
def nobody_has_a_password():
    with mounted(PARTS / "layers/base.squashfs") as tree:
        for line in (tree / "etc/shadow").read_text().splitlines():
            name, password = line.split(":")[:2]
            expect(re.fullmatch(r"[!*]+", password), f"{name} has a password, or needs none")
        accounts = [line.split(":") for line in (tree / "etc/passwd").read_text().splitlines()]
        people = [account[0] for account in accounts if 1000 <= int(account[2]) < 60000]
        expect(not people, f"ready-made users: {people}")
        # No person may be called so (wow pool).
        names = {account[0] for account in accounts}
        expect(names == set(agreed.BASE_ACCOUNTS.split()), f"docs/contract/constants.json, base-accounts: the base has {' '.join(sorted(names))}")


@check
def every_package_has_its_licence_and_its_source():
    text = (OUT / "licences.txt").read_text()
    rows = {row.split("\t")[0]: row.split("\t") for row in text.splitlines() if row.count("\t") == 5}
    with mounted(PARTS / "layers/base.squashfs") as tree:
        expect(text.endswith((tree / "usr/share/wow/licences.txt").read_text()), "the list in the base is another one")
        status = (tree / "var/lib/dpkg/status").read_text()
        packages = re.findall(r"^Package: (\S+)$", status, re.MULTILINE)
        expect(len(packages) > 100, f"{len(packages)} packages")
        for package in packages:
            expect(package in rows, f"licences.txt lacks {package}")
        for name in ("condor", "charon-systemd", "systemd", "libc6", "linux-image-amd64"):
            expect(name in rows, f"{name} is not in the base")
            expect(all(rows[name][:5]), f"licences.txt: {rows[name]}")
    with mounted(PARTS / "layers/node.squashfs") as tree:
        expect((tree / "usr/share/doc/wow/copyright").read_bytes() == (ROOT / "LICENSE").read_bytes(), "our own licence is not there")


@check
def no_mirror_of_the_building_machine_is_in_the_image():
    sites = run("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages").split()
    with mounted(PARTS / "layers/base.squashfs") as tree:
        for file in (tree / "etc/apt").rglob("*"):
            if file.is_file():
                text = file.read_text(errors="replace")
                expect(not any(site in text for site in sites), f"{file.relative_to(tree)} names the building machine's mirror")


@check
def the_base_holds_what_the_node_runs():
    with mounted(PARTS / "layers/base.squashfs") as tree:
        for program in ("usr/sbin/charon-systemd", "usr/sbin/swanctl", "usr/sbin/nft", "usr/sbin/dnsmasq", "usr/sbin/sshd", "usr/bin/ssh",
                        "usr/sbin/condor_master", "usr/bin/condor_submit", "usr/lib/systemd/systemd-networkd", "usr/bin/python3"):
            expect((tree / program).exists(), f"{program} is missing")
        for program in ("usr/bin/dbus-daemon", "usr/bin/gcc", "usr/bin/tcpdump"):
            expect(not (tree / program).exists(), f"{program} is there")


@check
def kernel_modules_are_those_of_the_list_without_signatures():
    with mounted(PARTS / "layers/base.squashfs") as tree:
        files = list(tree.rglob("usr/lib/modules/*/kernel/**/*.ko*"))
        note(f"{len(files)} kernel modules")
        expect(100 < len(files) < 400, f"{len(files)} kernel modules")
        for file in files:
            expect(file.suffix == ".ko" and not file.read_bytes().endswith(SIGNED), f"{file.name} is packed or signed")


@check
def the_initrd_is_the_same_bytes_every_time():
    run(ROOT / "appliance/initrd/build", PARTS / "base", WORK / "again.initrd")
    expect((WORK / "again.initrd").read_bytes() == (PARTS / "initrd.img").read_bytes(), "another initrd from the same parts")
