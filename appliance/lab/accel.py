"""Chooses how QEMU runs guests: KVM where a guest really boots with it, else TCG. What was found is kept in the cache.

/dev/kvm alone proves nothing: in many a nested machine it opens and the guest then hangs.
"""

import functools
import hashlib
import os
import platform
import re
import subprocess
import tempfile
import time

from shell import LabError, run

TCG = ("-accel", "tcg,thread=multi", "-cpu")
# Page tables of five levels are one step more at each miss, for memory beyond 64 TB: a start costs a tenth less without.
WHOLE, WITHOUT_CX16 = "max,la57=off", "max,la57=off,cx16=off"
# QEMU 7.2 now and then spoils the flags register after cmpxchg16b: the guest's kernel dies of a double fault in kmalloc. Told that there
# is no such instruction, it takes another way, which costs a seventh of the time. Later ones decode it anew.
FIRST_WHOLE = 9
KVM = ("-accel", "kvm", "-cpu", "host")
USED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../image/used")
PATIENCE = 20
"""Seconds within which a guest with KVM must have shown its kernel's first words; a quiet machine needs 3."""


@functools.cache
def emulator():
    """The QEMU program that runs guests: what WOW_QEMU names, else Debian 13's, which is fetched once."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "emulator")
    found = subprocess.run([script], stdout=subprocess.PIPE, check=False, text=True)
    if found.returncode:
        raise LabError("there is no QEMU to run guests with; its reason stands above")
    program = found.stdout.strip()
    if not os.environ.get("WOW_QEMU"):
        run(USED, os.path.dirname(program))
    return program


def choose(image, cache):
    """The QEMU options to run guests with, and their name for people. Probes by booting the image, once per host and QEMU."""
    wanted = os.environ.get("WOW_ACCEL", "")
    if wanted == "tcg" or (wanted != "kvm" and not os.access("/dev/kvm", os.R_OK | os.W_OK)):
        return tcg(), "TCG"
    if wanted == "kvm" or _remembered(image, cache):
        return KVM, "KVM"
    return tcg(), "TCG"


def tcg():
    """The options for software emulation by the QEMU at hand."""
    found = re.search(r"version (\d+)\.", run(emulator(), "--version").stdout)
    return (*TCG, WHOLE if found and int(found[1]) >= FIRST_WHOLE else WITHOUT_CX16)


def _remembered(image, cache):
    qemu = emulator()
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        model = [line for line in info if line.startswith(("model name", "flags"))][:2]
    host = "\n".join([platform.release(), run(qemu, "--version").stdout, *model])
    note = os.path.join(cache, "kvm-" + hashlib.sha256(host.encode()).hexdigest()[:16])
    if not os.path.exists(note):
        os.makedirs(cache, exist_ok=True)
        with open(note, "w", encoding="ascii") as file:
            file.write("boots\n" if boots(qemu, image) else "does not boot\n")
    with open(note, encoding="ascii") as file:
        return file.read() == "boots\n"


def boots(qemu, image, options=KVM, patience=PATIENCE):
    """Whether a guest gets as far as its kernel's messages on the serial console."""
    with tempfile.TemporaryDirectory() as folder:
        serial = os.path.join(folder, "serial")
        command = (qemu, "-nodefaults", "-display", "none", "-machine", "q35", *options, "-m", "512", "-snapshot", "-no-reboot",
                   "-drive", f"if=virtio,file={image},format=qcow2", "-serial", "file:" + serial)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as guest:
            try:
                return _greets(guest, serial, patience)
            finally:
                guest.kill()


def _greets(guest, serial, patience):
    limit = time.monotonic() + patience
    while time.monotonic() < limit and guest.poll() is None:
        time.sleep(0.5)
        if os.path.exists(serial):
            with open(serial, "rb") as file:
                if b"WOW: " in file.read():
                    return True
    return False
