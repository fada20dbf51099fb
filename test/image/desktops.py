"""What a course has: the tutorial, exercises in R and Octave, and a desktop in the browser, from one stack that the recipes make of Debian's packages; each used as a person
uses it, on the composed layers. Minutes, and Debian's archive: `run --long`."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import developed
from checks import expect, long_check, note, run
from composed import BASE, NODE, has, work
from places import IMAGE, PARTS, ROOT

sys.path += [str(ROOT / "test/pages"), str(ROOT / "appliance/node/root/usr/lib/wow/node")]

import browser  # noqa: E402

from wow.lib import paths  # noqa: E402
from wow.seal import slots  # noqa: E402

MODULES = ("tutorial", "exercises", "desktop")
PEOPLE = {"alice": 1000, "bob": 1001}
JOB = paths.FIRST_JOB_UID
VOLUME, NEAR = 0.4119, 0.0015
"""Of the three balls' common part, and how exactly the exercises have it."""
BEGINS = 40
"""Seconds in which a desktop is there, on a busy machine."""
ASK = """
import base64, os, socket, sys
path, host = sys.argv[2], sys.argv[3]
to = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
to.sendall(f"GET {path} HTTP/1.1\\r\\nHost: {host}\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Version: 13\\r\\n"
           f"Sec-WebSocket-Protocol: binary\\r\\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\\r\\n\\r\\n".encode())
read = to.makefile("rb")
head = b""
while not head.endswith(b"\\r\\n\\r\\n"):
    one = read.read(1)
    if not one:
        sys.exit("nothing: " + head.decode())
    head += one
if b" 101 " not in head.split(b"\\r\\n")[0]:
    sys.exit("no socket: " + head.decode())
kept = b""
def got(count):
    global kept
    while len(kept) < count:
        first, length = read.read(2)
        length = int.from_bytes(read.read(2), "big") if length == 126 else length
        data = read.read(length)
        if first & 15 == 8:
            sys.exit("closed")
        kept += data if first & 15 == 2 else b""
    data, kept = kept[:count], kept[count:]
    return data
def put(data):
    mask = os.urandom(4)
    to.sendall(bytes([0x82, 0x80 | len(data)]) + mask + bytes(one ^ mask[at % 4] for at, one in enumerate(data)))
version = got(12)
put(version)
kinds = got(got(1)[0])
put(kinds[:1])
result = int.from_bytes(got(4), "big")
put(b"\\x01")
size = got(4)
got(16)
name = got(int.from_bytes(got(4), "big"))
print(version.decode().strip(), list(kinds), result, int.from_bytes(size[:2], "big"), int.from_bytes(size[2:], "big"), name.decode())
"""
"""Who speaks VNC (RFC 6143) through a WebSocket (RFC 6455): port, path, host. Prints the version, the kinds of authentication, the result, the screen."""


class Course:
    """A machine over the stack's layers with a network of its own, in which alice and bob may log in; `tell` runs something as somebody."""

    def __init__(self, machine):
        self.machine = machine
        self.space = subprocess.Popen(["unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec sleep 100000"], stdout=subprocess.PIPE)
        expect(self.space.stdout.readline() == b"ready\n", "there is no network")
        self.within = ["nsenter", f"--net=/proc/{self.space.pid}/ns/net"]
        self.logins = []
        root = machine.root
        for name, uid in PEOPLE.items():
            with open(root / "etc/passwd", "a", encoding="ascii") as file:
                file.write(f"{name}:x:{uid}:{uid}::/home/{name}:/bin/bash\n")
            with open(root / "etc/group", "a", encoding="ascii") as file:
                file.write(f"{name}:x:{uid}:\n")
            (root / "home" / name).mkdir(mode=0o700)
            os.chown(root / "home" / name, uid, uid)
        with open(root / "etc/passwd", "a", encoding="ascii") as file:
            file.write(f"wowjob1:x:{JOB}:{JOB}:a job of the pool:/nonexistent:/usr/sbin/nologin\n")
        # As every start of a machine does.
        machine.run("systemd-tmpfiles", "--create", "--prefix=/tmp")
        (root / "dev/pts").mkdir()
        machine.mount(root / "dev/pts", "-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620", "devpts")
        (root / "dev/ptmx").symlink_to("pts/ptmx")
        os.mknod(root / "dev/tty", 0o20666, os.makedev(5, 0))
        (root / "dev/tty").chmod(0o666)
        (root / "dev/shm").mkdir()
        (root / "dev/shm").chmod(0o1777)

    def command(self, uid, *words):
        """The words as this person's login has them."""
        home = next((f"/home/{name}" for name, number in PEOPLE.items() if number == uid), "/tmp")
        return [*self.within, "chroot", f"--userspec={uid}:{uid}", str(self.machine.root), "env", "-i", f"HOME={home}", "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
                "SSH_CONNECTION=192.0.2.50 50000 192.0.2.11 22", "sh", "-c", 'cd "$HOME"; exec "$@"', "sh", *map(str, words)]

    def tell(self, uid, *words):
        """How it ended, and all that it said."""
        done = subprocess.run(self.command(uid, *words), capture_output=True, text=True, check=False, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def ask(self, uid, link, token=None):
        """Speaks VNC with the desktop of a link, as an account."""
        port, own = re.search(r"localhost:([0-9]+)/.*token%3D([\w-]+)", link).groups()
        return self.tell(uid, "timeout", "20", "/usr/bin/python3", "-c", ASK, port, f"/websockify?token={own if token is None else token}", f"localhost:{port}")

    @contextlib.contextmanager
    def login(self, uid, *words):
        """A login in which wow-desktop runs: its process, and the line to open."""
        process = subprocess.Popen(self.command(uid, "wow-desktop", *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.logins.append(process)
        said = ""
        try:
            for line in process.stdout:
                said += line
                if line.strip().startswith("http://"):
                    break
            expect("token" in said, f"the desktop does not start: {said}")
            yield process, said.split()[-1]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
            process.stdout.close()

    def close(self):
        """Ends all."""
        for login in self.logins:
            if login.poll() is None:
                login.kill()
                login.wait()
        self.space.kill()
        self.space.wait()
        self.space.stdout.close()
        self.machine.run("sh", "-c", "rm -rf /tmp/wow-desktop-*")

    def left(self):
        """Who runs still, beside the network."""
        found = []
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(place / "root") == str(self.machine.root):
                    found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return found

    def wait_until(self, happened, what):
        """Or says what did not happen."""
        until = time.monotonic() + BEGINS
        while not happened():
            expect(time.monotonic() < until, what)
            time.sleep(0.2)


def exercises(course):
    """Both, as their README says, without HTCondor: what its submit files name is what runs here."""
    alice = PEOPLE["alice"]
    code, said = course.tell(alice, "sh", "-euc", "cp -r /usr/share/wow/exercises . && cd exercises/r && while read samples seed; do"
                             " env -i Rscript --vanilla volume.R balls.txt $seed $samples > volume.$samples.$seed.csv; done < sweep.txt && Rscript --vanilla plot.R volume.*.csv")
    expect(code == 0, said)
    expect(abs(float(re.search(r"^volume: (\S+)$", said, re.MULTILINE)[1]) - VOLUME) < NEAR, said)
    expect(-0.8 < float(re.search(r"power of (\S+);", said)[1]) < -0.2, said)
    home = course.machine.root / "home/alice/exercises"
    drawn = (home / "r/volume.svg").read_text()
    expect(drawn.count("<path") > 20 and "</svg>" in drawn, "R draws nothing")
    moves = re.search(r"^queue move in \((.*)\)$", (home / "octave/overlap.sub").read_text(), re.MULTILINE)[1].replace(",", "")
    code, said = course.tell(alice, "sh", "-euc", f"cd exercises/octave && for move in {moves}; do"
                             " env -i octave-cli --norc --no-history overlap.m balls.txt $move 80 > overlap.$move.csv; done && octave-cli --norc summary.m overlap.*.csv")
    expect(code == 0, said)
    expect(abs(float(re.search(r"^ 0\.000 +(\S+)$", said, re.MULTILINE)[1]) - VOLUME) < NEAR, said)
    expect(0.1 < float(re.search(r"moved by (\S+)", said)[1]) < 0.5, said)
    has((home / "octave/overlap.svg").read_text(), "half of it at")
    # What is wrong is said in words.
    for words, wrong in ((("Rscript", "--vanilla", "exercises/r/volume.R", "none", "1", "10"), "is it in transfer_input_files?"),
                         (("Rscript", "--vanilla", "exercises/r/plot.R", "none"), "have all jobs ended?"),
                         (("octave-cli", "--norc", "exercises/octave/overlap.m", "none", "0", "10"), "is it in transfer_input_files?"),
                         (("octave-cli", "--norc", "exercises/octave/summary.m", "a", "b", "c"), "have all jobs ended?")):
        code, said = course.tell(alice, *words)
        expect(code != 0 and wrong in said, f"{words}: {code} {said}")


def desktop(course):
    """alice's: she has it, nobody else does, and it is gone when it shall be."""
    alice, bob = PEOPLE.values()
    with course.login(alice) as (process, link):
        expect(link.startswith("http://localhost:6080/"), link)
        code, said = course.ask(alice, link)
        expect((code, said) == (0, f"RFB 003.008 [1] 0 1280 800 alice on {os.uname().nodename}\n"), f"{code} {said}")
        code, said = course.tell(alice, "python3", "-c", "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:6080/vnc.html').read().decode())")
        expect(code == 0 and "noVNC" in said, said)
        secret(course, bob, link)
        again = course.tell(alice, "wow-desktop")
        expect(again[0] == 0 and "runs here already" in again[1] and link in again[1], f"{again}")
        with course.login(bob) as (_, other):
            expect(":6081/" in other and course.ask(bob, other)[0] == 0, f"bob's: {other}")
            expect(course.tell(alice, "wow-desktop", "stop")[0] == 0 and process.wait(20) == 0, "it does not stop")
            expect(course.ask(alice, link)[0] != 0, "it is there still")
            expect(course.ask(bob, other)[0] == 0, "bob's went with alice's")
    course.wait_until(lambda: not course.left(), f"left: {course.left()}")
    # Killed, it takes its programs along; so does a login that is over, without a terminal, too.
    for kill in ("process", "login"):
        words = course.command(alice, "sh", "-c", "wow-desktop; :")
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as login:
            link = next(line for line in login.stdout if line.strip().startswith("http://"))
            expect(course.ask(alice, link)[0] == 0, f"it is not there after {kill}")
            if kill == "login":
                login.kill()
            else:
                expect(course.tell(alice, "sh", "-c", "kill -9 $(cat /tmp/wow-desktop-1000/lock)")[0] == 0, "there is no process")
            course.wait_until(lambda: not course.left(), f"left: {course.left()}")


def secret(course, bob, link):
    """What somebody else of the machine, and a job, try."""
    for token in ("", "x", "../vnc", "."):
        code, said = course.ask(bob, link, token)
        expect(code != 0 and "RFB" not in said, f"bob with the token {token!r}: {said}")
    token = re.search(r"token%3D([\w-]+)", link)[1]
    code, said = course.tell(bob, "sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/net/unix; ls -R /tmp; curl -s http://127.0.0.1:6080/ || :")
    expect(token not in said, "the secret is seen by everybody")
    expect("vnc" in said, "bob sees nothing at all")
    for path in ("vnc", "doors", "authority", "link", "lock"):
        expect(course.tell(bob, "ls", f"/tmp/wow-desktop-1000/{path}")[0] != 0, f"bob sees {path}")
    # Without the X server's own secret nobody is let in there, either.
    code, said = course.tell(bob, "sh", "-c", "DISPLAY=:$(ls /tmp/.X11-unix | tr -d X) timeout 10 xterm -e true")
    expect(code != 0 and re.search("[Aa]uthori", said), f"bob at the X server: {code} {said}")
    heard = course.tell(0, "sh", "-c", "cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6")[1]
    listening = [line.split()[1] for line in heard.splitlines() if line.split()[3:4] == ["0A"]]
    expect(listening == ["0100007F:17C0"], f"who listens: {listening}")
    code, said = course.ask(JOB, link)
    expect(code != 0 and "RFB" not in said, f"a job: {said}")


def fenced(course):
    """Loads the fence's own rules for the loopback, as they stand on each machine."""
    chains = "".join(f"  chain {name} {{\n" + "".join(f"    {rule}\n" for rule in rules) + "  }\n" for name, rules in slots.chains())
    rules = "".join(f"    {rule}\n" for rule in slots.loopback())
    text = f"table inet wow {{\n{slots.sets()}{chains}  chain output {{\n    type filter hook output priority filter; policy accept;\n{rules}  }}\n}}\n"
    run(*course.within, "sysctl", "-qw", "net.ipv4.tcp_fwmark_accept=1")
    subprocess.run([*course.within, "nft", "-f", "-"], input=text, text=True, check=True)


def refusals(course):
    """Each with a sentence."""
    alice, bob = PEOPLE.values()
    for uid, words, wrong in ((0, (), "root gets no desktop"), (JOB, (), "gets no desktop"), (alice, ("stop",), "no desktop of yours runs"),
                              (alice, ("--size", "12x1"), "write it like 1280x800"), (alice, ("--port", "80"), "ports below 1024"),
                              (alice, ("--port", "99999"), "is no port")):
        code, said = course.tell(uid, "wow-desktop", *words)
        expect(code != 0 and wrong in said and "Traceback" not in said, f"{uid} {words}: {code} {said}")
    listener = subprocess.Popen(course.command(bob, "python3", "-c", "import socket, time; s = socket.create_server(('127.0.0.1', 6080)); print('ready', flush=True); time.sleep(900)"),
                                stdout=subprocess.PIPE)
    try:
        expect(listener.stdout.readline() == b"ready\n", "nobody listens")
        code, said = course.tell(alice, "wow-desktop", "--port", "6080")
        expect(code == 1 and "somebody listens there already" in said, said)
        with course.login(alice) as (_, link):
            expect(":6081/" in link, link)
    finally:
        listener.kill()
        listener.wait()
        listener.stdout.close()
    expect(course.tell(bob, "sh", "-c", "rm -rf /tmp/wow-desktop-1001; ln -s /tmp /tmp/wow-desktop-1001")[0] == 0, "there is no link")
    code, said = course.tell(bob, "wow-desktop")
    expect(code == 1 and "not a folder of yours alone" in said, said)
    course.tell(bob, "rm", "/tmp/wow-desktop-1001")
    # A full home.
    home = course.machine.root / "home/bob"
    course.machine.mount(home, "-t", "tmpfs", "-o", "size=64k,uid=1001,gid=1001,mode=700", "full")
    course.tell(bob, "sh", "-c", "cat /dev/zero > full")
    with course.login(bob) as (process, link):
        expect(course.ask(bob, link)[0] == 0, "with a full home there is no desktop")
        course.tell(bob, "wow-desktop", "stop")
        process.wait(20)


def looked(course, folder):
    """A real browser opens the link: the window manager's bar, a terminal in which is typed, the editor; the picture."""
    alice = PEOPLE["alice"]
    modules = browser.install()
    with course.login(alice) as (_, link):
        page = browser.Browser(course.within, modules)
        try:
            page.begin(width=1000, height=640)
            expect(page.open(url=link) == 200, "the page is not there")
            # The bar at the bottom has few colours, a terminal's letters have many.
            course.wait_until(lambda: any(one.startswith("bash") or one == "/bin/bash " for one in course.left()), f"there is no terminal: {course.left()}")
            page.connected()
            note(f"the desktop as it begins has {page.picture(least=20)} colours")
            # Into the terminal that the desktop begins with.
            page.click(x=300, y=200)
            for line in ("cd exercises/r; head -3 balls.txt", "Rscript --vanilla plot.R volume.*.csv; touch ~/typed"):
                page.type(text=line + "\n")
            course.wait_until((course.machine.root / "home/alice/typed").exists, "what is typed does not reach the terminal")
            page.type(text="gpicview volume.svg &\n")
            time.sleep(4)
            colours = page.picture(least=100)
            page.shot(path=str(folder / "desktop.png"))
            note(f"the desktop in Chromium has {colours} colours")
            expect([one for one in page.complaints() if "favicon" not in one and "404" not in one] == [], f"the browser complains: {page.complaints()}")
        finally:
            page.close()


@long_check
def a_course_has_the_tutorial_exercises_and_a_desktop_from_one_stack():
    folder = work("course")
    said = run(IMAGE / "stack", "-o", folder / "stack", "--parts", PARTS, *(ROOT / "modules" / name for name in MODULES))
    has(said, "3 modules")
    rows = [line.split() for line in (folder / "stack/stack").read_text().splitlines()]
    note("; ".join(f"{row[1]} {int(row[2]) / 1e6:.1f} MB" for row in rows if len(row) == 4))
    expect([row[1] for row in rows if row[0] == "module"] == list(MODULES), f"{rows}")
    layers = [folder / "stack" / row[3] for row in rows if len(row) == 4]
    with developed.machine(BASE, NODE, *layers) as machine:
        expect(machine.run("dpkg", "--audit") == "", "dpkg finds fault")
        machine.run("apt-get", "check")
        units = machine.run("find", "/etc/systemd", "-name", "*gpg*", "-o", "-name", "*dbus*", "-o", "-name", "*vnc*")
        expect(units == "", f"started by itself: {units}")
        course = Course(machine)
        try:
            exercises(course)
            fenced(course)
            desktop(course)
            refusals(course)
            looked(course, folder)
        finally:
            course.close()


