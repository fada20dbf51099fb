"""A module is developed: who is named in pool.conf asks for it, is root in that start alone, installs a package from a repository of this computer, and finds it
with the module and not in the machine's usual start."""

import base64
import json
import os
import time

import configs
import rootshell
from checks import expect, long_check, note, run
from machine import UNTIL_HOME, Machine
from places import LAYERS, OUT, PARTS, POOL_CONF, WORK
from serving import served
from shell import LabError

PACKAGE = ("usr/bin/wow-surge", "usr/share/doc/wow-surge/README", "usr/share/locale/de/LC_MESSAGES/wow-surge.mo", "usr/lib/x86_64-linux-gnu/gconv/SURGE.so")
"""What is in the package: the last three are of the kinds that the base leaves out."""
CONTROL = """\
Package: wow-surge
Version: 1.0
Architecture: all
Maintainer: nobody <nobody@example.org>
Description: a package of a test
"""
NO_PART = tuple(f"./{place}/" for place in (
    "tmp", "run", "root", "home", "dev", "var/log", "var/tmp", "var/cache/apt", "var/lib/wow", "var/lib/apt/lists", "etc/machine-id"))
"""What no upper has."""
ALICE = "[user:alice]\n"
RUNTIME = "/run/wow-image"
"""Where the shells' sockets are. The lab, which may run beside, empties its own folder."""
rootshell.RUNTIME = RUNTIME
UNTIL_UP = "until id alice > /dev/null 2>&1 && [ -S /run/wow/agent.sock ] && systemctl is-active -q wow-fence && ip -4 route | grep -q 10.0.2.0; do sleep 1; done"
SU = "runuser -u alice -- su -c 'id -u'"
"""What alice gets who would be root."""
FETCH = "timeout 10 python3 -c 'import urllib.request as r; r.urlopen(\"http://10.0.2.2:{port}/Packages\")'"


def repository(name):
    """A folder as `deb [trusted=yes] URL ./` wants it, with one package."""
    tree, place = WORK / f"{name}-package", WORK / f"{name}-repository"
    for file in PACKAGE:
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        (tree / file).write_text(f"{file}\n")
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(CONTROL)
    place.mkdir()
    run("dpkg-deb", "--root-owner-group", "-b", tree, place / "wow-surge.deb")
    size, digest = (place / "wow-surge.deb").stat().st_size, run("sha256sum", place / "wow-surge.deb").split()[0]
    (place / "Packages").write_text(f"{CONTROL}Filename: ./wow-surge.deb\nSize: {size}\nSHA256: {digest}\n")
    return place


class Shelled(Machine):
    """A machine with a root shell for the test, where its start has rootshell's options."""

    def answers(self):
        """Whether its root shell does."""
        try:
            return super().answers() and rootshell.ask(self.name, "true", UNTIL_HOME)[0] == 0
        except (LabError, OSError):
            return False

    def ask(self, script, timeout=UNTIL_HOME):
        """What a script of root's says; Wrong where it fails."""
        code, said = rootshell.ask(self.name, script, timeout)
        expect(code == 0, f"{script} ended with {code}: {said[-600:]}\n{self.last()}")
        return said

    def refuses(self, script):
        """The script fails, and says this."""
        code, said = rootshell.ask(self.name, script, UNTIL_HOME)
        expect(code != 0, f"{script} was done: {said}")
        return said


class Developed(Shelled):
    """A machine of alice's pool with a network card and a root shell for the test."""

    def __init__(self, name):
        super().__init__(name, OUT / "wow.qcow2")
        self.config = WORK / f"config-{name}.img"
        configs.configdisk.make(self.config, configs.configdisk.entries_of(configs.folder(name, POOL_CONF + ALICE)))

    def up(self):
        """Starts it, and waits until its people can be there."""
        os.makedirs(RUNTIME, exist_ok=True)
        self.start("-drive", f"if=virtio,file={self.config},format=raw,snapshot=on", "-netdev", "user,id=net",
                   "-device", "virtio-net-pci,netdev=net,romfile=", *rootshell.options(self.name))
        self.wait_for("pool=demo role=worker", UNTIL_HOME * 2)
        self.ask(UNTIL_UP, timeout=UNTIL_HOME * 2)

    def leaves_by(self, words):
        """Alice asks for another start; the machine ends in order."""
        said = self.ask(f"runuser -u alice -- wow {words} --yes")
        self.ends()
        return said


@long_check
def a_module_is_developed_by_apt_as_root_in_that_start_alone_and_what_was_written_stays_with_it():
    place, machine = repository("developed"), Developed("developed")
    began = time.monotonic()
    try:
        with served(place) as port:
            usual(machine, port)
            note(f"asked for after {time.monotonic() - began:.0f} s")
            developed(machine, port)
            note(f"developed after {time.monotonic() - began:.0f} s")
            back(machine)
            note(f"over after {time.monotonic() - began:.0f} s")
    finally:
        machine.cut_power()


def usual(machine, port):
    """In release alice is no root, and root reaches nobody; a mode that there is not, and a name that is none, are refused."""
    machine.up()
    machine.refuses(SU)
    machine.refuses(FETCH.format(port=port))
    for words, reason in (("boot maintenance", "name the mode"), ("module develop A_B", "develop needs the name"), ("boot release surge", "nothing belongs")):
        said = machine.refuses(f"runuser -u alice -- wow {words} --yes")
        expect(reason in said, said)
    expect("mode" not in machine.ask("wow status").split(), "it says a mode in its usual start")
    machine.leaves_by("module develop surge")


def developed(machine, port):
    """In develop alice is root, and installs; nobody else gets out."""
    machine.up()
    expect(machine.ask(SU) == "0", "alice is not root")
    machine.refuses(f"runuser -u alice -- {FETCH.format(port=port)}")
    machine.ask(f"echo 'deb [trusted=yes] http://10.0.2.2:{port}/ ./' > /etc/apt/sources.list.d/test.list")
    only = "-o Dir::Etc::SourceList=/etc/apt/sources.list.d/test.list -o Dir::Etc::SourceParts=-"
    note(machine.ask(f"runuser -u alice -- su -c 'apt-get {only} update && apt-get {only} install -y wow-surge' 2>&1").splitlines()[-1])
    for file in PACKAGE:
        expect(machine.ask(f"cat /{file} /run/wow/develop/upper/{file}") == f"{file}\n{file}", f"{file} is not with the module")
    about = json.loads(machine.ask("cat /run/wow/develop/about.json"))
    digests = [line.split()[4] for line in machine.ask("cat /run/layers/sys/stacks/A.conf").splitlines() if not line.startswith("#")]
    expect((about["name"], about["base"]["sha256"], about["stack"]) == ("surge", digests[0], digests), f"{about}")
    expect(machine.ask("stat -c %a /run/layers/home/modules") == "700", "others may look into the module")
    machine.refuses("touch /run/wow/develop/upper/mine")
    status = machine.ask("wow status; wow status --json")
    expect("stays in module surge, and no job runs here" in status and '"mode": {"name": "develop", "module": "surge"}' in status, status)
    upper = machine.ask("cd /run/wow/develop/upper && find . ! -type d | sort").splitlines()
    note(f"in the upper: {' '.join(upper)}")
    strays = [path for path in upper if f"{path}/".startswith(NO_PART)]
    expect(not strays, f"no part of a module: {strays}")
    published(machine)
    machine.leaves_by("boot release")


def published(machine):
    """What is in the module is its package, and nothing that the start itself wrote; the archive is a layer."""
    lines = machine.ask("wow module diff").splitlines()
    kept = {line[2:].partition(":")[0] for line in lines if ": kept: " in line and not line.endswith("a new folder")}
    expect(kept == {f"/{file}" for file in PACKAGE} | {f"/var/lib/dpkg/info/wow-surge.{end}" for end in ("list", "md5sums")}, "\n".join(lines))
    expect("nothing is in the way" in lines[-1], lines[-1])
    ini = "[module]\\nname = surge\\nversion = 1.0\\ndescription = Waves\\nlicence = MIT\\n"
    note(machine.ask(f"cd /root && printf '{ini}' > surge.ini && wow module publish surge.ini").splitlines()[0])
    archive = WORK / "developed-surge.tar"
    archive.write_bytes(base64.b64decode(machine.ask("base64 -w 0 /root/surge.tar")))
    run(LAYERS / "publish", "--base", PARTS / "base", "--node", PARTS / "layers/node.squashfs", archive, "-o", archive.with_suffix(".squashfs"))


def back(machine):
    """The usual start does not have it, and says what is in work."""
    machine.up()
    machine.refuses(SU)
    machine.refuses(f"test -e /{PACKAGE[0]} || dpkg -s wow-surge")
    row = machine.ask("runuser -u alice -- wow module list").splitlines()[-1].split()
    expect(row[:3] == ["surge", "in", "work"] and row[5:7] == ["no", "begun"], f"{row}")


@long_check
def a_module_goes_on_another_time_and_a_power_cut_then_leads_back_to_the_usual_start():
    machine = Developed("goes-on")
    try:
        machine.up()
        machine.leaves_by("module develop surge")
        machine.up()
        machine.ask("runuser -u alice -- su -c 'useradd --system surge && echo mine > /usr/bin/surge'")
        machine.leaves_by("boot develop surge")
        machine.up()
        # The people of pool.conf are there once, and whom a package would have made is there still.
        machine.ask("for name in alice surge wow-console wowjob1; do [ $(grep -c \"^$name:\" /etc/passwd) = 1 ]; done; [ -s /run/wow/pool.json ]")
        expect(machine.ask(SU) == "0" and machine.ask("cat /usr/bin/surge") == "mine", "it does not go on")
        machine.cut_power()
        machine.up()
        machine.refuses(f"{SU} || test -e /usr/bin/surge")
        expect("step=boot" not in machine.said(), machine.last())
    finally:
        machine.cut_power()
