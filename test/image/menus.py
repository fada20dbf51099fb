"""GRUB's menu: nobody sees it, unless F4 is pressed or Shift is held, or the start before did not come to its end; and what it takes back it asks twice."""

import contextlib
import os
import time

import rootshell
from checks import expect, long_check, note, run
from developing import RUNTIME, Shelled
from machine import MENU, UEFI, UNTIL_HOME
from places import OUT, WORK
from qmp import Qmp
from screen import Screen
from shell import LabError

ESP = 2 << 20
SHIFT = [{"type": "key", "data": {"down": True, "key": {"type": "qcode", "data": "shift"}}}]
EPHEMERAL, HOME, NO, YES, SURE = "keeping nothing (ephemeral)", "Take back the home", "No: start WOW", "Yes, take back the home", "Yes, all files of /home are lost"


class Watched(Shelled):
    """A machine whose screen is read and whose keys are pressed."""

    def on(self, *options):
        """Switches it on."""
        socket = WORK / f"{self.name}.qmp"
        socket.unlink(missing_ok=True)
        self.start("-qmp", f"unix:{socket},server=on,wait=off", *options)
        self.wait_until(socket.exists, "open its QMP", UNTIL_HOME)
        self.screen = Screen(lambda: Qmp(str(socket)), WORK)
        self.qmp = lambda: Qmp(str(socket))

    def shows(self, *words, doing=lambda: None):
        """Waits until the screen has these words."""
        def looked():
            doing()
            with contextlib.suppress(LabError):  # a screen that is being set up is no text
                text = self.screen.text()
                return all(word in text for word in words)
            return False
        # From power-on on, that may be all that comes before a person can log in.
        self.wait_until(looked, f"show {words}", UNTIL_HOME * 4)

    def hold_shift(self):
        """The key goes down; the first of these come before anybody listens."""
        with self.qmp() as qmp:
            qmp.ask("input-send-event", events=SHIFT)

    def press_f4(self):
        """As somebody does who wants the menu and does not know when GRUB looks: again and again, from the moment on at which the machine is switched on."""
        self.screen.press("f4")

    def environment(self):
        """What GRUB's environment block says, of a machine that is off."""
        raw = WORK / f"{self.name}.raw"
        run("qemu-img", "convert", "-O", "raw", self.disk, raw)
        text = run("mtype", "-i", f"{raw}@@{ESP}", "::/grub/grubenv")
        raw.unlink()
        return text


@long_check
def the_menu_is_hidden_and_a_start_that_did_not_end_shows_it_and_what_it_takes_back_it_asks_twice():
    machine = Watched("menu", OUT / "wow.qcow2")
    try:
        machine.on()
        machine.shows(EPHEMERAL, HOME, doing=machine.hold_shift)
        machine.screen.press("ret")
        machine.wait_for("make=/dev/", UNTIL_HOME)
        machine.cut_power()
        expect("unfinished=yes" in machine.environment(), "GRUB did not note the start")

        machine.on()
        machine.shows(EPHEMERAL, HOME)
        machine.screen.press("down", "down", "down", "ret")
        machine.shows(NO, YES)
        machine.screen.press("down", "ret")
        machine.shows(NO, SURE)
        expect("WOW:" not in machine.said(), "it started before it was answered twice")
        machine.screen.press("down", "ret")
        machine.wait_for("reset=home", UNTIL_HOME)
        machine.wait_for("login:", UNTIL_HOME * 2)
        machine.cut_power()
        said = machine.environment()
        expect(said == "# GRUB Environment Block\nunfinished=no\n".ljust(1024, "#"), f"the environment block is {said[:80]}")

        machine.on()
        began = time.monotonic()
        machine.wait_for("WOW: search", UNTIL_HOME)
        expect(EPHEMERAL not in machine.screen.text(), f"it showed its menu for {time.monotonic() - began:.0f} s after a start that ended")
    finally:
        machine.cut_power()


@long_check
def by_uefi_which_tells_grub_of_no_shift_f4_shows_the_menu_and_the_mode_that_is_taken_there_is_that_of_the_start():
    os.makedirs(RUNTIME, exist_ok=True)
    machine = Watched("menu-uefi", OUT / "wow.qcow2")

    def shown():
        machine.press_f4()
        # UEFI's console is the serial one, too; its screen is a picture in a font of its own.
        return all(words in machine.said() for words in MENU)
    try:
        machine.on(*UEFI, *rootshell.options(machine.name))
        note(f"the menu after {machine.wait_until(shown, f'show {MENU}', UNTIL_HOME):.0f} s")
        machine.screen.press("down", "ret")
        machine.wait_for("login:", UNTIL_HOME * 4)
        said = machine.ask("stat -f -c %T /run/layers/home; grep -o 'wow.mode=[a-z]*' /proc/cmdline")
        expect(said.split() == ["tmpfs", "wow.mode=ephemeral"], f"it says {said}")
    finally:
        machine.cut_power()
