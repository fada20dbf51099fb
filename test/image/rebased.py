"""The base is replaced below modules that were made over another one: in roots, without machines."""

import contextlib
import hashlib
import json
import shutil

import bases
import developed
import made
import trees
from bases import LIBRARY, MULTIARCH, NEW, OLD
from checks import check, expect, long_check, long_shared_check, note, run
from composed import has, sha256, work
from places import IMAGE, PARTS, ROOT

OVERRIDE = "override = /usr/bin/wow-both /etc/wow-etc/changed.conf /usr/share/wow-gone/x /etc/wow-both-mine.conf\n"
BEFORE = "usr/share/wow-more"
"""A folder in the one base, and a link to wow-text in the other."""


def physics(machine, folder):
    """What a person does in a machine over the first base: a module with an account, a unit, an alternative, and all that the second base has moved."""
    account, unit, choice, _ = developed.packages(folder)
    both = developed.package(folder, "wow-both", {"usr/bin/wow-both": "#!/bin/sh\necho 1.0\n", "usr/share/wow-both/old": "1\n", "usr/share/wow-both/given": "1\n",
                                                  "etc/wow-both.conf": "one\n", "etc/wow-both-mine.conf": "one\n"},
                             conffiles=["/etc/wow-both.conf", "/etc/wow-both-mine.conf"], scripts={"postinst": bases.RIGHTS})
    # It asks for any version, so the newer one will do.
    user = developed.package(folder, "wow-user", {"usr/bin/wow-user": "#!/bin/sh\nexec wow-both\n"}, fields="Depends: wow-both\n")
    machine.install(account, unit, choice, both, user, bases.same(folder))
    root = machine.root
    (root / "usr/bin/wow-deb").write_bytes(bases.patched(root, "usr/bin/dpkg-deb", LIBRARY.format(5)))
    (root / "usr/bin/wow-deb").chmod(0o755)
    (root / "etc/wow-etc/changed.conf").write_text("mine\n")
    (root / "etc/wow-both-mine.conf").write_text("mine\n")
    (root / "usr/share/wow-gone/x").unlink()
    (root / BEFORE / "own").mkdir()
    (root / BEFORE / "own/data").write_text("own\n")
    (root / BEFORE / "c").write_text("own\n")
    machine.run("chown", "-R", "wowsys:wowsys", f"/{BEFORE}/own", "/usr/bin/wow-sum")
    (root / "var/lib/wowsys/kept").write_text("kept\n")
    machine.run("chown", "wowsys:wowsum", "/var/lib/wowsys/kept")


class World:
    """Two bases and three modules, made once for all checks of this file."""

    def __init__(self):
        self.folder = work("rebased")
        self.first = bases.made(self.folder / "first", PARTS / "layers/base.squashfs", bases.one(self.folder))
        self.second = bases.made(self.folder / "second", self.first.layer, bases.two(self.folder / "debs-2"))
        with developed.machine(self.first.layer, self.first.node) as machine:
            physics(machine, self.folder)
            self.archive = self.first.archive(machine, "physics", self.folder, OVERRIDE)
        self.modules = self.published(self.first, "first")

    def published(self, place, name):
        """The three as `make image` and `wow image stack` publish them over a base: nobody types anything else for another one."""
        out = self.folder / f"modules-{name}"
        out.mkdir()
        later = developed.package(out, "wow-later", {"usr/bin/wow-later": "#!/bin/sh\necho later\n"})
        place.publish(ROOT / "modules/tutorial", out / "tutorial.squashfs")
        with made.archive(out, later) as sources:
            recipe = made.recipe(out, sources, "packages = wow-later\n", check='[ "$(wow-later)" = later ]\n')
            with made.cached(out):
                place.publish(recipe, out / "sums.squashfs")
        place.publish(self.archive, out / "physics.squashfs")
        return [out / f"{one}.squashfs" for one in ("tutorial", "sums", "physics")]


WORLD = []


def world():
    """The one World; it is made where the first check of this file runs, and they run one after the other."""
    if not WORLD:
        WORLD.append(World())
    return WORLD[0]


@contextlib.contextmanager
def homed(machine, home):
    """With a home, as the initrd binds it."""
    machine.mount(machine.root / "home", "--bind", home)
    yield


def digest(folder):
    """All of a folder: names, owners, modes, contents."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found.update(repr((path.relative_to(folder), trees.described(path), path.read_bytes() if path.is_file() else b"")).encode())
    return found.hexdigest()


def works(machine, number):
    """What of the three modules has to be so over each of the bases. number: that of wowsys."""
    expect(machine.run("dpkg", "--audit") == "", "dpkg finds fault")
    machine.run("apt-get", "check")
    status = (machine.root / "var/lib/dpkg/status").read_text()
    names = [line for line in status.splitlines() if line.startswith("Package: ")]
    expect(len(names) == len(set(names)), "dpkg's status has a package twice")
    expect(machine.run("wow-later") == "later\n" and machine.run("wow-sum") == "2\n", "a program does not run")
    has(machine.run("wow-deb", "--version"), "package archive backend")
    has(machine.run("readlink", "-f", "/usr/bin/pager"), "/usr/bin/wow-pager")
    rights = machine.run("getcap", "/usr/bin/wow-both")
    expect(rights == "/usr/bin/wow-both cap_net_raw=ep\n", f"capabilities: {rights}")
    expect((machine.root / "etc/systemd/system/multi-user.target.wants/wow-sum.service").is_symlink(), "the unit is not enabled")
    expect((machine.root / "usr/share/wow/tutorial/integrate").is_file(), "the tutorial is gone")
    expect((machine.root / "etc/wow-etc/changed.conf").read_text() == "mine\n", "the module's file of configuration is not the module's")
    expect((machine.root / "etc/wow-both-mine.conf").read_text() == "mine\n", "a changed file of configuration was replaced")
    for name in ("wow-etc/changed.conf", "wow-both-mine.conf"):
        beside = machine.root / f"etc/{name}.dpkg-dist"
        expect((beside.read_text() if beside.exists() else "") == ("two\n" if number == NEW else ""), f"beside /etc/{name} is another one than the base's new one")
    count = len(list((machine.root / "etc").rglob("*.dpkg-dist")))
    expect(count == (0 if number == OLD else 2), f"{count} files were put beside")
    expect(not (machine.root / "usr/share/wow-gone/x").exists(), "what the module deleted is there")
    expect((machine.root / BEFORE / "own/data").read_text() == "own\n" == (machine.root / BEFORE / "c").read_text(), "files of the module are gone")
    theirs = (f"/{BEFORE}/own/data", "/usr/bin/wow-sum", "/var/lib/wowsys")
    owners = machine.run("stat", "-c", "%n %U:%G %u", *theirs, "/var/lib/wowsys/kept", "/var/lib/wowsum").splitlines()
    wanted = [*(f"{path} wowsys:wowsys {number}" for path in theirs), f"/var/lib/wowsys/kept wowsys:wowsum {number}"]
    expect(owners[:4] == wanted and owners[4].startswith("/var/lib/wowsum wowsum:wowsum "), f"owners: {owners}")
    # Of each package that came with a module or was renewed, the files are those that dpkg knows.
    names = ["wow-later", "wow-both", "wow-user", "wow-same", "wow-choice", "wow-unit", "wow-text", "wow-sys", *(["wow-heir"] if number == NEW else [])]
    said = machine.run("dpkg", "--verify", *names)
    expect(said.strip() in ("", "??5?????? c /etc/wow-both-mine.conf"), f"files are not as dpkg knows them: {said}")


@check
def three_modules_and_a_home_go_on_when_the_base_is_replaced():
    go_on("kept", world().modules)


@long_shared_check
def and_published_anew_over_the_new_base_they_and_a_home_go_on_too():
    go_on("anew", world().published(world().second, "second"))


def go_on(name, modules):
    """Modules over the first base, and these ones in their place over the second, with one home. name: of the files that this makes."""
    all_ = world()
    home = work(f"rebased-home-{name}")
    numbers = []
    with all_.first.stacked(all_.folder / f"glue-first-{name}.squashfs", *all_.modules) as machine:
        works(machine, OLD)
        expect(machine.run("wow-user") == "1.0\n", "another version over the first base")
        numbers.append(machine.run("id", "-u", "wowsum"))
        (home / "sums").mkdir()
        (home / "sums/result").write_text("42\n")
        with homed(machine, home):
            machine.run("chown", "-R", "wowsum:wowsum", "/home/sums")
    before = digest(home)
    glue = all_.folder / f"glue-{name}.squashfs"
    with all_.second.stacked(glue, *modules) as machine, homed(machine, home):
        works(machine, NEW)
        has(machine.run("dpkg-query", "--show", "wow-both"), "\t2.0\n")
        expect(machine.run("wow-user") == "2.0\n", "the module's older program is seen")
        expect((machine.root / "etc/wow-both.conf").read_text() == "two\n", "a file of configuration that nobody changed was not renewed")
        expect((machine.root / "etc/wow-etc/own.conf").read_text() == "two\n", "the base's file of configuration is not the base's")
        expect(not (machine.root / "usr/share/wow-both/old").exists(), "a file of the older version is there")
        expect((machine.root / "usr/share/wow-both/given").read_text() == "heir\n", "a file of another package by now is the module's")
        expect((machine.root / BEFORE).is_symlink() and (machine.root / BEFORE / "b").read_text() == "two\n", "the base's link is hidden")
        expect(machine.run("stat", "-c", "%a", "/var/lib/wowsys").strip() == "750", "the base's folder has the rights of before")
        expect(machine.run("stat", "-c", "%U:%G", "/home/sums/result").strip() == "wowsum:wowsum", "a home has another owner")
        numbers.append(machine.run("id", "-u", "wowsum"))
        found = run("unsquashfs", "-cat", all_.second.layer, "etc/passwd")
        has(found, f"wownew:x:{numbers[-1].strip()}:")
        owners = machine.run("stat", "-c", "%U:%G %a", "/var/lib/wownew", "/usr/bin/wow-new").splitlines()
        expect(owners == ["wownew:wownew 750", "root:wownew 2755"], f"files of the base's account are {owners}")
        # It can be gone on with: a package of the stack is upgraded and taken away.
        machine.install(developed.package(work(f"rebased-next-{name}"), "wow-same", {"usr/share/wow-same/x": "2\n"}, version="2.0"))
        machine.run("apt-get", "check")
    has(all_.second.listed(glue, *modules), f"\nglue glue-{name} ")
    glue.unlink()
    told = all_.second.compose(glue, *modules)
    for path in ("etc/wow-etc/changed.conf", "etc/wow-both-mine.conf"):
        expect(told.count(f"note: /{path} stays as the module physics has it. This base has changed it, too") == 1, told)
    expect("stays as" not in all_.second.compose(glue, *modules), "it is told again")
    expect("stays as" not in all_.first.compose(all_.folder / f"glue-again-{name}.squashfs", *all_.modules), "over the base of before something is told")
    expect(len(set(numbers)) == 1, f"the module's account has numbers {numbers}")
    expect(digest(home) == before, "home was touched")


@check
def what_the_new_base_cannot_run_is_refused_by_module_file_and_library_and_the_stack_of_before_stays():
    all_ = world()
    third = bases.made(all_.folder / "third", all_.first.layer, bases.two(all_.folder / "debs-3", number=6))
    fourth = bases.made(all_.folder / "fourth", all_.first.layer, bases.two(all_.folder / "debs-4", versions=[("XZ_5.2", "XZ_9.2")]))
    expect(len({json.loads(place.about.read_text())["abi"] for place in (all_.first, third)}) == 2, "the bases have one ABI number")
    stack = all_.folder / "stack"
    recipes = [ROOT / "modules/tutorial", all_.archive]
    run(IMAGE / "stack", "-o", stack, "--parts", all_.first.folder, *recipes)
    before = digest(stack)
    for place, words in ((third, ("needs libwzma.so.5, which no layer has",)), (fourth, ("needs libwzma.so.5 with XZ_5.2",))):
        glue = work("rebased-refused") / "glue.squashfs"
        said = place.compose(glue, *all_.modules, fails=True)
        for word in ("/usr/bin/wow-deb of the module physics ", *words, "Publish the module anew over this base"):
            has(said, word)
        expect("module tutorial" not in said and "module sums" not in said, f"modules that have nothing to do with it are named: {said}")
        expect(not glue.exists(), "it left a glue")
        has(run(IMAGE / "stack", "-o", stack, "--parts", place.folder, *recipes, fails=True), "/usr/bin/wow-deb of the module physics ")
        expect(digest(stack) == before, "the stack of before is another one")
        # The others go on.
        said = place.compose(glue, *all_.modules[:2])
        has(said, "the module sums was made over a base with ABI ") if place is third else None
        expect(glue.exists(), "no glue of the others")


@long_shared_check
def an_empty_stack_is_the_base_and_a_module_adds_its_files_and_no_others():
    all_ = world()
    folder = work("rebased-empty")
    glue = folder / "glue.squashfs"
    for place in (all_.first, all_.second):
        glue.write_text("of before")
        with place.stacked(glue) as machine:
            expect(not glue.exists() and len(place.listed(glue).splitlines()) == 3, "a glue of nothing")
            base, node = machine.lowers
            expect(moved(machine, base) <= trees.entries(node), "something is neither the base's nor the node's")
            expect(not moved(machine, base) & trees.entries(base) - trees.entries(node), "a file of the base is another one")
        with place.stacked(glue, all_.modules[0]) as machine:
            base, node, tutorial = machine.lowers
            with developed.machine(place.layer, place.node) as bare:
                found = moved(machine, bare.root)
            expect(found == {path for path in trees.entries(tutorial) if not (bare_has(base, node, path))}, f"it adds other files: {sorted(found)[:5]}")


def moved(machine, other):
    """The paths at which a machine and a folder differ, without what is no file of a layer."""
    return {line.partition(":")[0] for line in trees.differences(machine.root, other, without=("proc", "dev"))}


def bare_has(base, node, path):
    """Whether it stands in one of the two."""
    return any((layer / path).exists() for layer in (base, node))


@long_shared_check
def a_module_published_anew_from_the_stack_over_the_new_base_makes_the_same_machine():
    """publish(compose(base, [m])) = m where the base is m's; over another one it is what m is there, and needs nothing settled."""
    all_ = world()
    folder = work("rebased-again")
    glue = folder / "glue.squashfs"
    with all_.first.stacked(glue, all_.modules[2]) as machine:
        all_.first.archive(machine, "physics", folder, OVERRIDE)
    all_.first.publish(folder / "physics.tar", folder / "same.squashfs")
    expect(sha256(folder / "same.squashfs") == sha256(all_.modules[2]), "publish(compose(base, [m])) is not m")
    with all_.second.stacked(glue, all_.modules[2]) as machine:
        all_.second.archive(machine, "physics", folder, OVERRIDE)
        all_.second.publish(folder / "physics.tar", folder / "physics.squashfs")
        again = folder / "again.squashfs"
        with all_.second.stacked(again, folder / "physics.squashfs") as other:
            found = sorted(path for path in moved(machine, other.root) if not path.startswith("usr/lib/wow/modules/"))
            # Whoever publishes it over the new base has seen what that has changed, too.
            expect(found == ["etc/wow-both-mine.conf.dpkg-dist", "etc/wow-etc/changed.conf.dpkg-dist"], f"differences: {found[:8]}")


@long_shared_check
def the_upper_of_two_modules_wins_over_the_packages_of_the_new_base_too():
    all_ = world()
    folder = work("rebased-order")
    with developed.machine(all_.first.layer, all_.first.node) as machine:
        (machine.root / "usr/bin/wow-both").write_text("#!/bin/sh\necho above\n")
        (machine.root / "usr/bin/wow-both").chmod(0o755)
        ini = folder / "above"
        (ini / "root/usr/bin").mkdir(parents=True)
        for name in ("wow-both", "wow-sum"):
            shutil.copy(machine.root / "usr/bin/wow-both", ini / "root/usr/bin" / name)
    (ini / "module.ini").write_text(made.INI.replace("sums", "above") + "override = /usr/bin/wow-both /usr/bin/wow-sum\n")
    all_.first.publish(ini, folder / "above.squashfs")
    for place in (all_.first, all_.second):
        with place.stacked(folder / "glue.squashfs", all_.modules[2], folder / "above.squashfs") as machine:
            expect(machine.run("wow-user") == "above\n", "the upper module's file is not seen")
    said = all_.first.compose(folder / "glue.squashfs", folder / "above.squashfs", all_.modules[2], fails=True)
    has(said, "/usr/bin/wow-sum: in the module physics, and in the module above")


@long_check
def debians_security_updates_come_below_three_modules():
    """A real pair: the archive's main alone, and the image's base, which has the updates. Needs Debian's archive."""
    folder = work("rebased-real")
    first, second = bases.made(folder / "first", PARTS / "layers/base.squashfs", bases.without_updates), bases.Place(PARTS)
    versions = [versions_of(place.layer) for place in (first, second)]
    moved_ = {name for name in versions[0] if versions[0][name] != versions[1].get(name)}
    expect(moved_ and set(versions[0]) == set(versions[1]), f"the bases differ by {sorted(set(versions[0]) ^ set(versions[1]))}, and in {sorted(moved_)}")
    note(f"packages that moved: {', '.join(sorted(moved_))}")
    recipe = folder / "sums"
    recipe.mkdir()
    (recipe / "module.ini").write_text(made.INI + "packages = bc\n")
    (recipe / "check").write_text("#!/bin/sh\n[ \"$(echo 2+3 | bc)\" = 5 ]\n")
    (recipe / "apt.sources").write_text(bases.main_alone())
    # Its package asks for the base's library in its own version alone.
    strict = folder / "packs"
    strict.mkdir()
    (strict / "module.ini").write_text(made.INI.replace("sums", "packs") + "packages = libzstd-dev\n")
    (strict / "apt.sources").write_text(bases.main_alone())
    with developed.machine(first.layer, first.node) as machine:
        machine.install(*developed.packages(folder))
        archive = first.archive(machine, "maths", folder)
    modules = []
    with made.cached(folder):
        for what, name in ((ROOT / "modules/tutorial", "tutorial"), (recipe, "sums"), (archive, "maths"), (strict, "packs")):
            modules.append(folder / f"{name}.squashfs")
            first.publish(what, modules[-1])
    glue = folder / "glue.squashfs"
    first.compose(glue, *modules)
    with second.stacked(glue, *modules[:3]) as machine:
        expect(machine.run("dpkg", "--audit") == "", "dpkg finds fault")
        machine.run("apt-get", "check")
        expect(machine.run("sh", "-c", "echo 2+3 | bc") == "5\n" and machine.run("wow-sum") == "2\n", "a program does not run")
        has(machine.run("getent", "passwd", "wowsum"), "/usr/sbin/nologin")
        found = dpkg_versions(machine.run("dpkg-query", "--show"))
        expect({name: found[name] for name in versions[1]} == versions[1], "dpkg's status has other versions than the base")
    glue.unlink()
    said = second.compose(glue, *modules, fails=True)
    has(said, "libzstd-dev : Depends: libzstd1 (= ")
    # Its lock has the package for the first base; --update, which apt's refusal names, takes the archive's next version.
    (strict / "apt.sources").unlink()
    with made.cached(work("rebased-real-cache")):
        has(second.publish(strict, modules[-1], fails=True), "--update records what there is now")
        second.publish(strict, modules[-1], "--update")
    with second.stacked(glue, *modules) as machine:
        found = dpkg_versions(machine.run("dpkg-query", "--show"))
        expect(found["libzstd-dev"] == found["libzstd1"] == versions[1]["libzstd1"], "the package was not made anew")


def versions_of(layer):
    """{package: version} of a base."""
    text = run("unsquashfs", "-cat", layer, "var/lib/dpkg/status")
    names, versions = ([line.partition(": ")[2] for line in text.splitlines() if line.startswith(f"{key}: ")] for key in ("Package", "Version"))
    return dict(zip(names, versions, strict=True))


def dpkg_versions(text):
    """The same of what dpkg-query --show says."""
    return {name.partition(":")[0]: version for name, version in (line.split("\t") for line in text.splitlines())}
