"""Modules made with dpkg over the image's own base, published, and composed: in roots, without machines."""

import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess

import developed
from checks import check, expect, long_shared_check, run
from places import IMAGE, LAYERS, PARTS, WORK

BASE, NODE = PARTS / "layers/base.squashfs", PARTS / "layers/node.squashfs"
INI = "[module]\nname = {}\nversion = 1.0\ndescription = Sums\nlicence = MIT\n"


def work(name):
    """An empty folder."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def publish(upper, lowers, name, folder, more=""):
    """Publishes an upper layer; its layer."""
    ini = folder / f"{name}.ini"
    ini.write_text(INI.format(name) + more)
    run(LAYERS / "upper", "publish", upper, *lowers, "--module", ini, "--about", PARTS / "base.json", "-o", folder / f"{name}.tar")
    return layer_of(folder, name)


def layer_of(folder, name):
    run(LAYERS / "publish", "--base", PARTS / "base", "--node", NODE, "--about", PARTS / "base.json", folder / f"{name}.tar", "-o", folder / f"{name}.squashfs")
    return folder / f"{name}.squashfs"


def made(folder, name, *debs, more="", after=None):
    """A module of these packages."""
    with developed.machine(BASE, NODE) as machine:
        for deb in debs:
            machine.install(deb)
        if after:
            after(machine)
        return publish(machine.upper, machine.lowers, name, folder, more)


def compose(folder, *modules, fails=False, alone=False):
    """The glue of base, node and these modules; what it said if that fails. alone: by one processor, so that one part of it is made after the other."""
    glue = folder / "glue.squashfs"
    bound = ("taskset", "--cpu-list", min(os.sched_getaffinity(0))) if alone else ()
    said = run(*bound, LAYERS / "compose", "-o", glue, f"base={BASE}", f"node={NODE}", *(f"module={layer}" for layer in modules), fails=fails)
    if fails:
        expect("Traceback" not in said and not glue.exists(), said)
        return said
    return glue


@contextlib.contextmanager
def stacked(folder, *modules):
    """A machine over the composed stack."""
    with developed.machine(BASE, NODE, *modules, compose(folder, *modules)) as machine:
        yield machine


@contextlib.contextmanager
def choosing(folder, glue, modules, *names):
    """A machine that stacks these of a glue's modules, with their own part of it, as the initrd does; None where the glue has none for them. modules: {name: layer}."""
    place = folder / "-".join(names)
    run("unsquashfs", "-quiet", "-no-progress", "-dest", place, glue)
    own = place / "usr/lib/wow/modules/glue"
    rows = {tuple(words[1:]): words[0] for line in (own / "choices").read_text().splitlines() if (words := line.split())}
    if names not in rows:
        yield None
        return
    with developed.machine(BASE, NODE, *(modules[name] for name in names), *([own / "of" / rows[names]] if rows[names] != "-" else [])) as machine:
        yield machine


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def has(where, what):
    expect(what in where, f"{what!r} is not in: {where[-600:]}")


def for_a_running_pool(folder, maths, glue):
    """The stack folder of the same archive has the same layers, and `stack` in the order in which they are stacked."""
    for _ in "once", "again":
        said = run(IMAGE / "stack", "-o", folder / "stack", "--parts", PARTS, folder / "maths.tar")
    has(said, "note: the image has the module tutorial too")
    digests = {"maths": sha256(maths), "glue": glue}
    sizes = {digest: (folder / "stack" / digest).stat().st_size for digest in digests.values()}
    expect((folder / "stack/stack").read_text() == f"wow-stack 1\nbase {sha256(BASE)}\nnode {sha256(NODE)}\n" + "".join(
        f"{kind} {name} {sizes[digests[name]]} {digests[name]}\n" for kind, name in (("module", "maths"), ("glue", "glue"))), "another text")
    expect({file.name: sha256(file) for file in (folder / "stack").iterdir() if file.name != "stack"} == {digest: digest for digest in digests.values()},
           "a layer is not what its name says")
    expect(not list(folder.glob(".stack.*")), "something was left behind")


@check
def without_modules_that_share_a_file_there_is_no_glue():
    folder = work("composed-none")
    (folder / "glue.squashfs").write_text("of before")
    expect(not compose(folder).exists(), "a glue of nothing")
    expect(not compose(folder, PARTS / "layers/tutorial.squashfs").exists(), "a glue of plain files")


@check
def what_is_installed_published_and_composed_is_what_dpkg_and_apt_find_right():
    folder = work("composed")
    account, unit, choice, conf = developed.packages(folder)
    maths = made(folder, "maths", account, unit, choice, conf)
    once = sha256(maths)
    expect(sha256(made(folder, "maths", account, unit, choice, conf)) == once, "a second machine made another layer of the same packages")
    glue = sha256(compose(folder, maths))
    (folder / "glue.squashfs").unlink()
    expect(sha256(compose(folder, maths)) == glue, "another glue of the same layers")
    for_a_running_pool(folder, maths, glue)
    with stacked(folder, maths) as machine:
        expect(machine.run("dpkg", "--audit") == "", "dpkg finds fault")
        machine.run("apt-get", "check")
        has(machine.run("dpkg", "--list", "wow-*"), "ii  wow-choice")
        # The base leaves manuals out on purpose; of the module's files nothing is missing or changed.
        expect(machine.run("dpkg", "--verify", "wow-account", "wow-unit", "wow-choice", "wow-conf") == "", "files differ from their packages")
        has(machine.run("getent", "passwd", "wowsum"), "/usr/sbin/nologin")
        owner = machine.run("stat", "-c", "%U:%G %a", "/var/lib/wowsum", "/var/log/wowsum")
        expect(owner == "wowsum:wowsum 750\nwowsum:wowsum 750\n", owner)
        expect((machine.root / "etc/systemd/system/multi-user.target.wants/wow-sum.service").is_symlink(), "the unit is not enabled")
        has(machine.run("update-alternatives", "--query", "pager"), "Value: /usr/bin/wow-pager")
        has(machine.run("readlink", "-f", "/usr/bin/summer"), "/usr/bin/wow-pager")
        expect(machine.run("readlink", "-f", "/usr/bin/pager").strip() == "/usr/bin/wow-pager", "the old choice")
        machine.install(developed.package(folder, "wow-later", {"usr/bin/wow-later": "#!/bin/sh\n"}, fields="Depends: wow-choice, wow-conf (>= 1.0)\n"))
        machine.run("apt-get", "--assume-yes", "remove", "wow-later")
        machine.run("apt-get", "check")
        # What a person changes on top goes by the module's conffile, as everywhere in Debian.
        machine.install(developed.package(folder, "wow-conf", {"etc/wow-conf.conf": "a = 2\n", "usr/share/wow-things/two": ""}, version="2.0",
                                          conffiles=["/etc/wow-conf.conf"]))
        expect((machine.root / "etc/wow-conf.conf").read_text() == "a = 2\n", "an untouched conffile was not renewed")
        expect((machine.root / "var/lib/wow-choice-index").read_text() == "two\n", "a module's package has lost its trigger")


@check
def a_module_published_from_the_composed_stack_is_the_module():
    folder = work("composed-again")
    maths = made(folder, "maths", *developed.packages(folder))
    upper = folder / "upper"
    for layer in (maths, compose(folder, maths)):
        run("unsquashfs", "-quiet", "-no-progress", "-force", "-dest", upper, layer)
    again = work("composed-again-2")
    with developed.machine(BASE, NODE) as machine:
        expect(sha256(publish(upper, machine.lowers, "maths", again)) == sha256(maths), "another layer")
    # So it is where the module's own layer and the glue lie below, as on a machine that goes on with it; beside another module, too.
    other = made(again, "physics", developed.package(folder, "wow-thief", {}, scripts={"postinst": "#!/bin/sh\nset -e\nuseradd --system --uid 970 wowthief\n"}))
    with stacked(folder, maths, other) as machine:
        expect(sha256(publish(machine.upper, machine.lowers, "maths", work("composed-again-3"))) == sha256(maths), "another layer of nothing new")
        machine.install(developed.package(folder, "wow-later", {"usr/bin/wow-later": "#!/bin/sh\n"}))
        more = publish(machine.upper, machine.lowers, "maths", work("composed-again-4"))
    was, now = (json.loads(run("unsquashfs", "-cat", layer, "usr/lib/wow/modules/maths/manifest.json")) for layer in (maths, more))
    expect(set(now["packages"]) - set(was["packages"]) == {"wow-later"}, str(now["packages"]))
    expect(set(was["files"]) < set(now["files"]) and "usr/bin/wow-later" in now["files"], "files are missing")
    with developed.machine(BASE, NODE, maths) as machine:
        (machine.root / "opt/new").write_text("")
        said = run(LAYERS / "upper", "diff", *machine.words(), "--module", again / "maths.ini")
    has(said, "! the module maths is below, but not what it shares with others")


@check
def modules_stand_in_their_order_and_share_a_package_in_one_version():
    folder = work("composed-order")
    account, unit, choice, conf = developed.packages(folder)
    lower = made(folder, "maths", unit, conf)
    upper = made(folder, "physics", unit, choice, more="override = /opt/both\n", after=lambda machine: (machine.root / "opt/both").write_text("upper"))
    both = made(folder, "below", account, after=lambda machine: (machine.root / "opt/both").write_text("lower"))
    with stacked(folder, both, lower, upper) as machine:
        expect((machine.root / "opt/both").read_text() == "upper", "the lower one's file is seen")
        expect(machine.run("dpkg", "--audit") == "", "dpkg finds fault")
        for name in ("wow-account", "wow-unit", "wow-choice", "wow-conf"):
            has(machine.run("dpkg-query", "--show", name), "1.0")
        # The interest is one module's, the files another's: only together they are the index.
        expect((machine.root / "var/lib/wow-choice-index").read_text() == "one\n", "the trigger did not run")
    has(compose(work("composed-order-2"), upper, lower, both, fails=True), "/opt/both: in the module below, and in the module physics")


@check
def each_choice_of_three_modules_of_a_stack_has_the_packages_and_caches_of_these_alone():
    each_choice("maths", "physics", "waves")


@long_shared_check
def each_choice_of_four_modules_one_without_packages_too():
    each_choice("maths", "physics", "plain", "waves")


def each_choice(*those):
    """Of the modules of these names; `maths` and `physics` are among them."""
    folder = work("composed-chosen")
    account, unit, choice, conf = developed.packages(folder)
    plain = made(folder, "plain", after=lambda machine: (machine.root / "opt/plain").write_text("1"))
    modules = {"maths": made(folder, "maths", account), "physics": made(folder, "physics", unit, choice), "plain": plain, "waves": made(folder, "waves", conf)}
    packages = {"maths": {"wow-account"}, "physics": {"wow-unit", "wow-choice"}, "waves": {"wow-conf"}, "plain": set()}
    modules = {name: modules[name] for name in those}
    glue = compose(folder, *modules.values())
    count = 0
    for number in range(1, len(modules)):
        for names in itertools.combinations(modules, number):
            with choosing(folder, glue, modules, *names) as machine:
                expect(machine is not None, f"{names} have no part of the glue")
                expect(machine.run("dpkg", "--audit") == "", f"{names}: dpkg finds fault")
                machine.run("apt-get", "check")
                known = set(machine.run("dpkg-query", "--show", "--showformat", "${Package}\n").split())
                expect({name for name in known if name.startswith("wow-")} == set().union(*(packages[name] for name in names)), f"{names}: {known}")
                expect(("wowsum" in machine.run("cat", "/etc/passwd")) == ("maths" in names), f"{names}: another account")
                pager = machine.run("readlink", "-f", "/usr/bin/pager").strip()
                expect((pager == "/usr/bin/wow-pager") == ("physics" in names) and (machine.root / pager[1:]).exists(), f"{names}: the pager is {pager}")
                index = machine.root / "var/lib/wow-choice-index"
                expect((index.read_text() if index.exists() else "") == ("one\n" if {"physics", "waves"} <= set(names) else ""), f"{names}: the trigger's file")
                expect((machine.root / "opt/plain").exists() == ("plain" in names), f"{names}: other files")
                # Parts for other choices are not there a second time.
                expect(not (machine.root / "usr/lib/wow/modules/glue/of").exists(), "all parts are seen")
                count += 1
    expect(count == (1 << len(those)) - 2, f"{count} choices")
    once = sha256(glue)
    glue.unlink()
    expect(sha256(compose(folder, *modules.values(), alone=True)) == once, "another glue of the same layers, by one processor")
    # What goes on in a machine that has chosen is published as in any other.
    with choosing(work("composed-chosen-2"), glue, modules, "maths", "physics") as machine:
        again = work("composed-chosen-3")
        expect(sha256(publish(machine.upper, machine.lowers, "physics", again)) == sha256(modules["physics"]), "another layer of nothing new")


@check
def a_choice_that_lacks_what_only_another_module_has_is_told_and_has_no_part():
    folder = work("composed-lacking")
    true = pathlib.Path("/bin/true").read_bytes()
    lame = developed.package(folder, "wow-lame", {"usr/bin/wow-lame": true.replace(b"libc.so.6\0", b"libq.so.6\0")}, architecture="amd64")
    library = next(pathlib.Path("/usr/lib").glob("*-linux-gnu/libc.so.6")).read_bytes().replace(b"libc.so.6\0", b"libq.so.6\0")
    other = developed.package(folder, "wow-libq", {"usr/lib/x86_64-linux-gnu/libq.so.6": library}, architecture="amd64")
    modules = {"maths": made(folder, "maths", lame), "physics": made(folder, "physics", other), "waves": made(folder, "waves", developed.packages(folder)[1])}
    glue = folder / "glue.squashfs"
    words = [LAYERS / "compose", "-o", glue, f"base={BASE}", f"node={NODE}", *(f"module={layer}" for layer in modules.values())]
    said = run(*words)
    has(said, "note: maths alone do not go: /usr/bin/wow-lame of the module maths needs libq.so.6")
    has(said, ". A machine that chooses them has all modules")
    for names, there in ((("maths",), False), (("maths", "waves"), False), (("maths", "physics"), True), (("physics",), True)):
        with choosing(folder, glue, modules, *names) as machine:
            expect((machine is not None) == there, f"{names}: {machine}")
    has(run(*words, "--choice", "maths phisics", fails=True), "--choice: there is no module phisics; name some of maths, physics, waves")


@check
def one_package_in_two_versions_and_accounts_that_are_taken_are_refused():
    folder = work("composed-taken")
    account, unit, *_ = developed.packages(folder)
    newer = developed.package(folder, "wow-unit", {"usr/bin/wow-other": "#!/bin/sh\n"}, version="2.0")
    first, second = made(folder, "maths", unit), made(folder, "physics", newer)
    said = compose(work("composed-taken-1"), first, second, fails=True)
    has(said, "the package wow-unit is 1.0 in the module maths, and 2.0 in the module physics: a machine can have one of them")
    thief = developed.package(folder, "wow-thief", {}, scripts={"postinst": "#!/bin/sh\nset -e\nuseradd --system --user-group --no-create-home wowthief\n"})
    said = compose(work("composed-taken-2"), made(folder, "below", account), made(folder, "above", thief), fails=True)
    has(said, "in the module above is wowsum's in the module below")
    has(said, "Publish the module anew over this base, or give wowthief another number there: usermod -u")


@check
def a_program_without_its_library_is_refused_by_name():
    folder = work("composed-libraries")
    true = pathlib.Path("/bin/true").read_bytes()
    lame = developed.package(folder, "wow-lame", {"usr/bin/wow-lame": true.replace(b"libc.so.6\0", b"libq.so.6\0")}, architecture="amd64")
    has(compose(folder, made(folder, "maths", lame), fails=True), "/usr/bin/wow-lame of the module maths needs libq.so.6")
    fit = developed.package(folder, "wow-fit", {"usr/bin/wow-fit": true}, architecture="amd64")
    expect(compose(folder, made(folder, "physics", fit)).exists(), "no glue")


@check
def upgrades_and_removals_of_the_bases_packages_are_refused_with_what_to_do():
    folder = work("composed-base")
    with developed.machine(BASE, NODE) as machine:
        machine.install(developed.package(folder, "netbase", {"opt/x": ""}, version="99"))
        machine.run("dpkg", "--purge", "--force-depends", "media-types")
        said = subprocess.run([LAYERS / "upper", "diff", *machine.words()], capture_output=True, text=True, check=True).stdout
    has(said, "! the package netbase is here in version 99, below in ")
    has(said, "apt-get install --allow-downgrades netbase=")
    has(said, "! the package media-types of the layers below was removed")


@check
def a_glue_of_other_layers_or_none_makes_no_list():
    folder = work("composed-list")
    account, unit, *_ = developed.packages(folder)
    maths, other = made(folder, "maths", account), made(folder, "physics", unit)
    glue = compose(folder, maths)
    words = [f"base={BASE}", f"node={NODE}", f"module={maths}"]
    rows = run(IMAGE / "stack-list", *words, f"glue={glue}").splitlines()
    expect(rows[-1].startswith("glue glue glue-"), rows[-1])
    (folder / "A.conf").write_text("\n".join(rows) + "\n")
    words = [PARTS / "base", PARTS / "programs", folder / "A.conf", folder]
    has(run(IMAGE / "licences", *words), "wow-account\t1.0\tin the module maths\t1.0\tMIT\t\n")
    run(IMAGE / "sbom/write", *words, folder / "sbom")
    has((folder / "sbom/wow-maths.spdx.json").read_text(), "pkg:deb/debian/wow-account@1.0")
    expect((folder / "sbom/wow-glue.spdx.json").exists(), "no document of the glue")
    words = [f"base={BASE}", f"node={NODE}", f"module={maths}"]
    has(run(IMAGE / "stack-list", *words, fails=True), "the modules maths need a glue that was made of these layers")
    has(run(IMAGE / "stack-list", *words, f"module={other}", f"glue={glue}", fails=True), "need a glue that was made of these layers")


@check
def a_disk_without_space_leaves_no_glue_and_says_so():
    folder = work("composed-full")
    maths = made(folder, "maths", *developed.packages(folder))
    full = folder / "full"
    full.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=16k", "full", full)
    try:
        said = run(LAYERS / "compose", "-o", full / "glue.squashfs", f"base={BASE}", f"node={NODE}", f"module={maths}", fails=True)
        has(said, "No space left on device; free some room there")
        expect(not list(full.iterdir()), "it left half a glue")
    finally:
        run("umount", full)


@check
def a_modules_script_can_neither_mount_nor_make_devices_nor_reach_a_network():
    folder = work("composed-confined")
    tried = ("mount -t tmpfs x /mnt && echo mounted; mknod /opt/disk b 254 0 && echo made; chroot / true && echo rooted; cat /proc/1/status && echo seen; "
             "ls /sys/class/net && echo net")
    nosy = developed.package(folder, "wow-nosy", {"usr/share/wow-things/one": ""}, scripts={
        "triggers": "interest-noawait /usr/share/wow-things\n",
        "postinst": f"#!/bin/sh\n[ \"$1\" != triggered ] || {{ {tried}; }} > /opt/nosy 2>&1\nexit 0\n"})
    maths = made(folder, "maths", nosy)
    said = run("unsquashfs", "-cat", compose(folder, maths), "opt/nosy")
    for word in ("mounted", "made", "rooted", "seen", "net\n"):
        expect(word not in said.replace("Internet", ""), said)


@check
def the_guests_own_wow_publishes_the_same_module():
    folder = work("composed-guest")
    about = json.loads((PARTS / "base.json").read_text())
    with developed.machine(BASE, NODE) as machine:
        for deb in developed.packages(folder):
            machine.install(deb)
        (machine.root / "opt/huge").write_text("x" * 3_000_000)
        layer = publish(machine.upper, machine.lowers, "maths", folder)
        for place in ("run", "tmp"):
            machine.mount(machine.root / place, "-t", "tmpfs", place)
        # As the initrd leaves it in develop mode.
        for source, name in ((machine.upper, "run/wow/develop/upper"), *((lower, f"run/layers/{number}") for number, lower in enumerate(machine.lowers))):
            (machine.root / name).mkdir(parents=True)
            machine.mount(machine.root / name, "--bind", "-o", "ro", source)
        said = {"name": "maths", "base": {key: about[key] for key in ("sha256", "date", "abi")}, "stack": [], "started": "2026-01-02"}
        (machine.root / "run/wow/develop/about.json").write_text(json.dumps(said))
        shutil.copy(folder / "maths.ini", machine.root / "tmp/module.ini")
        has(machine.run("wow", "module", "diff"), "+ /opt/huge: kept: a new file\n")
        has(machine.run("wow", "module", "publish", "/tmp/module.ini", "-o", "/tmp/maths.tar"), "modules/maths.tar; make image makes a layer of it")
        expect((machine.root / "tmp/maths.tar").read_bytes() == (folder / "maths.tar").read_bytes(), "the guest wrote another archive")
        expect(layer.exists(), "no layer")
