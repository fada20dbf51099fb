"""The page's script on a terminal: what it draws, what each key asks of the agent, and the password before a key counts."""
import os
import pathlib
import pty
import select
import signal
import stat
import sys
import tempfile
import time
import unittest

from terminal import Terminal
from test_page import HOSTILE, NOON, facts

from wow.page import text
from wow.pause.state import Pause
from wow.slots import running

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/wow/node/page"


class Keys(unittest.TestCase):
    """The script on a terminal of its own, with other folders and with words in place of the agent."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "own").mkdir()
        (self.folder / "run").mkdir()
        (self.folder / "node").mkdir()
        (self.folder / "node/ask").write_text(f'#!/bin/sh\necho "$1" >> {folder.name}/asked\n[ "$1" != login ] || echo K7MQ4-2XPDW\n[ ! -e {folder.name}/refused ] || {{ cat {folder.name}/refused; exit 1; }}\n')
        (self.folder / "node/wow").write_text('#!/bin/sh\nfor last; do :; done\n: > "$last"\n')
        for name in ("ask", "wow"):
            (self.folder / "node" / name).chmod(0o755)
        source = SCRIPT.read_text(encoding="utf-8")
        for old, new in (("/run/wow-console", "own"), ("/run/wow\n", "run\n"), ("/run/issue.d/wow.issue", "notice"), ("/sys/class/dmi/id/product_name", "product"), ("/usr/lib/wow/node", "node")):
            source = source.replace(old, f"{folder.name}/{new}")
        (self.folder / "page").write_text(source)
        self.terminal = Terminal()

    def begin(self):
        """Starts it as on the first screen."""
        self.child, self.end = pty.fork()
        if self.child == 0:
            os.environ["PATH"] = f"{self.folder}/node:/usr/bin:/bin"
            os.execv("/usr/bin/busybox", ["busybox", "sh", f"{self.folder}/page"])
        self.addCleanup(self.stop)

    def stop(self):
        if not self.child:
            return
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.end)
        self.child = 0

    def until(self, word, seconds=20):
        """Waits until the screen shows a word, and whatever is drawn with it; returns all of it."""
        limit = time.monotonic() + seconds
        while word not in self.terminal.text():
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self.end], [], [], left)[0]:
                self.fail(f"no {word!r} in:\n{self.terminal.text()}")
            self.terminal.feed(os.read(self.end, 65536))
        self.settle(0.2)
        return self.terminal.text()

    def settle(self, seconds):
        """Takes in what is drawn until nothing is for so long."""
        while select.select([self.end], [], [], seconds)[0]:
            self.terminal.feed(os.read(self.end, 65536))

    def press(self, keys):
        os.write(self.end, keys.encode())

    def write(self, number=1, mode="works", **other):
        (self.folder / "run/page").write_text("\n".join([f"{number} {mode}", *text.lines(facts(**other))]) + "\n")

    def asked(self):
        try:
            return (self.folder / "asked").read_text().split()
        except FileNotFoundError:
            return []

    def test_it_shows_what_was_written_and_what_is_written_anew(self):
        self.write()
        self.begin()
        said = self.until("Alt-F2 log in")
        self.assertEqual(text.lines(facts()), self.terminal.lines()[:len(text.lines(facts()))])
        self.assertIn(" P pause   N web code   S support file   L leave   Q switch off", said)
        self.write(2, "paused", pause=Pause(NOON, None, False, "console"))
        said = self.until("Paused: jobs stand still")
        self.assertIn("P resume  N web code", said)
        self.assertIn("Alt-F2 log in", said)

    def test_p_pauses_and_goes_on_and_says_so(self):
        self.write()
        self.begin()
        self.until("Alt-F2")
        self.press("p")
        self.until("It is paused.")
        self.write(2, "paused", pause=Pause(NOON, None, False, "console"))
        self.until("P resume")
        self.press("P")
        self.until("It goes on.")
        self.assertEqual(self.asked(), ["pause", "resume"])

    def test_n_shows_a_code_until_another_key_is_pressed(self):
        self.write(web="http://192.168.1.7")
        self.begin()
        self.assertIn("web      http://192.168.1.7  in a browser; N shows a code for it", self.until("Alt-F2"))
        self.press("n")
        self.until("The code for the web page is K7MQ4-2XPDW, once, for 10 minutes.")
        self.press("x")
        self.assertNotIn("K7MQ", self.until("P, N, S, L and Q"))
        self.assertEqual(self.asked(), ["login"])

    def test_leaving_and_switching_off_are_asked_twice_and_any_other_key_is_a_no(self):
        self.write()
        self.begin()
        self.until("Alt-F2")
        for keys in ("qn", "qyn", "qq", "qyy", "lq", "lyy", "lyq", "qyl", "q\nq", "l\x1b[Q", "qy\x1b[Q", "\x1b[P"):
            self.press(keys)
            # After Escape what comes at once is of the same key.
            self.settle(0.5)
            self.press("x")
            self.settle(0.5)
        self.press("p")
        self.until("It is paused.")
        self.assertEqual(self.asked(), ["pause"])
        for first, question, second, sure, third, said, request in (
                ("l", "Leave the pool?", "y", "Really?", "l", "It leaves its pool", "leave"),
                ("Q", "Switch this machine off?", "Y", "Really switch off now?", "Q", "It is switched off", "power-off")):
            self.press(first)
            self.until(question)
            self.press(second)
            self.until(sure)
            self.press(third)
            self.until(said)
            self.assertEqual(self.asked()[-1], request)

    def test_what_the_agent_refuses_is_told(self):
        (self.folder / "refused").write_text("first\nno: because\n\n")
        self.write()
        self.begin()
        self.until("Alt-F2")
        self.press("p")
        self.until("It was not done: no: because")
        (self.folder / "refused").write_text("\x1b[2Jno\n")
        self.press("p")
        self.until("It was not done: what it said cannot be shown")

    def test_with_a_password_no_key_counts_before_it_was_typed_and_none_two_minutes_after_the_last_one(self):
        (self.folder / "run/lock").write_text("$6$x\n")
        (self.folder / "node/ask").write_text(f'#!/bin/sh\necho "$1" >> {self.folder}/asked\n[ "$1" != unlock ] || {{ read -r typed; [ "$typed" = "a_b!*c" ] || '
                                              '{ echo that is not the password; exit 1; }; }\n')
        script = self.folder / "page"
        script.write_text(script.read_text().replace("LOCKED=120", "LOCKED=7"))
        self.write()
        self.begin()
        self.until("Locked: a key, and then the password")
        for keys in ("p", "\n", "q", "\n"):
            self.press(keys)
            self.until("Password of this screen:")
            self.press("\x1b")
            self.until("Nothing was done.")
        self.press("l")
        self.until("Password of this screen:")
        self.press("yla\x7f\x7f\x7f\x7fa\u00e9\x08\x01wrong\n")
        self.until("It was not done: that is not the password")
        self.press("p")
        self.until("One moment, and then a key.")
        time.sleep(2.1)
        self.press("p")
        self.until("Password of this screen:")
        self.press("a_b!*cd\x7f")
        self.assertNotIn("a_b", self.until("Password of this screen: ******"))
        self.press("\n")
        self.until("Keys are taken until")
        self.until("P pause   N web code")
        self.assertEqual(set(self.asked()), {"unlock"})
        self.press("p")
        self.until("It is paused.")
        self.until("Locked: a key, and then the password")
        self.press("p")
        self.until("Password of this screen:")
        self.assertEqual(self.asked(), ["unlock", "unlock", "pause"])

    def test_a_support_file_is_left_for_the_pool_s_people(self):
        self.write()
        self.begin()
        self.until("Alt-F2")
        self.press("s")
        self.until("support.tar.gz is written")
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "own/support.tar.gz").st_mode), 0o640)

    def test_no_key_ends_it_or_stops_the_screen(self):
        self.write()
        self.begin()
        self.until("Alt-F2")
        self.press("\x03\x1c\x1a\x13\x04$(id)`*;&|<>\"'\\%s")
        self.write(2, "paused", pause=Pause(NOON, None, False, "console"))
        self.until("P resume")
        self.assertEqual(self.asked(), [])

    def test_before_there_is_a_page_it_shows_the_steps_of_the_start_and_what_keeps_it(self):
        self.begin()
        self.until("It starts.")
        (self.folder / "run/steps").write_text("     4 s  config       pool=science\n" + "x" * 200 + "\n")
        said = self.until("     4 s  config       pool=science")
        self.assertIn("on its way into its pool", said)
        (self.folder / "notice").write_text("WOW: pool.conf: is missing. " + "Attach the disk labelled WOWCFG that holds it and start again. " * 3 + "\n\n")
        said = self.until("this machine has no pool yet")
        self.assertIn("wrong    What keeps it", said)
        self.assertIn("Attach the disk labelled WOWCFG", said)
        (self.folder / "run/pool.json").write_text("{}")
        (self.folder / "notice").unlink()
        (self.folder / "run/steps").write_text("     5 s  ring\n")
        self.assertNotIn("wrong", self.until("     5 s  ring"))

    def test_a_terminal_that_is_gone_ends_it(self):
        self.write()
        child, end = pty.fork()
        if child == 0:
            os.execv("/usr/bin/busybox", ["busybox", "sh", "-c", f"sleep 1; exec busybox sh {self.folder}/page < /dev/null > /dev/null 2>&1"])
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1)
        os.close(end)

    def test_keys_names_and_steps_never_reach_the_screen_s_end(self):
        for name in HOSTILE:
            self.write(jobs=[running.Job(2001, name, 5)], findings=[(name, name)])
            self.terminal = Terminal()
            self.begin()
            self.until("Alt-F2")
            self.stop()


if __name__ == "__main__":
    sys.exit(unittest.main())
