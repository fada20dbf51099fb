"""Recipes with packages and programs: made by apt from an archive of this test's own, over the image's base."""

import contextlib
import json
import os
import pathlib
import re
import shutil

import developed
from checks import check, expect, long_check, run
from composed import has, sha256, work
from places import LAYERS, PARTS, ROOT
from serving import served

INI = "[module]\nname = sums\nversion = 1.0\ndescription = Sums\nlicence = MIT\n"
SUITE = "stable"


@contextlib.contextmanager
def archive(folder, *debs):
    """An archive of these packages on a port of its own; apt's sources for it, in deb822."""
    index = folder / "archive/dists" / SUITE / "main/binary-amd64/Packages"
    index.parent.mkdir(parents=True)
    stanzas = []
    for deb in debs:
        (folder / "archive" / deb.name).write_bytes(deb.read_bytes())
        stanzas.append(f"{run('dpkg-deb', '--field', deb)}Filename: {deb.name}\nSize: {deb.stat().st_size}\nSHA256: {sha256(deb)}\n")
    index.write_text("\n".join(stanzas))
    (index.parents[2] / "Release").write_text(f"Suite: {SUITE}\nComponents: main\nArchitectures: amd64\n"
                                              f"SHA256:\n {sha256(index)} {index.stat().st_size} main/binary-amd64/Packages\n")
    with served(folder / "archive") as port:
        yield f"Types: deb\nURIs: http://127.0.0.1:{port}\nSuites: {SUITE}\nComponents: main\nTrusted: yes\n"


def recipe(folder, sources, packages, **programs):
    """A module's folder."""
    place = folder / "sums"
    (place / "root/usr/share/sums").mkdir(parents=True, exist_ok=True)
    (place / "root/usr/share/sums/README").write_text("sums\n")
    (place / "module.ini").write_text(INI + packages)
    (place / "apt.sources").write_text(sources)
    for name, text in programs.items():
        (place / name).write_text(f"#!/bin/sh\nset -eu\n{text}")
    return place


@contextlib.contextmanager
def cached(folder):
    """apt's packages and lists stand in a folder of this test's own."""
    os.environ["WOW_CACHE"] = str(folder / "cache")
    try:
        yield
    finally:
        del os.environ["WOW_CACHE"]


def publish(place, out, *options, fails=False):
    """As anybody types it; what it said."""
    with cached(out.parent):
        return run(LAYERS / "publish", "--base", PARTS / "base", "--node", PARTS / "layers/node.squashfs", "--about", PARTS / "base.json", *options, place, "-o", out,
                   fails=fails)


@check
def a_recipe_with_packages_is_made_by_apt_and_by_its_own_programs():
    folder = work("made")
    # Built in a root of its own: nothing of what that needs is in the module.
    tools = developed.package(folder, "wow-compiler", {"usr/bin/wow-compile": "#!/bin/sh\ntr a-z A-Z\n"})
    account, unit, choice, conf = developed.packages(folder)
    with archive(folder, tools, account, unit, choice, conf) as sources:
        place = recipe(
            folder, sources, "packages = wow-choice wow-account\nbuild-packages = wow-compiler\n",
            build='mkdir -p "$1/usr/bin" "$1/usr/share/sums"\nwow-compile < "$2/sums.txt" > "$1/usr/share/sums/upper"\n'
                  'printf "#!/bin/sh\necho 5\n" > "$1/usr/bin/sums"\n! command -v wow-pager\n'
                  'cp "$1/usr/bin/sums" "$1/usr/share/sums/five"\nchmod +x "$1/usr/share/sums/five"\n',
            hook="echo hooked > /usr/share/sums/hooked\n",
            check='[ "$(id -u)" = 65534 ]\n[ "$(sums)" = 5 ]\n[ "$(/usr/share/sums/five)" = 5 ]\n[ ! -x /usr/share/sums/upper ]\n'
                  '[ "$(cat /usr/share/sums/upper)" = TWO ]\ncommand -v wow-pager\n! command -v wow-compile\n'
                  '! touch /usr/share/sums/x 2>/dev/null\n[ ! -e /sys/class/net ] || [ "$(ls /sys/class/net)" = lo ]\n')
        (place / "source").mkdir()
        (place / "source/sums.txt").write_text("two\n")
        expect(run(LAYERS / "publish", "--is-plain", place, fails=True) == "", "it passes for a module of plain files")
        publish(place, folder / "sums.squashfs")
        publish(place, folder / "again.squashfs")
        expect(sha256(folder / "sums.squashfs") == sha256(folder / "again.squashfs"), "a second time it is another layer")
        manifest = json.loads(run("unsquashfs", "-cat", folder / "sums.squashfs", "usr/lib/wow/modules/sums/manifest.json"))
        expect(sorted(manifest["packages"]) == ["wow-account", "wow-choice", "wow-unit"], f"packages {sorted(manifest['packages'])}")
        expect(manifest["units"] == ["wow-sum.service"], f"units {manifest['units']}")
        for path in ("usr/bin/sums", "usr/share/sums/upper", "usr/share/sums/hooked", "usr/share/sums/README", "usr/bin/wow-pager"):
            expect(path in manifest["files"], f"/{path} is not in it")
        strays = [path for path in manifest["files"] if path.startswith(("tmp/", "run/", "var/cache/", "etc/apt/", "etc/resolv", "usr/sbin/policy"))]
        expect(not strays, f"of the making: {strays}")
        left = [line for line in pathlib.Path("/proc/mounts").read_text().splitlines() if "wow-recipe" in line]
        expect(not left, f"still mounted: {left}")
        shutil.rmtree(place / "root/usr")
        for name in ("build", "hook", "check"):
            (place / name).unlink()
        publish(place, folder / "empty.squashfs")  # a recipe of packages alone, with an empty root/
        place = recipe(folder, sources, "")
        refused(folder, sources)


def refused(folder, sources):
    """Each with a sentence, and the layer of before stays."""
    out = folder / "sums.squashfs"
    before = sha256(out)
    for packages, programs, said in (
            ("packages = wow-none\n", {}, "Unable to locate package wow-none"),
            ("packages = Wow\n", {}, "packages = Wow: is no name of a Debian package"),
            ("", {"check": "echo it is five >&2\nexit 3\n"}, "sums/check ended with 3:\nit is five"),
            ("", {"hook": "touch /usr/share/sums/x\nfalse\n"}, "sums/hook ended with 1"),
            ("", {"build": "false\n"}, "sums/build ended with 1"),
            # Neither the builder's processes nor its network are there.
            ("", {"hook": "ls /proc | grep -c '^[0-9]' | grep -qx '[1-6]' || exit 4\necho root::0:0::/root:/bin/sh > /etc/passwd\n"}, "cannot be published")):
        for name in ("build", "hook", "check", "source/sums.txt"):
            (folder / "sums" / name).unlink(missing_ok=True)
        text = publish(recipe(folder, sources, packages, **programs), out, fails=True)
        has(text, said)
        expect("Traceback" not in text, text)
        expect(sha256(out) == before, "the layer of before is gone")
    # Whoever has no archive has a sentence, too.
    (folder / "sums/hook").unlink()
    has(publish(recipe(folder, sources.replace("127.0.0.1", "127.0.0.1:1/x"), "packages = wow-unit\n"), out, "--update", fails=True), "apt-get update ended")
    expect(sha256(out) == before, "the layer of before is gone")


def version(folder, number):
    """A package in this version, with that in a file; its name says none, as a file in an archive that is written over."""
    control = f"Package: wow-sums\nVersion: {number}\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: sums\n"
    tree, deb = folder / f"tree-{number}", folder / f"wow-sums_{number}_all.deb"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(control)
    (tree / "usr/share/wow-sums").mkdir(parents=True)
    (tree / "usr/share/wow-sums/version").write_text(f"{number}\n")
    run("dpkg-deb", "--root-owner-group", "--build", tree, deb)
    return deb


@check
def a_recipe_is_made_again_of_the_packages_in_its_lock_until_it_is_told_to_take_newer_ones():
    folder = work("locked")
    old, new = version(folder, "1.0"), version(folder, "1.1")
    for name in ("first", "second"):
        (folder / name).mkdir()
    place, lock = recipe(folder, "", "packages = wow-sums\n"), folder / "sums/packages.lock"
    first, second, moved, gone = (folder / f"{name}.squashfs" for name in ("first", "second", "moved", "gone"))
    with archive(folder / "first", old) as sources:
        (place / "apt.sources").write_text(sources)
        (place / "check").write_text("#!/bin/sh\nfalse\n")
        publish(place, first, fails=True)
        expect(not lock.exists(), "a module that was not made leaves a lock")
        (place / "check").unlink()
        has(publish(place, first), "packages.lock: 1 package recorded")
        expect(re.search(rf"^wow-sums 1\.0 all optional {sha256(old)} http://127\.0\.0\.1:[0-9]+/wow-sums_1\.0_all\.deb$", lock.read_text(), re.MULTILINE),
               lock.read_text())
    before = lock.read_text()
    # The archive is gone. What was fetched is here, so nobody asks for it.
    has(publish(place, second), "packages.lock: made of its 1 package")
    expect(sha256(first) == sha256(second) and lock.read_text() == before, "by the lock it is another layer")
    with archive(folder / "second", new) as sources:
        (place / "apt.sources").write_text(sources)
        publish(place, second)
        expect(sha256(first) == sha256(second), "by the lock it took a newer package")
        shutil.rmtree(folder / "cache")
        said = publish(place, gone, fails=True)
        has(said, "    wow-sums 1.0\n")
        has(said, f"publish --update {place}")
        expect("Traceback" not in said and not gone.exists() and lock.read_text() == before, said)
        has(publish(place, moved, "--update"), "packages.lock: 1 package recorded, 1 of them others than before\n  ~ wow-sums 1.0 -> 1.1\n")
        expect(sha256(moved) != sha256(first) and "wow-sums 1.1 " in lock.read_text(), "--update takes nothing newer")
        has(publish(place, moved, "--update"), "nothing is newer than its 1 package")
        # A recipe that names more than its lock has.
        (place / "module.ini").write_text(INI + "packages = wow-sums wow-more\n")
        has(publish(place, gone, fails=True), "--update records what there is now")
        # A lock that somebody changed.
        (place / "module.ini").write_text(INI + "packages = wow-sums\n")
        lock.write_text(lock.read_text().replace(sha256(new), "0" * 64))
        has(publish(place, gone, fails=True), "or are other bytes there")
        lock.write_text("wow-sums 1.0\n")
        has(publish(place, gone, fails=True), "line 1: 2 words instead of 6")


@long_check
def the_storm_surge_is_compiled_and_right_for_one_processor_and_for_several():
    """Its own `check` holds it against a formula, and three processes against one. Needs Debian's archive."""
    folder = work("made-surge")
    for name in ("storm-surge", "storm-surge-mpi"):
        run(LAYERS / "publish", "--base", PARTS / "base", "--node", PARTS / "layers/node.squashfs", "--about", PARTS / "base.json", "--update",
            ROOT / "modules" / name, "-o", folder / f"{name}.squashfs")
    named = [ROOT / "modules" / name for name in ("storm-surge", "storm-surge-mpi", "tutorial")]
    said = run(ROOT / "appliance/image/stack", "--update", "-o", folder / "stack", *named)
    has(said, "3 modules")
