"""The machine's screen: the keyboard that pool.conf names and the one that its owner chooses write what is printed on them; a password keeps passers-by from its keys,
and GRUB's menu has the way out."""

import time
import urllib.parse

from checks import expect, long_check, note
from configs import folder
from machine import UNTIL_HOME
from menus import EPHEMERAL, Watched
from newcomers import CODE, Page, free_port, shown
from places import OUT, POOL_CONF, WORK  # also makes the formats importable

import configdisk

PASSWORD = "lazy_zebra"
HASH = "$6$wowwowwow$tTa8U4ieooJe05jW5e0AQxCfhAEgzZMddiyKfqnFG/Gc9fr1p3ucscYFG1MW32zcU0e/GLiYhLUnwjkMPrK820"
GERMAN = ("l", "a", "y", "z", "shift-slash", "y", "e", "b", "r", "a", "ret")
"""The keys by which that is typed at a German keyboard, as an American one names them."""
UNLOCKED = "with the screen unlocked"


def login(machine, key, wanted):
    """At the login prompt of the second screen a key writes that letter."""
    machine.screen.press("alt-f2")
    machine.shows("login:")
    limit = time.monotonic() + UNTIL_HOME
    while True:
        machine.screen.press(key)
        time.sleep(1)
        text = machine.screen.text()
        if f"login: {wanted}" in text:
            break
        expect(time.monotonic() < limit, f"{key} does not write {wanted}:\n{text}")
        machine.screen.press("backspace")
    machine.screen.press("backspace", "alt-f1")


@long_check
def the_screen_has_the_keyboard_that_was_chosen_and_a_password_before_its_keys():
    port, began = free_port(), time.monotonic()
    machine, page = Watched("keyboard", OUT / "wow.qcow2"), Page(port)
    card = ("-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:80", "-device", "virtio-net-pci,netdev=net,romfile=")
    image = WORK / "keyboard.img"
    configdisk.make(image, configdisk.entries_of(folder("keyboard", f"[node]\nkeyboard = de\nconsole-password = {HASH}\n\n{POOL_CONF}")))
    disk = ("-drive", f"if=virtio,file={image},format=raw,snapshot=on")
    try:
        machine.on(*card, *disk)
        machine.shows("Locked: a key, and then the password")
        login(machine, "y", "z")
        machine.screen.press("q")
        machine.shows("Password of this screen:")
        machine.screen.press("y", "ret")
        machine.shows("that is not the password")
        time.sleep(3)
        machine.screen.press("q")
        machine.shows("Password of this screen:")
        machine.screen.press(*GERMAN)
        machine.shows("Keys are taken until", "Q switch off")
        machine.screen.press("n")
        with machine.qmp() as qmp:
            code = shown(qmp, CODE)[1]
        key = page.login(code, "Keyboard and password of the screen")
        status, text = page.ask("screen", urllib.parse.urlencode({"key": key, "keyboard": "uk"}))
        expect(status == 400 and "gb (British (UK)" in text, f"{status} {text}")
        status, text = page.ask("screen", urllib.parse.urlencode({"key": key, "keyboard": "fr"}))
        expect(status == 200 and '<option value="fr" selected>' in text and "The screen asks for its password" in text, f"{status} {text}")
        told = time.monotonic()
        login(machine, "q", "a")
        note(f"another keyboard {time.monotonic() - told:.0f} s after it was chosen")
        machine.cut_power()

        machine.on(*card, *disk)
        machine.shows(EPHEMERAL, UNLOCKED, doing=machine.press_f4)
        machine.screen.press("end", "ret")
        machine.shows("Q switch off")
        login(machine, "q", "a")
        machine.screen.press("a")  # where an American keyboard has A a French one has Q
        machine.shows("Switch this machine off?")
        note(f"two starts after {time.monotonic() - began:.0f} s")
    finally:
        machine.cut_power()
