"""A root shell in a guest for tests: whoever owns the hypervisor owns the guest anyway, so the image needs no door for it.

systemd takes units from SMBIOS strings (systemd.system-credentials(7)): one runs a shell on a virtio port, whose other end is a socket here.
"""

import base64
import os
import secrets
import socket

import steal
from cleanup import RUNTIME
from shell import LabError

GREETING = 5
"""Seconds between two greetings."""

_ASKED = "/run/wow-lab-asked"
"""A file in the guest that says that somebody has asked before."""

_UNIT = """[Unit]
DefaultDependencies=no
StartLimitIntervalSec=0
[Service]
ExecStart=/bin/sh -c 'while :; do set -- /dev/vport*p1; [ ! -e "$1" ] || /bin/sh <>"$1" >&0 2>&1; [ -e %s ] && sleep 2 || sleep 15; done'
"""
# The shell ends when the other end of the port is closed; systemd would give up on a unit that starts anew so often. Until the first
# question it looks seldom: every look takes two programs' start from the guest's own boot.
_WANTED = "[Unit]\nWants=wow-lab.service\n"


def _credential(name, text):
    value = base64.b64encode(text.encode()).decode()
    return ("-smbios", f"type=11,value=io.systemd.credential.binary:{name}={value}")


def path(name):
    """The socket of a machine's shell."""
    return os.path.join(RUNTIME, name + ".root")


_BUS = {"driver": "virtio-serial-pci", "id": "shells"}
_PORT = {"driver": "virtserialport", "chardev": "root", "nr": 1}
_SLOT = "late"


def _device(fields):
    """As QEMU's command line has a device."""
    return "-device", ",".join([fields["driver"], *(f"{key}={value}" for key, value in fields.items() if key != "driver")])


def _ready(name):
    """All but the port."""
    return (*_credential("systemd.extra-unit.wow-lab.service", _UNIT % _ASKED), *_credential("systemd.unit-dropin.sysinit.target", _WANTED),
            "-chardev", f"socket,id=root,path={path(name)},server=on,wait=off")


def options(name):
    """QEMU options that give the named machine its shell."""
    return *_ready(name), *_device(_BUS), *_device(_PORT)


def late(name):
    """The same of a machine that gets the port when it is needed (plug). The guest's kernel keeps 8 MiB of buffers for one, which no volunteer's machine has."""
    return *_ready(name), *_device({"driver": "pcie-root-port", "id": _SLOT})


def plug(qmp):
    """Gives a machine that has late's options its port; its shell is there within 15 s. LabError where it has one."""
    qmp.ask("device_add", **_BUS, bus=_SLOT)
    qmp.ask("device_add", **_PORT)


def ask(name, script, timeout=60):
    """Runs a script as root in a machine; returns (exit code, output)."""
    mark = "done-" + secrets.token_hex(8)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect(path(name))
        limit = steal.now() + timeout
        _greet(link, name, mark, limit)
        link.sendall(f": > {_ASKED}; ( {script}\n) </dev/null 2>&1; code=$?; echo; echo {mark} $code\n".encode())
        heard = b""
        while (at := heard.find(mark.encode() + b" ")) < 0 or b"\n" not in heard[at:]:
            heard += _hear(link, limit - steal.now())
            if steal.now() > limit:
                raise LabError(f"the root shell did not answer within {timeout} s; it said: {heard[-300:].decode(errors='replace')}", name, "rootshell")
    # A shell that came late answers each of the greetings that waited for it.
    lines = [line for line in heard[:at].decode(errors="replace").splitlines() if f"hello-{mark}" not in line]
    return int(heard[at:].split()[1]), "\n".join(lines).strip()


def _hear(link, seconds):
    """What comes within a time; nothing if nothing does."""
    link.settimeout(max(seconds, 0.1))
    try:
        return link.recv(65536)
    except TimeoutError:
        return b""


def _greet(link, name, mark, limit):
    """Waits for a shell that listens. One that is just ending after the last caller takes what it is sent down with it, so the greeting,
    which does no harm twice, is repeated."""
    heard = b""
    while f"hello-{mark}".encode() not in heard:
        if steal.now() > limit:
            raise LabError(f"no root shell listens; it said: {heard[-300:].decode(errors='replace')}", name, "rootshell")
        link.sendall(f"echo hello-''{mark}\n".encode())
        again = min(steal.now() + GREETING, limit)
        while steal.now() < again and f"hello-{mark}".encode() not in heard:
            heard += _hear(link, again - steal.now())
