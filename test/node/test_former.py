"""Pools that the machine left: which pool.conf the initrd passes over, what brings one back, and what people are told and asked meanwhile."""
import hashlib
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import samples
import test_page_keys

from wow.acts import newcomer, reset
from wow.agent import allowed
from wow.config import facts
from wow.lib import files, modes, paths
from wow.lib.errors import WowError
from wow.setup import accept, configure, forget, former, take
from wow.web import app, joining

ONE, NEXT, OTHER = b"of science", b"of science, a newer one", b"of maths"


def line(data, pool="science"):
    """What the initrd looks for."""
    return f"{hashlib.sha256(data).hexdigest()} {pool}\n"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.patch(paths, "STATE", folder.name)
        self.patch(former, "PASSED", f"{folder.name}/passed")

    def patch(self, place, name, value):
        """For this test."""
        patch = mock.patch.object(place, name, value)
        patch.start()
        self.addCleanup(patch.stop)

    def counts(self, data, pool="science"):
        """A start by this pool.conf."""
        kept = f"{self.folder}/pool.conf"
        former.note(pool, data, accept.is_kept(data, kept))
        accept.keep(data, kept)

    def had(self):
        return files.read(former.had())

    def left(self):
        return files.read(former.left())


class Lines(Folder):
    def test_each_pool_conf_that_counted_is_left_with_the_pool_and_none_before(self):
        for data in (ONE, ONE, NEXT, ONE):
            self.counts(data)
        self.assertEqual((self.had(), self.left()), (line(ONE) + line(NEXT), ""))
        former.leave()
        self.assertEqual(self.left(), line(ONE) + line(NEXT))
        self.assertEqual(os.stat(former.left()).st_mode & 0o777, 0o600)
        former.leave()
        self.assertEqual(self.left(), line(ONE) + line(NEXT), "twice is once")

    def test_one_that_counts_again_is_left_no_more_and_others_stay_left(self):
        files.write(former.left(), line(ONE) + line(OTHER, "maths"))
        self.counts(ONE)
        self.assertEqual(self.left(), line(OTHER, "maths"))
        self.counts(OTHER, "maths")
        self.assertFalse(os.path.exists(former.left()))

    def test_a_start_like_the_one_before_makes_no_digest(self):
        self.counts(ONE)
        with mock.patch("hashlib.sha256") as digest:
            self.counts(ONE)
        self.assertFalse(digest.called)

    def test_a_machine_of_before_notes_what_counts(self):
        files.write(f"{self.folder}/pool.conf", ONE)
        self.counts(ONE)
        self.assertEqual(self.had(), line(ONE))

    def test_no_more_lines_are_kept_than_so_many_and_what_a_disk_spoilt_is_none(self):
        files.write(former.left(), b"\xff\n" + line(ONE).encode()[:40] + b"\n")
        for number in range(former.MOST + 3):
            self.counts(b"%d" % number)
        former.leave()
        self.assertEqual(self.left(), "".join(line(b"%d" % number) for number in range(3, former.MOST + 3)))

    def test_wow_config_notes_what_counts_before_it_is_kept_as_known(self):
        calls = mock.Mock()
        for place, name in ((configure.former, "note"), (configure.accept, "keep")):
            self.patch(place, name, getattr(calls, name))
        self.patch(configure.accept, "is_kept", lambda _: False)
        for place, name in ((configure.os, "chmod"), (configure.os, "makedirs"), (configure.ticket, "bring"), (configure, "heal_authority"), (configure, "take_identity"),
                            (configure.outside, "keep")):
            self.patch(place, name, mock.Mock())
        pool = mock.Mock(ca_der=None, capture=False, is_manager=False)
        configure.state(pool, ONE)
        self.assertEqual(calls.mock_calls, [mock.call.note(pool.name, ONE, False), mock.call.keep(ONE)])


class Leaving(Folder):
    def leave(self, act):
        """By wow-leave or wow-reset; whether all that is known of pools is what it left."""
        self.counts(ONE)
        self.patch(reset.kept, "HOME", self.folder)
        self.patch(reset.system, "systemctl", mock.Mock())
        self.patch(reset.console, "say", mock.Mock())
        self.assertEqual(0, act())
        return sorted(name for name in os.listdir(self.folder) if name.startswith("pool."))

    def test_who_leaves_is_not_taken_in_again_by_the_same_file(self):
        self.assertEqual((self.leave(reset.leave), self.left()), (["pool.left"], line(ONE)))

    def test_who_is_reset_joins_again_by_the_same_file(self):
        self.assertEqual(self.leave(reset.main), [])

    def test_what_was_left_before_stays_left_over_a_reset(self):
        files.write(former.left(), line(OTHER, "maths"))
        self.assertEqual((self.leave(reset.main), self.left()), (["pool.left"], line(OTHER, "maths")))

    def test_a_power_cut_before_the_identity_goes_leaves_a_member_that_has_left_nothing_at_its_next_start(self):
        self.counts(ONE)
        former.leave()
        forget.finish(self.folder)
        self.counts(ONE)
        self.assertEqual((accept.is_kept(ONE, f"{self.folder}/pool.conf"), self.had(), self.left()), (True, line(ONE), ""))


class Passed(Folder):
    """A start that passed over the configuration of a pool that the machine left."""

    def setUp(self):
        super().setUp()
        self.started = []
        for place, name, value in ((facts, "FILE", f"{self.folder}/pool.json"), (modes, "FILE", f"{self.folder}/mode"), (take, "BROUGHT", f"{self.folder}/brought.conf"),
                                   (paths, "LEFT_POOL", f"{self.folder}/left"),
                                   (newcomer.system, "run", lambda words, *_, **__: (self.started.append(words[1:]), (0, ""))[1])):
            self.patch(place, name, value)
        files.write(former.PASSED, f"{line(ONE).strip()} /dev/vda4\n")
        files.write(former.left(), line(ONE) + line(OTHER, "maths"))

    def choose(self):
        return accept.choose(f"{self.folder}/disk", f"{self.folder}/pool.conf", f"{self.folder}/node.pem")

    def test_a_machine_without_another_one_says_what_it_left_and_what_it_waits_for(self):
        with self.assertRaises(WowError) as caught:
            self.choose()
        for words in ("left pool science", "/dev/vda4", "web page", "disk or CD", "press J"):
            self.assertIn(words, str(caught.exception))
        files.write(f"{self.folder}/disk", b"[pool]\n")
        with self.assertRaises(WowError) as caught:
            self.choose()
        self.assertEqual((caught.exception.key, caught.exception.what), ("[pool] name", "is missing"))

    def test_a_machine_that_joined_another_pool_says_nothing_of_it(self):
        good = samples.text(samples.sections()).encode()
        files.write(f"{self.folder}/pool.conf", good)
        files.write(f"{self.folder}/node.pem", "")
        self.assertEqual(self.choose()[1:], (good, None))

    def test_both_pages_hear_which_pool_it_was(self):
        for place, name in ((configure.screen, "choose"), (configure.screen, "hand"), (configure.accounts, "make"), (configure, "open_run")):
            self.patch(place, name, mock.Mock())
        self.patch(configure.paths, "RUN", self.folder)
        configure.without_a_pool()
        self.assertEqual(files.read(paths.LEFT_POOL), "science\n")
        os.unlink(former.PASSED)
        os.unlink(paths.LEFT_POOL)
        configure.without_a_pool()
        self.assertFalse(os.path.exists(paths.LEFT_POOL))

    def test_to_join_again_is_asked_of_wow_take_which_takes_that_one_back_and_starts_again(self):
        files.write(take.BROUGHT, "what was wrong before")
        newcomer.rejoin({}, 988)
        self.assertEqual((self.started, os.path.exists(take.BROUGHT)), ([["start", take.UNIT]], False))
        said = []
        self.patch(take.console, "say", lambda *step, **told: said.append((step, told)))
        self.patch(take.system, "systemctl", lambda *words: (said.append(words), 0)[1])
        self.patch(take, "MOMENT", 0)
        self.assertEqual(take.main(), 0)
        self.assertEqual(said, [(("config",), {"pool": "science", "role": None, "source": "/dev/vda4", "next": "starting again"}), ("reboot", "--no-block")])
        self.assertEqual(self.left(), line(OTHER, "maths"))

    def test_a_machine_that_left_none_or_has_one_or_keeps_nothing_joins_none_again(self):
        files.write(modes.FILE, "ephemeral\n")
        self.refused("this start keeps nothing")
        files.write(modes.FILE, "release\n")
        files.write(facts.FILE, facts.text(samples.pool()))
        self.refused("in pool science already. Nothing was changed")
        os.unlink(facts.FILE)
        os.unlink(former.PASSED)
        self.refused("no configuration of a pool that it left. Nothing was changed")

    def refused(self, words):
        with self.assertRaises(WowError) as caught:
            newcomer.rejoin({}, 988)
        self.assertIn(words, str(caught.exception))
        self.assertEqual((caught.exception.code, self.started), (allowed.NOT_HERE, []))

    def test_the_web_page_offers_it_where_there_is_one(self):
        self.assertNotIn("Or join", joining.page("k").decode())
        files.write(paths.LEFT_POOL, "science\n")
        shown = joining.page("k").decode()
        self.assertIn('<h2>Or join <bdi>science</bdi> again</h2>', shown)
        self.assertIn(f'action="{joining.AGAIN}"><input type="hidden" name="key" value="k"><button type="submit">Join it again', shown)

    def test_the_button_asks_the_agent_for_one_who_is_in_and_for_nobody_else(self):
        routes, bottle = {}, mock.Mock()
        bottle.Bottle.return_value.route = lambda path, method, answer: routes.update({(path, method): answer})
        bottle.HTTPResponse = type("Answer", (Exception,), {"__init__": lambda answer, body, status, **_: answer.__dict__.update(body=body, status=status)})
        kept = mock.Mock()
        app.App(bottle, kept, list)
        bottle.request.forms.get.return_value = app.guests.form_key("secret")
        self.patch(app.where, "secret", lambda *_: "secret")
        asked = []
        self.patch(app.client, "ask", lambda *words, **fields: asked.append((words, fields)))
        kept.knows.return_value = False
        with self.assertRaises(bottle.HTTPResponse) as caught:
            routes[joining.AGAIN, "POST"]()
        self.assertEqual((caught.exception.status, asked), (401, []))
        kept.knows.return_value = True
        answer = routes[joining.AGAIN, "POST"]()
        self.assertEqual((answer.status, answer.body, asked), (200, joining.joins(), [(("rejoin",), {})]))


class Screen(unittest.TestCase):
    def test_j_joins_again_after_one_more_key_and_only_where_there_is_a_pool_to_join_again(self):
        keys = test_page_keys.Keys()
        keys.setUp()
        self.addCleanup(keys.doCleanups)
        (keys.folder / "notice").write_text("WOW: this machine left pool science.\n\n")
        keys.begin()
        keys.until("cannot be reached")
        keys.press("j")
        keys.until("This machine left no pool that it can join again.")
        pathlib.Path(keys.folder, "run/left").write_text("science\n", encoding="ascii")
        keys.until("again    Press J to join pool science again")
        for pressed in ("j", "n", "J"):
            keys.press(pressed)
            keys.until("Nothing was done." if pressed == "n" else "J: it joins again, as a new machine; other keys: no. The pool is science")
        self.assertEqual(keys.asked(), [])
        keys.press("j")
        keys.until("It starts again, and joins its pool.")
        self.assertEqual(keys.asked(), ["rejoin"])


if __name__ == "__main__":
    unittest.main()
