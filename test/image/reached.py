"""A desktop as a person has it who runs the machine at home: a real machine behind a NAT that forwards VirtualBox's port, and what `wow-desktop` tells to type and
open, typed and opened on the computer outside. Debian's archive is needed, as desktops.py says."""

import hashlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import configdisk
from checks import expect, long_check, note, run
from desktops import wrong
from machine import UNTIL_HOME, Machine
from places import IMAGE, OUT, PARTS, POOL_CONF, ROOT, WORK

sys.path.append(str(ROOT / "test/pages"))

import browser  # noqa: E402

CARD = ("-smbios", "type=1,product=VirtualBox", "-netdev", "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:4422-:22", "-device", "virtio-net-pci,netdev=net,romfile=")
"""As VirtualBox's NAT with what our OVA has forwarded."""
SSH = "BatchMode yes\nStrictHostKeyChecking accept-new\nLogLevel ERROR\nServerAliveInterval 15\nConnectTimeout 30\n"
"""What a person has settled with ssh before: here it asks nothing, and has keys and known hosts of its own."""
FIRST = "ssh -p 4422 alice@127.0.0.1"
"""As docs/scientist.md says it."""
AGAIN = re.compile(r"^ +(ssh -L \S+ -p 4422 alice@127[.]0[.]0[.]1)\r?$", re.MULTILINE)
LINK = re.compile(r"^ +(http://localhost:\S+)\r?$", re.MULTILINE)
SLOW = 240
"""Seconds for what takes one where nothing is emulated."""


def layer(folder):
    """The module's layer, made of its recipe."""
    run(IMAGE / "stack", "--update", "-o", folder / "stack", "--parts", PARTS, ROOT / "modules/desktop")
    row, = (line.split() for line in (folder / "stack/stack").read_text().splitlines() if line.startswith("module desktop "))
    return folder / "stack" / row[3]


def home(folder, made):
    """A home's disk on which the pool's stack with the module lies, as wow-stack leaves it."""
    tree, disk, digest = folder / "home", folder / "home.raw", hashlib.sha256(made.read_bytes()).hexdigest()
    for name in ("home", "state", "stacks", "layers"):
        (tree / name).mkdir(parents=True)
    shutil.copyfile(made, tree / "layers" / digest)
    own = "".join(line + "\n" for line in (PARTS / "A.conf").read_text().splitlines() if line.startswith(("base ", "node ")))
    (tree / "stacks/next").write_text(f"# stack 21\n{own}module desktop {digest} {made.stat().st_size} {digest}\n")
    run("mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-L", "WOWHOME", "-d", tree, disk, "2G")
    shutil.rmtree(tree)
    return disk


class Reached(Machine):
    """alice's machine, and the computer that it runs on, a network of its own, in which 4422 is free."""

    def __init__(self, folder):
        super().__init__("reached", OUT / "wow.qcow2")
        self._key, self._settings = folder / "key", folder / "ssh"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._key)
        self._settings.write_text(f"{SSH}IdentityFile {self._key}\nUserKnownHostsFile {folder}/known\n")
        place = folder / "config"
        place.mkdir()
        (place / "pool.conf").write_text(f"{POOL_CONF}[user:alice]\nauthorized-key = {self._key.with_suffix('.pub').read_text().strip()}\n")
        self.config = folder / "config.img"
        configdisk.make(self.config, configdisk.entries_of(place))
        self._space = subprocess.Popen(["unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec sleep 100000"], stdout=subprocess.PIPE)
        expect(self._space.stdout.readline() == b"ready\n", "there is no network")
        self.outside = ["nsenter", f"--net=/proc/{self._space.pid}/ns/net"]

    def run(self, serial, *command):
        """Switches on, on that computer."""
        return super().run(serial, *self.outside, *command)

    def words(self, line):
        """A line that somebody types there, with what is settled with ssh."""
        program, *rest = shlex.split(line)
        expect(program == "ssh", line)
        return [*self.outside, program, "-F", str(self._settings), *rest]

    def tell(self, line, *script, fails=False):
        """What an ssh command line's script says."""
        done = subprocess.run([*self.words(line), *script], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=SLOW)
        expect((done.returncode != 0) == fails, f"{line} {script} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def login(self, line, *script):
        """A login by an ssh command line, at a terminal, that stays."""
        return subprocess.Popen([*self.words(line), "-tt", *script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def close(self):
        """Ends all."""
        self.cut_power()
        self._space.kill()
        self._space.wait()
        self._space.stdout.close()


def until(happened, what):
    """Waits for a truth."""
    limit = time.monotonic() + SLOW
    while not (found := happened()):
        expect(time.monotonic() < limit, what)
        time.sleep(1)
    return found


def answers(machine):
    """Whether sshd lets alice in."""
    return subprocess.run([*machine.words(FIRST), "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=SLOW).returncode == 0


def fetches(machine, link):
    """Whether the page of a link is there on the computer outside."""
    asked = ("curl", "--silent", "--fail", "--output", "/dev/null", "--max-time", str(SLOW), link.partition("#")[0])
    return subprocess.run([*machine.outside, *asked], check=False).returncode == 0


def told(login):
    """What wow-desktop says, as far as the line to open."""
    said = ""
    for line in login.stdout:
        said += line
        if LINK.search(said):
            break
    again, link = AGAIN.search(said), LINK.search(said)
    expect(again and link, f"the desktop does not tell how it is reached: {said}")
    return again[1], link[1]


def used(machine, page, link):
    """Opens the link, and types in the desktop's terminal."""
    page.begin(width=1200, height=720)
    expect(page.open(url=link) == 200, "the page is not there")
    page.connected()
    page.picture(least=20)

    def there():
        page.click(x=300, y=200)
        page.type(text="touch typed\n")
        return "typed" in machine.tell(FIRST, "ls")
    until(there, "what is typed does not reach the terminal")
    expect(not (said := wrong(page.complaints())), f"the browser complains: {said}")


@long_check
def a_desktop_in_a_machine_behind_a_nat_is_reached_from_outside_by_what_wow_desktop_tells_to_type_and_open():
    modules = browser.install()
    folder = WORK / "reached"
    folder.mkdir()
    disk = home(folder, layer(folder))
    machine, logins, page = Reached(folder), [], None
    try:
        began = time.monotonic()
        # In this order: the firmware starts the first.
        machine.start(*CARD, *(word for more in (disk, machine.config) for word in ("-drive", f"if=virtio,file={more},format=raw,snapshot=on")))
        machine.wait_for("pool=demo role=worker", UNTIL_HOME * 4)
        until(lambda: answers(machine), "sshd does not let alice in")
        note(f"alice is in after {time.monotonic() - began:.0f} s")
        logins.append(machine.login(FIRST, "wow-desktop"))
        again, link = told(logins[0])
        # The desktop is none of theirs who did not log in.
        expect(not fetches(machine, link), "it is there without ssh")
        logins.append(machine.login(again))
        until(lambda: fetches(machine, link), "the login leads to no desktop")
        page = browser.Browser(machine.outside, modules)
        used(machine, page, link)
        note(f"the desktop in Chromium took what was typed after {time.monotonic() - began:.0f} s")
        machine.tell(FIRST, "wow-desktop", "stop")
        logins[0].wait(SLOW)
        expect("no desktop of yours runs" in machine.tell(FIRST, "wow-desktop", "stop", fails=True), "it runs still")
    finally:
        if page:
            page.close()
        for login in logins:
            login.kill()
            login.communicate()
        machine.close()
