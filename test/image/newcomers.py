"""A machine that was given no pool.conf: its screen says what to do and where its web page is, that takes one, and it starts again with it, and keeps it."""

import contextlib
import os
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request

import rootshell
from checks import Start, expect, note
from developing import RUNTIME, Shelled
from machine import UNTIL_HOME
from places import OUT, POOL_CONF, WORK
from qmp import Qmp
from screen import Screen

TICKET = "t1:hushhush"
CODE = re.compile(r"code for the web page is ([0-9A-Z]{5}-[0-9A-Z]{5})")
FIELD = "--X\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n"


class Page:
    """The page by a port of this computer that leads there, as VirtualBox's does."""

    def __init__(self, port):
        self._url = f"http://127.0.0.1:{port}/"
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def ask(self, path="", body=None, kind="application/x-www-form-urlencoded"):
        """(status, text)"""
        request = urllib.request.Request(self._url + path, body and body.encode(), {"Content-Type": kind} if body else {})
        try:
            with self._opener.open(request, timeout=UNTIL_HOME) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def login(self, code, sees="no pool yet"):
        """Logs in; the key of its forms. sees: words of the page that follows."""
        status, text = self.ask("login", urllib.parse.urlencode({"code": code}))
        expect(status == 200 and sees in text, f"it does not let in: {status} {text}")
        return text.partition('name="key" value="')[2].partition('"')[0]

    def join(self, **form):
        """Sends the form as browsers do, whose lines end with CRLF."""
        body = "".join(FIELD.format(name, value.replace("\n", "\r\n")) for name, value in form.items()) + "--X--\r\n"
        return self.ask("join", body, "multipart/form-data; boundary=X")


def free_port():
    """A port of this computer that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def shown(qmp, pattern, seconds=UNTIL_HOME):
    """What the screen shows at last that a pattern finds."""
    screen = Screen(lambda: contextlib.nullcontext(qmp), WORK)
    limit = time.monotonic() + seconds
    while not (found := re.search(pattern, text := screen.text())):
        expect(time.monotonic() < limit, f"the screen does not show {pattern}:\n{text}")
        time.sleep(1)
    return found


class Newcomer(Shelled):
    """A machine that was given no pool.conf, at whose screen somebody sits, with a port of this computer that leads to its web page."""

    def __init__(self):
        super().__init__("newcomer", OUT / "wow.qcow2")
        self.port, self.control = free_port(), WORK / "newcomer.qmp"
        self.began = time.monotonic()

    def on(self):
        """Switches it on."""
        os.makedirs(RUNTIME, exist_ok=True)
        self.control.unlink(missing_ok=True)
        return self.start("-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:80", "-device", "virtio-net-pci,netdev=net,romfile=",
                          "-qmp", f"unix:{self.control},server=on,wait=off", *rootshell.options(self.name))

    def qmp(self):
        """A connection to its QEMU."""
        return Qmp(str(self.control))


START = Start(lambda: Newcomer().on())


@START.long_check
def the_screen_says_how_to_come_into_a_pool(machine):
    machine.wait_for("login:", UNTIL_HOME * 2)
    words = ("this machine has no pool yet", "pool.conf: is missing", "Attach the disk labelled WOWCFG", "Q switch off")
    with machine.qmp() as qmp:
        shown(qmp, "(?s)" + "".join(f"(?=.*{re.escape(each)})" for each in words))


@START.long_check
def a_machine_without_a_pool_is_given_one_by_its_web_page_starts_again_with_it_and_with_its_ticket(machine):
    page = Page(machine.port)
    machine.wait_for("login:", UNTIL_HOME * 2)
    with machine.qmp() as qmp:
        shown(qmp, "web +http://10[.]0[.]2[.]15 takes the pool[.]conf")
        qmp.ask("send-key", keys=[{"type": "qcode", "data": "n"}])
        key = page.login(shown(qmp, CODE)[1])
        status, text = page.join(key=key, text=POOL_CONF + "colour = red\n")
        expect(status == 400 and "[pool] colour" in text and f"line {POOL_CONF.count(chr(10)) + 1}" in text, f"{status} {text}")
        status, text = page.join(key=key, text=POOL_CONF, ticket=TICKET)
        expect(status == 200 and "It joins its pool" in text, f"{status} {text}")
    machine.ends()
    note(f"taken after {time.monotonic() - machine.began:.0f} s")
    expect('pool=demo role=worker source="the web page" next="starting again"' in machine.said() and "reboot: Restarting system" in machine.said(), machine.last())
    machine.on()
    machine.wait_for("pool=demo role=worker subnet=10.128.0.0/16", UNTIL_HOME * 2)
    expect("looks for a disk or CD" not in machine.said(), "it looks for a configuration disk")
    note(f"in its pool's start after {time.monotonic() - machine.began:.0f} s")
    expect(machine.ask("cat /run/layers/home/state/pool.conf /run/layers/home/state/ticket") == f"{POOL_CONF}{TICKET}", "another file is kept, or no ticket")
    expect("hush" not in machine.said(), "the ticket is told")
