"""Bases to stack modules on that are the image's own and a little more: packages in one version, and in the next, with what moves between the two."""

import contextlib
import pathlib

import developed
from checks import expect, run
from places import LAYERS, PARTS, ROOT

EPOCH = "1735689600"
"""As appliance/layers/squash gives it."""
LIBRARY, MULTIARCH = "libwzma.so.{}", "usr/lib/x86_64-linux-gnu"
"""A library of the base's own archive under another name of the same length; liblzma.so.5 it is."""
ACCOUNT = "#!/bin/sh\nset -e\ngroupadd --system --gid {0} wowsys\nuseradd --system --uid {0} --gid {0} --no-create-home --shell /usr/sbin/nologin wowsys\n" \
          "install -d -o wowsys -g wowsys -m 770 /var/lib/wowsys\n"
RIGHTS = "#!/bin/sh\nset -e\nsetcap cap_net_raw+ep /usr/bin/wow-both\n"
"""What a package does whose program needs one right of root's."""
MOVED = "#!/bin/sh\nset -e\ngroupmod --gid {0} wowsys\nusermod --uid {0} wowsys\nchown -R wowsys:wowsys /var/lib/wowsys\nchmod 750 /var/lib/wowsys\n"
OLD, NEW = 450, 451
"""The number of the base's account wowsys in the one and in the other."""


class Place:
    """A base with the node's layer that belongs to it, as `make image` leaves them."""

    def __init__(self, folder):
        self.folder, self.base = folder, folder / "base"
        self.layer, self.node, self.about = folder / "layers/base.squashfs", folder / "layers/node.squashfs", folder / "base.json"

    def publish(self, what, out, *more, fails=False):
        """A recipe or an archive as a layer over this base; what it said."""
        return run(LAYERS / "publish", "--base", self.base, "--node", self.node, "--about", self.about, what, "-o", out, *more, fails=fails)

    def compose(self, glue, *modules, fails=False):
        """What compose said of these modules."""
        said = run(LAYERS / "compose", "-o", glue, f"base={self.layer}", f"node={self.node}", *(f"module={layer}" for layer in modules), fails=fails)
        expect("Traceback" not in said, said)
        return said

    @contextlib.contextmanager
    def stacked(self, glue, *modules):
        """A machine over the composed stack."""
        self.compose(glue, *modules)
        with developed.machine(self.layer, self.node, *modules, *([glue] if glue.exists() else [])) as machine:
            yield machine

    def listed(self, glue, *modules):
        """The list of layers, as the initrd would read it: no module or glue is refused there."""
        return run(LAYERS.parent / "image/stack-list", f"base={self.layer}", f"node={self.node}", *(f"module={layer}" for layer in modules),
                   *([f"glue={glue}"] if glue.exists() else []))

    def archive(self, machine, name, folder, more=""):
        """What `wow module publish` writes of a machine over this base."""
        ini = folder / f"{name}.ini"
        ini.write_text(f"[module]\nname = {name}\nversion = 1.0\ndescription = Sums\nlicence = MIT\n{more}")
        run(LAYERS / "upper", "publish", machine.upper, *machine.lowers, "--module", ini, "--about", self.about, "-o", folder / f"{name}.tar")
        return folder / f"{name}.tar"


def made(folder, below, change):
    """The Place whose base is another one with a change: a function of a machine over that."""
    place = Place(folder)
    (folder / "layers").mkdir(parents=True)
    place.base.mkdir()
    with developed.machine(below) as machine:
        change(machine)
        for name in ("proc", "dev"):
            run("umount", machine.root / name)
            machine.mounts.remove(machine.root / name)
        tidy(machine.root)
        squash(machine.root, place.base / "base.squashfs")
        (place.base / "folders.txt").write_text(run("find", machine.root, "-mindepth", "1", "-type", "d", "!", "(", "-perm", "755", "-user", "root", "-group", "root",
                                                    ")", "-printf", "%P m %m %U %G\n"))
    (place.base / "packages.lock").symlink_to(PARTS / "base/packages.lock")
    place.layer.symlink_to(place.base / "base.squashfs")
    place.about.write_text(run(LAYERS / "about", place.base))
    tree = folder / "node"
    run("unsquashfs", "-quiet", "-no-progress", "-dest", tree, PARTS / "layers/node.squashfs")
    (tree / "usr/lib/wow/base.json").write_text(place.about.read_text())
    squash(tree, place.node)
    return place


def squash(tree, out):
    """Quickly, for nobody reads it twice."""
    run("mksquashfs", tree, out, "-comp", "lz4", "-noappend", "-no-progress", "-quiet", "-all-time", EPOCH, "-mkfs-time", EPOCH, "-no-exports")


def tidy(root):
    """Leaves nothing of the making, as appliance/base/finish."""
    for pattern in ("tmp/*", "var/log/*.log", "etc/*-", "var/lib/dpkg/*-old", "etc/.pwd.lock"):
        for path in root.glob(pattern):
            path.unlink()


def patched(root, path, soname, versions=()):
    """A file of the base that names liblzma.so.5, or is it, with another soname, and other symbol versions."""
    data = (root / path).read_bytes()
    for old, new in (("liblzma.so.5", soname), *versions):
        expect(f"{old}\0".encode() in data and len(old) == len(new), f"{path} names no {old}")
        data = data.replace(f"{old}\0".encode(), f"{new}\0".encode())
    return data


def library(folder, root, number, version, versions=()):
    """The package with the library of that number."""
    name = LIBRARY.format(number)
    data = patched(root, f"{MULTIARCH}/liblzma.so.5", name, versions)
    return developed.package(folder, "wow-lib", {f"{MULTIARCH}/{name}": data}, version=version, architecture="amd64", scripts={"postinst": "#!/bin/sh\nldconfig\n"})


def one(folder):
    """The change that makes the first base."""
    def change(machine):
        machine.install(
            library(folder, machine.root, 5, "1.0"),
            developed.package(folder, "wow-etc", {"etc/wow-etc/own.conf": "one\n", "etc/wow-etc/changed.conf": "one\n"},
                              conffiles=["/etc/wow-etc/own.conf", "/etc/wow-etc/changed.conf"]),
            developed.package(folder, "wow-sys", {"usr/share/wow-sys/x": "1\n"}, scripts={"postinst": ACCOUNT.format(OLD)}),
            developed.package(folder, "wow-text", {"usr/share/wow-text/a": "one\n", "usr/share/wow-more/b": "one\n"}),
            developed.package(folder, "wow-gone", {"usr/share/wow-gone/x": "1\n", "usr/share/wow-gone/y": "1\n"}))
    return change


def two(folder, number=5, versions=()):
    """The change that makes the second one of the first: the library of that number."""
    folder.mkdir()

    def change(machine):
        machine.install(
            *([library(folder, machine.root, number, "2.0", versions)] if number != 5 or versions else ()),
            developed.package(folder, "wow-etc", {"etc/wow-etc/own.conf": "two\n", "etc/wow-etc/changed.conf": "two\n"}, version="2.0",
                              conffiles=["/etc/wow-etc/own.conf", "/etc/wow-etc/changed.conf"]),
            developed.package(folder, "wow-sys", {"usr/share/wow-sys/x": "2\n"}, version="2.0", scripts={"postinst": MOVED.format(NEW)}),
            developed.package(folder, "wow-gone", {"usr/share/wow-gone/y": "2\n"}, version="2.0"),
            # What the module brings, too: in the next version, with one file more, one less, and one that another package has by now.
            developed.package(folder, "wow-both", {"usr/bin/wow-both": "#!/bin/sh\necho 2.0\n", "usr/share/wow-both/new": "2\n", "etc/wow-both.conf": "two\n",
                                                   "etc/wow-both-mine.conf": "two\n"}, version="2.0", conffiles=["/etc/wow-both.conf", "/etc/wow-both-mine.conf"],
                              scripts={"postinst": RIGHTS}),
            # useradd gives it the number that it gave the module's account over the first base.
            developed.package(folder, "wow-new", {"usr/bin/wow-new": "#!/bin/sh\n"}, scripts={
                "postinst": "#!/bin/sh\nset -e\nuseradd --system --user-group --no-create-home wownew\ninstall -d -o wownew -g wownew -m 750 /var/lib/wownew\n"
                            "chgrp wownew /usr/bin/wow-new\nchmod 2755 /usr/bin/wow-new\n"}),
            developed.package(folder, "wow-heir", {"usr/share/wow-both/given": "heir\n"}),
            same(folder))
        # As dpkg-maintscript-helper's dir_to_symlink does it: dpkg itself leaves a folder in the place of a link.
        machine.install(developed.package(folder, "wow-text", {"usr/share/wow-text/a": "two\n", "usr/share/wow-text/b": "two\n"}, version="2.0", scripts={
            "postinst": "#!/bin/sh\nset -e\nrmdir /usr/share/wow-more || true\nln -sfn wow-text /usr/share/wow-more\n"}))
    return change


def main_alone():
    """apt's sources without Debian's security updates, in deb822."""
    site = run(ROOT / "appliance/base/mirror", "trixie").strip()
    return f"Types: deb\nURIs: {site}\nSuites: trixie\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"


def without_updates(machine):
    """The change that takes a base back to what Debian's archive has without its security updates, the kernel's apart. Needs that archive."""
    etc = machine.root / "etc"
    (etc / "apt/sources.list.d/main.sources").write_text(main_alone())
    # Above 1000 apt goes to older versions, too (apt_preferences(5)).
    (etc / "apt/preferences").write_text("Package: *\nPin: release n=trixie\nPin-Priority: 1001\n\nPackage: linux-image-*\nPin: release n=trixie\nPin-Priority: -1\n")
    (etc / "resolv.conf").write_text(pathlib.Path("/etc/resolv.conf").read_text())
    for words in (("update",), ("--allow-downgrades", "dist-upgrade"), ("clean",)):
        machine.run("apt-get", "--quiet=2", "--yes", "--no-install-recommends", "-o", "APT::Sandbox::User=root", "-o", "Dpkg::Use-Pty=0", *words)
    (etc / "resolv.conf").write_text("")
    for name in ("etc/apt/sources.list.d/main.sources", "etc/apt/preferences"):
        (machine.root / name).unlink()
    for path in (machine.root / "var/lib/apt/lists").glob("*_*"):
        path.unlink()


def same(folder):
    """What module and second base have in one version."""
    return developed.package(folder, "wow-same", {"usr/share/wow-same/x": "1\n"})
