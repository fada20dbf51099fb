"""What a course has: the tutorial, exercises in R and Octave, and a desktop in the browser, from one stack that the recipes make of Debian's packages; each
used as a person uses it, on the composed layers. Minutes, and Debian's archive: `run --long`."""

import os
import re
import subprocess
import sys
import time

import developed
from checks import expect, long_check, note, run
from composed import BASE, NODE, choosing, has, work
from courses import JOB, PEOPLE, Course
from places import IMAGE, OUT, PARTS, ROOT

sys.path.append(str(ROOT / "test/pages"))

import browser  # noqa: E402

MODULES = ("tutorial", "exercises", "desktop")
VOLUME, NEAR = 0.4119, 0.0015
"""Of the three balls' common part, and how exactly the exercises have it."""
HALF = 0.282
"""The move of the first ball that leaves half of it."""
NOVNC = "A VideoFrame was garbage collected without being closed"
"""Chromium's word on noVNC 1.6.0: core/util/browser.js tries H.264 with one picture of its own, and leaves it to the collector. That is once a page, and no part of
the desktop's stream; a second one would be a picture of the stream that nobody closed."""


def jobs(course, folder, name, count):
    """Runs what a submit file asks for, as HTCondor reads it, where the jobs' files are."""
    alice = PEOPLE["alice"]
    code, said = course.tell(alice, "sh", "-c", f"cd exercises/{folder} && condor_submit -dry-run - {name}.sub")
    expect(code == 0 and f"{count} job(s) dry-run" in said, said[-400:])
    has(said, 'stringListMember("exercises",WowModules)')
    program = re.search('^Cmd="(.*)"$', said, re.MULTILINE)[1]
    pairs = list(zip(re.findall('^Out="(.*)"$', said, re.MULTILINE), re.findall('^Args="(.*)"$', said, re.MULTILINE), strict=True))
    expect(len(set(pairs)) == count, f"{pairs}")
    lines = "".join(f"env -i {program} {words} > {out} 2> errors; test ! -s errors\n" for out, words in pairs)
    code, said = course.tell(alice, "sh", "-euc", f"cd exercises/{folder}\n{lines}")
    expect(code == 0, f"{said}{(course.machine.root / 'home/alice/exercises' / folder / 'errors').read_text()}")


def exercises(course):
    """Both, as their README says, with each job of theirs."""
    alice, home = PEOPLE["alice"], course.machine.root / "home/alice/exercises"
    expect(course.tell(alice, "cp", "-r", "/usr/share/wow/exercises", ".")[0] == 0, "they cannot be copied")
    jobs(course, "r", "volume", 20)
    code, said = course.tell(alice, "sh", "-c", "cd exercises/r && Rscript --vanilla plot.R volume.*.csv")
    expect(code == 0 and abs(float(re.search(r"^volume: (\S+)$", said, re.MULTILINE)[1]) - VOLUME) < NEAR, said)
    expect(-0.8 < float(re.search(r"power of (\S+);", said)[1]) < -0.2, said)
    drawn = (home / "r/volume.svg").read_text()
    expect(drawn.count("<path") > 20 and "</svg>" in drawn, "R draws nothing")
    jobs(course, "octave", "overlap", 12)
    code, said = course.tell(alice, "sh", "-c", "cd exercises/octave && octave-cli --norc summary.m overlap.*.csv")
    expect(code == 0 and abs(float(re.search(r"^ 0\.000 +(\S+)$", said, re.MULTILINE)[1]) - VOLUME) < NEAR, said)
    expect(abs(float(re.search(r"moved by (\S+)", said)[1]) - HALF) < NEAR, said)
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
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as login:
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
    code, said = course.ask(JOB, link, within=4)
    expect(code != 0 and "RFB" not in said, f"a job: {said}")


def refusals(course):
    """Each with a sentence."""
    alice, bob = PEOPLE.values()
    for uid, words, wrong in ((0, (), "root gets no desktop"), (JOB, (), "gets no desktop"), (alice, ("stop",), "no desktop of yours runs"),
                              (alice, ("--size", "12x1"), "write it like 1280x800"), (alice, ("--port", "80"), "ports below 1024"),
                              (alice, ("--port", "99999"), "is no port")):
        code, said = course.tell(uid, "wow-desktop", *words)
        expect(code != 0 and wrong in said and "Traceback" not in said, f"{uid} {words}: {code} {said}")
    listens = "import socket, time; s = socket.create_server(('127.0.0.1', 6080)); print('ready', flush=True); time.sleep(900)"
    listener = subprocess.Popen(course.command(bob, "python3", "-c", listens), stdout=subprocess.PIPE)
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


def wrong(complaints):
    """Of what the browser wrote as errors, all but what is no fault of the desktop's: files that noVNC asks for and does not need, and NOVNC once."""
    first = next((one for one in complaints if one.startswith(NOVNC)), None)
    left = [one for one in complaints if "favicon" not in one and "404" not in one]
    if first in left:
        left.remove(first)
    return left


def looked(course):
    """A real browser opens the link, types in the desktop's terminal, and has a plot shown. The picture stays: modules/desktop/desktop.png is one of these."""
    alice = PEOPLE["alice"]
    modules = browser.install()
    with course.login(alice) as (_, link):
        page = browser.Browser(course.within, modules)
        try:
            page.begin(width=1200, height=720)
            expect(page.open(url=link) == 200, "the page is not there")
            page.connected()
            home = course.machine.root / "home/alice"

            def typed(line, file):
                page.type(text=line + "\n")
                time.sleep(1)
                return (home / file).exists()
            # Into the terminal that the desktop begins with; until it is there, what is typed goes nowhere.
            course.wait_until(lambda: page.click(x=300, y=200) or typed("touch there", "there"), "what is typed does not reach the terminal")
            typed("clear; cd exercises/r; head -3 balls.txt; rm -f volume.svg", ".")
            typed("Rscript --vanilla plot.R volume.*.csv; pwd > ~/typed", "typed")
            course.wait_until((home / "typed").exists, "R does not end in the terminal")
            right = (home / "typed").read_text() == "/home/alice/exercises/r\n" and (home / "exercises/r/volume.svg").exists()
            expect(right, "what is typed is not what the terminal gets")
            few = page.picture(least=20)
            page.type(text="gpicview volume.svg &\n")
            course.wait_until(lambda: any(one.startswith("gpicview") for one in course.left()), "the picture is not shown")
            time.sleep(3)
            colours = page.picture(least=few + 100)
            (OUT / "test").mkdir(exist_ok=True)
            page.shot(path=str(OUT / "test/desktop.png"))
            note(f"the desktop in Chromium has {colours} colours")
            expect(not (said := wrong(page.complaints())), f"the browser complains: {said}")
        finally:
            page.close()


def alone(folder, layers):
    """The desktop without the other two, as a machine stacks it whose pool.conf chooses that. layers: [modules, the glue], as MODULES."""
    alice = PEOPLE["alice"]
    with choosing(folder, layers[-1], dict(zip(MODULES, layers)), "desktop") as machine:
        expect(machine is not None, "the glue has no part for the desktop alone")
        expect(machine.run("dpkg", "--audit") == "", "dpkg finds fault")
        machine.run("apt-get", "check")
        known = machine.run("dpkg-query", "--show", "--showformat", "${Package}\n").split()
        expect("pcmanfm" in known and "r-base-core" not in known, f"dpkg knows {known}")
        for path in ("usr/share/mime/mime.cache", "usr/share/glib-2.0/schemas/gschemas.compiled", "usr/share/icons/hicolor/icon-theme.cache",
                     "usr/lib/x86_64-linux-gnu/gdk-pixbuf-2.0/2.10.0/loaders.cache"):
            expect((machine.root / path).exists(), f"/{path} is not there")
        # An alternative, whose links lead from the root; readlink fails where the last of them leads nowhere.
        machine.run("readlink", "-e", "/usr/bin/x-terminal-emulator")
        course = Course(machine)
        try:
            with course.login(alice) as (process, link):
                expect(course.ask(alice, link)[0] == 0, "it is not there")
                expect(course.tell(alice, "wow-desktop", "stop")[0] == 0 and process.wait(20) == 0, "it does not stop")
        finally:
            course.close()


@long_check
def a_course_has_the_tutorial_exercises_and_a_desktop_from_one_stack():
    folder = work("course")
    said = run(IMAGE / "stack", "--update", "-o", folder / "stack", "--parts", PARTS, *(ROOT / "modules" / name for name in MODULES))
    has(said, "3 modules")
    rows = [line.split() for line in (folder / "stack/stack").read_text().splitlines()]
    note("; ".join(f"{row[1]} {int(row[2]) / 1e6:.1f} MB" for row in rows if len(row) == 4))
    expect([row[1] for row in rows if row[0] == "module"] == list(MODULES), f"{rows}")
    layers = [folder / "stack" / row[3] for row in rows if len(row) == 4]
    alone(folder, layers)
    with developed.machine(BASE, NODE, *layers) as machine:
        expect(machine.run("dpkg", "--audit") == "", "dpkg finds fault")
        machine.run("apt-get", "check")
        units = machine.run("find", "/etc/systemd", "-name", "*gpg*", "-o", "-name", "*dbus*", "-o", "-name", "*vnc*")
        expect(units == "", f"started by itself: {units}")
        course = Course(machine)
        try:
            exercises(course)
            course.fence()
            desktop(course)
            refusals(course)
            looked(course)
        finally:
            course.close()
