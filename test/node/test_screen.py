"""The machine's screen: its key maps, which of them and which password count, what the agent keeps, and the page on which an owner chooses them."""
import contextlib
import io
import os
import pathlib
import stat
import string
import tempfile
import unittest
from unittest import mock

import samples

from wow.acts import screen as act
from wow.agent import allowed
from wow.config.kinds import KINDS, Wrong
from wow.lib.errors import WowError
from wow.lib.verb import UsageError
from wow.screen import keyboard, password, state
from wow.setup import screen as config
from wow.verbs import screen as verb
from wow.web import screens

GOOD = "Ga!7*c_x"
OPENSSL = "$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/"
"""`openssl passwd -6 -salt saltsalt password`"""


class Layouts(unittest.TestCase):
    def test_each_has_all_letters_digits_and_signs_at_one_key_each_at_least(self):
        for name, (says, rows) in keyboard.layouts().items():
            self.assertEqual((len(rows), says.strip() != "", len(name) <= keyboard.LONGEST), (4, True, True), name)
            self.assertTrue(all(len(row) <= len(keyboard.KEYS) for row in rows), name)
            everything = set("".join(rows))
            # A dead key and the space bar give the sign alone.
            everything |= {sign for mark, sign in zip("\u0300\u0302\u0303", "`^~") if mark in everything}
            self.assertEqual(set(string.ascii_letters + string.digits + string.punctuation) - everything, set(), name)

    def test_keys_write_what_is_printed_on_them(self):
        known = keyboard.layouts()
        # keycode, layout, without a modifier, with Shift, with AltGr
        for key, name, plain, shift, altgr in ((21, "us", "y", "Y", None), (21, "de", "z", "Z", None), (44, "de", "y", "Y", None), (16, "fr", "a", "A", None),
                                               (3, "fr", "\u00e9", "2", "~"), (16, "de", "q", "Q", "@"), (50, "fr", ",", "?", None), (39, "es", "\u00f1", "\u00d1", None),
                                               (3, "gb", "2", '"', None), (27, "se", "\u0308", "\u0302", None), (8, "ch", "7", "/", None), (26, "ch-fr", "\u00e8", "\u00fc", "[")):
            at = keyboard.KEYS.index(key)
            found = [row[at:at + 1] for row in known[name][1][:3]]
            self.assertEqual(found[:2 if altgr is None else 3], [plain, shift, altgr][:2 if altgr is None else 3], (key, name))

    def test_the_kernel_is_told_each_key_and_every_modifier_in_the_map_that_is_new(self):
        told = {(number, key): value for number, key, value in keyboard.entries(keyboard.layouts()["de"][1], lambda key: 0x700 + key)}
        self.assertEqual(told[keyboard.PLAIN, 21], 0xB00 | ord("z"))
        self.assertEqual(told[keyboard.CONTROL, 21], 0x1A)
        self.assertEqual(told[keyboard.ALT, 21], 0x800 | ord("z"))
        self.assertEqual(told[keyboard.PLAIN, 12], 0xDF ^ 0xF000)
        self.assertEqual(told[keyboard.ALTGR, 18], 0x20AC ^ 0xF000)
        self.assertEqual(told[keyboard.PLAIN, 13], 0x401)
        self.assertEqual(told[keyboard.PLAIN, 3], ord("2"))
        for key in (29, 42, 54, 56, 100, 1, 28, 57):
            self.assertEqual(told[keyboard.BOTH, key], 0x700 + key)
            self.assertNotIn((keyboard.PLAIN, key), told)
        # What another layout left behind goes.
        keys = {name: {(number, key) for number, key, _ in keyboard.entries(rows, lambda _: 0)} for name, (_, rows) in keyboard.layouts().items()}
        self.assertEqual({frozenset(one) for one in keys.values()}, {frozenset(keys["us"])})

    def test_one_that_there_is_not_is_told_with_those_that_are_near(self):
        for asked, meant in (("uk", "gb"), ("german", "de"), ("DE", "de"), ("fr-latin1", "fr"), ("azerty", "fr"), ("sw", "se"), ("czech", "cz"), ("us_dvorak", "us-dvorak")):
            with self.assertRaises(WowError) as caught:
                keyboard.must_know(asked)
            self.assertIn(f"{meant} (", str(caught.exception), asked)
            self.assertIn("Near it: ", str(caught.exception))
        for asked in ("", "\0", "xx9", "<b>", "\u202e" * 99, " "):
            with self.assertRaises(WowError) as caught:
                keyboard.must_know(asked)
            self.assertIn("Take one of us, ", str(caught.exception))
            self.assertLess(len(str(caught.exception)), 400)
        keyboard.must_know("de")

    def test_a_machine_without_a_screen_has_nothing_to_take(self):
        self.assertIsNone(keyboard.take("de", "/nonexistent/tty0"))
        with self.assertRaises(WowError) as caught:
            keyboard.take("de", "/dev/null")
        self.assertIn("the kernel does not take", str(caught.exception))


class Passwords(unittest.TestCase):
    def test_only_the_one_that_was_set_is_it_and_two_hashes_of_it_differ(self):
        one, other = password.digest(GOOD), password.digest(GOOD)
        self.assertNotEqual(one, other)
        self.assertTrue(one.startswith("$6$rounds=50000$") and len(one) < password.LONGEST_HASH)
        self.assertEqual(KINDS["hash"].check(one, ()), one)
        for wanted in (one, other):
            self.assertTrue(password.is_it(GOOD, wanted))
            for wrong in ("", GOOD[:-1], GOOD + "x", GOOD.lower(), GOOD + "\0", "\u00e9" * 9):
                self.assertFalse(password.is_it(wrong, wanted), wrong)

    def test_a_hash_of_another_program_counts_and_what_is_none_lets_nobody_in(self):
        self.assertTrue(password.is_it("password", OPENSSL))
        for bad in ("", "*", "!", "x", "$6$", "$9$abc$def"):
            self.assertFalse(password.is_it("", bad) or password.is_it("*", bad) or password.is_it("x", bad), bad)

    def test_what_a_keyboard_may_not_have_is_refused(self):
        for bad in ("", "short", "x" * 65, "with blank", "caf\u00e9caf\u00e9", "tab\tbbb", "new\nline", "\x7f" * 8):
            with self.assertRaises(WowError):
                password.must_be_one(bad)
        for good in (GOOD, "x" * 6, "~" * 64):
            password.must_be_one(good)

    def test_pool_conf_takes_hashes_alone_and_tells_nobody(self):
        for bad in ("password", "$1$abcdefgh$" + "x" * 22, "$6$short", OPENSSL + " x", OPENSSL + '"', "6" + OPENSSL, OPENSSL * 2):
            with self.assertRaises(Wrong):
                KINDS["hash"].check(bad, ())
        pool = samples.pool(**{"node__console-password": OPENSSL, "node__keyboard": "de"})
        from wow.config import facts
        self.assertIn('"keyboard":"de"', facts.text(pool))
        self.assertNotIn("$6$", facts.text(pool))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.told, self.pool = pathlib.Path(folder.name), [], ("us", "")
        for one in (*(mock.patch.object(state, name, f"{folder.name}/{name}") for name in ("KEYBOARD", "PASSWORD", "COUNTS", "LOCK")),
                    mock.patch.object(act, "pools", lambda: self.pool),
                    mock.patch.object(act.system, "run", lambda words, *_, **__: (self.told.append(words), (0, ""))[1])):
            one.start()
            self.addCleanup(one.stop)


class Kept(Folder):
    def test_a_keyboard_counts_at_once_and_is_kept_and_none_gives_pool_conf_s_back(self):
        self.pool = ("fr", "")
        act.screen({"keyboard": "de"}, 0)
        self.assertEqual((state.line(state.KEYBOARD), state.line(state.COUNTS)), ("de", "de"))
        self.assertEqual(self.told, [["systemctl", "restart", "--no-block", "wow-keyboard.service"]])
        act.screen({"keyboard": "none"}, 0)
        self.assertEqual((os.path.exists(state.KEYBOARD), state.line(state.COUNTS), len(self.told)), (False, "fr", 2))

    def test_a_password_is_kept_as_a_hash_that_root_alone_reads_and_none_gives_pool_conf_s_back(self):
        act.screen({"password": GOOD}, 0)
        for path in (state.PASSWORD, state.LOCK):
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            self.assertNotIn(GOOD, pathlib.Path(path).read_text(encoding="ascii"))
        self.assertEqual(self.told, [])
        self.assertIsNone(act.unlock({"password": GOOD}, 0))
        for wrong in ({}, {"password": ""}, {"password": GOOD + "x"}, {"password": "x" * 90000}, {"password": "\0"}):
            with self.assertRaises(WowError) as caught:
                act.unlock(wrong, 0)
            self.assertEqual(caught.exception.code, allowed.NOT_PERMITTED)
        self.pool = ("us", OPENSSL)
        act.screen({"password": "none"}, 0)
        self.assertIsNone(act.unlock({"password": "password"}, 0))
        self.pool = ("us", "")
        act.screen({"password": "none"}, 0)
        self.assertFalse(state.is_locked())
        self.assertIsNone(act.unlock({}, 0))

    def test_what_is_refused_changes_nothing(self):
        act.screen({"keyboard": "de", "password": GOOD}, 0)
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        for fields in ({}, {"keyboard": ""}, {"keyboard": "xx"}, {"keyboard": "fr", "password": "short"}, {"keyboard": "../de"}, {"password": ""}):
            with self.assertRaises(WowError) as caught:
                act.screen(fields, 0)
            self.assertEqual(caught.exception.code, allowed.BAD_REQUEST, fields)
        with mock.patch.object(state.files, "write", side_effect=OSError(28, "No space left on device", "x")), self.assertRaises(WowError) as caught:
            act.screen({"keyboard": "fr"}, 0)
        self.assertIn("cannot be written", str(caught.exception))
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)

    def test_a_start_takes_the_owner_s_word_then_pool_conf_s_and_leaves_the_lock_away_where_the_menu_said_so(self):
        with mock.patch.object(keyboard, "take") as take:
            for own, pools, wanted in (("", "us", "us"), ("", "fr", "fr"), ("de", "fr", "de")):
                state.keep(state.KEYBOARD, own)
                self.assertEqual(config.hand(pools, OPENSSL), [])
                self.assertEqual((take.call_args.args, state.line(state.LOCK)), ((wanted,), OPENSSL))
        with mock.patch.object(config.state, "is_unlocked_start", lambda: True):
            config.hand("us", OPENSSL)
        self.assertFalse(state.is_locked())
        (self.folder / "cmdline").write_text("console=tty0 wow.screen=unlocked rw\n", encoding="ascii")
        self.assertTrue(state.is_unlocked_start(f"{self.folder}/cmdline"))
        (self.folder / "cmdline").write_text("wow.screen=unlocked2\n", encoding="ascii")
        self.assertFalse(state.is_unlocked_start(f"{self.folder}/cmdline"))

    def test_a_start_without_the_password_stays_so_until_another_one_is_set(self):
        act.screen({"password": GOOD}, 0)
        with mock.patch.object(state, "is_unlocked_start", lambda: True):
            config.hand("us", "")
            act.screen({"keyboard": "de"}, 0)
            self.assertFalse(state.is_locked())
            act.screen({"password": GOOD + "2"}, 0)
            self.assertTrue(state.is_locked())
            self.assertIsNone(act.unlock({"password": GOOD + "2"}, 0))

    def test_a_keyboard_of_pool_conf_that_there_is_not_is_told_with_its_key(self):
        self.assertIn("pool.conf: [node] keyboard: there is no keyboard", str(config.hand("uk", "")[0]))
        state.keep(state.KEYBOARD, "zz9")
        self.assertIn("KEYBOARD: there is no keyboard", str(config.hand("us", "")[0]))

    def test_a_keyboard_s_file_that_is_no_good_is_as_none(self):
        for data in (b"", b"\xff\xfe", b"\n", b" "):
            pathlib.Path(state.KEYBOARD).write_bytes(data)
            state.count("fr", "")
            self.assertEqual(state.line(state.COUNTS), "fr", data)

    def test_a_password_s_file_that_is_no_good_leaves_the_screen_locked_and_is_told_until_another_one_is_set(self):
        act.screen({"password": GOOD}, 0)
        whole = pathlib.Path(state.PASSWORD).read_bytes()
        for data in (b"", b"\xff\xfe", b"\n", b" ", b"\0" * 128, whole[:9], b"x"):
            for pools, wanted in ((OPENSSL, GOOD), ("", GOOD), ("", "none")):
                pathlib.Path(state.PASSWORD).write_bytes(data)
                with mock.patch.object(keyboard, "take"):
                    [told] = config.hand("us", pools)
                self.assertIn("PASSWORD: cannot be read as a password, so the screen takes no key. Set another one", str(told), data)
                self.assertTrue(state.is_locked())
                for typed in (GOOD, "password", "", "x"):
                    with self.assertRaises(WowError) as caught:
                        act.unlock({"password": typed}, 0)
                    self.assertIn("Set another one", str(caught.exception), data)
                self.assertIn("cannot be read as a password", screens.show("k").decode())
                with mock.patch.object(keyboard, "take"), mock.patch.object(config.state, "is_unlocked_start", lambda: True):
                    self.assertEqual((config.hand("us", pools), state.is_locked()), ([], False))
                act.screen({"password": wanted}, 0)
                state.must_have_password()
                self.assertEqual(state.is_locked(), wanted == GOOD)


class Verb(Folder):
    def run_it(self, *words, typed=""):
        """What `wow screen` prints, with what the agent is asked done."""
        with mock.patch.object(verb.client, "ask", lambda _, **fields: act.screen(fields, 0)), contextlib.redirect_stdout(io.StringIO()) as out, \
                mock.patch.object(verb.sys, "stdin", io.StringIO(typed)):
            self.assertEqual(verb.VERB.run(verb.VERB.read(list(words))), 0)
        return out.getvalue()

    def test_it_says_what_counts_and_takes_a_password_from_a_pipe(self):
        self.assertIn("keyboard  us, American\nkeys      are taken from whoever sits there", self.run_it())
        self.assertIn("keyboard  de, German", self.run_it("keyboard", "de"))
        self.assertIn("when the password was typed", self.run_it("password", typed=f"{GOOD}\n"))
        self.assertEqual(self.run_it("show", "--json"), '{"keyboard": "de", "locked": true}\n')
        self.assertIn("whoever", self.run_it("password", "none"))
        pathlib.Path(state.PASSWORD).write_bytes(b"")
        state.count("us", "")
        for words in ([], ["--json"]):
            with self.assertRaises(WowError):
                self.run_it(*words)
        self.assertIn("whoever", self.run_it("password", "none"))
        for wrong in (("keyboard",), ("password", "secret"), ("colour",), ("show", "all")):
            with self.assertRaises(UsageError):
                self.run_it(*wrong)
        with self.assertRaises(WowError):
            self.run_it("password", typed="short\n")


class Page(Folder):
    def test_it_shows_what_counts_and_never_a_password(self):
        text = screens.show("k").decode()
        self.assertIn('<option value="us" selected>American: us</option>', text)
        self.assertNotIn("Ask for no password", text)
        act.screen({"keyboard": "de", "password": GOOD}, 0)
        text = screens.show("k", "<b>no</b>").decode()
        self.assertIn('<option value="de" selected>', text)
        self.assertIn("Ask for no password", text)
        self.assertNotIn("$6$", text)
        self.assertNotIn("<b>no", text)
        self.assertIn("It asks for a password", screens.line())


if __name__ == "__main__":
    unittest.main()
