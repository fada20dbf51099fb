"""The modes of a start: how another one is asked for and refused, what a machine is while a module is developed on it, and in which words."""
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import samples

from wow import dispatch
from wow.acts import boot
from wow.agent import client
from wow.config import users
from wow.lib import modes
from wow.lib.errors import WowError
from wow.page import text
from wow.seal import fence
from wow.setup import accounts
from wow.verbs import module

BASE = {"sha256": "ab" * 32, "date": "2026-11-24", "abi": "cf1d143b"}
GOOD = ("a", "storm-surge", "r4", "x" * 32)
BAD = ("-a", "a-", "A", "a_b", "a b", "../a", "x" * 33, "\u00e9")



class Case(unittest.TestCase):
    """A machine whose files are a folder's; what systemd is asked is noted."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ran, self.free = [], 1 << 30
        self.pool = samples.pool(node__role="worker")
        (self.folder / "pool.json").write_text("{}", encoding="ascii")
        for one in (mock.patch.object(modes, "FILE", f"{folder.name}/mode"), mock.patch.object(boot, "FILE", f"{folder.name}/next"),
                    mock.patch.object(boot, "WORKS", f"{folder.name}/modules"), mock.patch.object(boot, "AUTHORITY", f"{folder.name}/ca"),
                    mock.patch.object(boot.facts, "FILE", f"{folder.name}/pool.json"),
                    mock.patch.object(boot.facts, "read", lambda: self.pool), mock.patch.object(boot.base, "below", lambda: BASE),
                    mock.patch.object(boot.os, "statvfs", lambda _: mock.Mock(f_bavail=self.free, f_frsize=1)),
                    mock.patch.object(boot.system, "run", lambda arguments, *_, **__: (self.ran.append(arguments), (0, ""))[1])):
            one.start()
            self.addCleanup(one.stop)

    def start(self, said):
        (self.folder / "mode").write_text(f"{said}\n", encoding="ascii")

    def begun(self, text):
        (self.folder / "modules/surge").mkdir(parents=True, exist_ok=True)
        (self.folder / "modules/surge/about.json").write_text(text, encoding="ascii")

    def asked(self, **fields):
        """What the initrd will read."""
        boot.boot(fields, 1000)
        self.assertEqual(self.ran.pop(), ["systemctl", "reboot", "--no-block"])
        return (self.folder / "next").read_text(encoding="ascii")

    def refused(self, code, word, **fields):
        with self.assertRaises(WowError) as caught:
            boot.boot(fields, 1000)
        self.assertEqual((caught.exception.code, self.ran, (self.folder / "next").exists()), (code, [], False), fields)
        self.assertIn(word, str(caught.exception))
        self.assertTrue(caught.exception.todo)


class Asking(Case):
    def test_each_mode_is_noted_before_the_machine_starts_again(self):
        self.assertEqual(self.asked(), "release\n")
        self.assertEqual(self.asked(mode="ephemeral"), "ephemeral\n")
        self.assertEqual(self.asked(mode="develop", module="surge"), "develop surge\n")
        self.assertEqual((self.folder / "next").stat().st_mode & 0o777, 0o600)

    def test_what_is_no_mode_or_no_module_is_refused_and_nothing_starts(self):
        self.refused("bad-request", '"maintenance" is no mode', mode="maintenance")
        self.refused("bad-request", "goes with develop", mode="develop")
        self.refused("bad-request", "goes with develop", mode="release", module="surge")
        self.refused("bad-request", "goes with develop", mode="release", over="yes")
        self.refused("bad-request", "goes with develop", mode="develop", module="surge", over="no")
        for name in BAD:
            self.refused("bad-request", "no name of a module", mode="develop", module=name)
        for name in modes.TAKEN:
            self.refused("bad-request", "every image has", mode="develop", module=name)
        for name in GOOD:
            self.assertEqual(self.asked(mode="develop", module=name), f"develop {name}\n")

    def test_a_manager_a_full_home_and_a_start_that_keeps_nothing_develop_no_module(self):
        self.free = (64 << 20) - 1
        self.refused("not-here", "64 MiB", mode="develop", module="surge")
        self.free += 1
        self.start("ephemeral")
        self.refused("not-here", "keeps nothing", mode="develop", module="surge")
        self.refused("not-here", "keeps nothing", mode="ephemeral")
        self.start("release")
        self.pool = samples.pool(node__role="manager")
        self.refused("not-here", "a manager", mode="develop", module="surge")
        self.assertEqual(self.asked(mode="ephemeral"), "ephemeral\n")

    def test_who_has_the_pool_s_authority_forgets_no_start(self):
        (self.folder / "ca").mkdir()
        self.refused("not-here", "would forget whom it admitted", mode="ephemeral")
        self.assertEqual(self.asked(mode="release"), "release\n")

    def test_from_a_start_that_keeps_nothing_one_gets_back(self):
        self.start("ephemeral")
        self.assertEqual(self.asked(mode="release"), "release\n")

    def test_a_module_that_was_begun_over_another_base_goes_on_where_that_is_said(self):
        self.begun(json.dumps({"base": BASE}))
        self.assertEqual(self.asked(mode="develop", module="surge", over="yes"), "develop surge\n")
        os.remove(self.folder / "next")
        for text in (json.dumps({"base": {"sha256": "cd" * 32}}), "{", "[]", '{"base": 1}'):
            self.begun(text)
            self.refused("not-here", "wow module develop surge --over", mode="develop", module="surge")
        self.assertEqual(self.asked(mode="develop", module="surge", over="yes"), "develop surge over\n")


class Verbs(Case):
    def called(self, *words, says=""):
        """(exit code, what root was asked) of a command line."""
        with mock.patch.object(client, "ask") as ask, mock.patch("builtins.print"), mock.patch("sys.stdin", io.StringIO(says)):
            return dispatch.main(list(words)), [(one.args, one.kwargs) for one in ask.call_args_list]

    def test_wow_boot_asks_and_then_has_it_done(self):
        self.assertEqual(self.called("boot", "ephemeral", says="yes\n"), (0, [(("boot",), {"mode": "ephemeral"})]))
        self.assertEqual(self.called("boot", "release", says="no\n"), (1, []))
        self.assertEqual(self.called("boot", "develop", "surge", "--yes", "--json"), (0, [(("boot",), {"mode": "develop", "module": "surge"})]))

    def test_a_mode_that_there_is_not_is_wrong_usage(self):
        for words in ((), ("maintenance",), ("develop",), ("develop", "a", "b"), ("release", "surge"), ("release", "--json")):
            self.assertEqual(self.called("boot", *words, says="yes\n"), (2, []), words)

    def test_wow_module_develop_is_the_same_and_takes_no_other_name(self):
        self.assertEqual(self.called("module", "develop", "surge", says="yes\n"), (0, [(("boot",), {"mode": "develop", "module": "surge"})]))
        self.assertEqual(self.called("module", "develop", "surge", "--over", "--yes"), (0, [(("boot",), {"mode": "develop", "module": "surge", "over": "yes"})]))
        for words in (("develop",), *(("develop", name, "--yes") for name in BAD if name[0] != "-"), ("list", "--yes"), ("list", "x"), ()):
            self.assertEqual(self.called("module", *words, says="yes\n"), (2, []), words)

    def test_the_question_is_answered_by_yes_alone(self):
        for said, code in (("yes\n", 0), ("y\n", 1), ("", 1), ("YES\n", 1)):
            self.assertEqual(self.called("boot", "release", says=said)[0], code, said)

    def test_modules_in_work_stand_below_the_layers_with_their_size_and_day(self):
        (self.folder / "works").write_text("surge 2048 2026-11-26\nhalf 3\nplots 10 2026-11-01\n", encoding="ascii")
        self.start("develop surge")
        found = module.works(str(self.folder / "works"))
        self.assertEqual([(one["name"], one["kind"], one["size_bytes"], one["stacked"], one["started"]) for one in found],
                         [("surge", "in work", 2097152, True, "2026-11-26"), ("plots", "in work", 10240, False, "2026-11-01")])
        lines = module.lines(found)
        self.assertRegex(lines[1], "^surge +in work +2.1 MB  yes +begun 2026-11-26$")
        self.assertEqual(module.works(str(self.folder / "nothing")), [])


class Words(Case):
    def test_a_start_says_what_it_is(self):
        self.assertEqual((modes.read(), modes.sentence(), modes.facts()), (("release", ""), "", {"name": "release", "module": None}))
        self.start("ephemeral")
        self.assertIn("nothing is kept", modes.sentence())
        self.start("develop surge")
        self.assertIn("stays in module surge, and no job runs", modes.sentence())
        self.assertEqual((modes.developed(), modes.facts()), ("surge", {"name": "develop", "module": "surge"}))

    def test_a_machine_on_which_a_module_is_developed_has_no_slots_and_its_page_says_so(self):
        self.assertTrue(self.pool.has_slots)
        self.start("develop surge")
        self.assertFalse(self.pool.has_slots)
        facts = text.Facts(0.0, "demo", "worker")
        self.assertIn("runs     no job", text.lines(facts))
        facts.developed = "surge"
        shown = text.lines(facts)
        self.assertIn("state    Module surge is developed here: no job runs.", shown)
        self.assertNotIn("runs     no job", shown)


class Root(Case):
    """What is open for root while a module is developed, and what an earlier start left in the files of accounts."""

    def test_root_and_apt_call_out_in_develop_alone(self):
        closed, opened = fence.sockets(self.pool), fence.sockets(self.pool, is_develop=True)
        more = [line.strip() for line in opened.splitlines() if line not in closed.splitlines()]
        self.assertEqual(more, [fence.DEVELOP_IN, fence.DEVELOP_OUT])
        for rule in more:
            chain = opened[:opened.index(rule)].rpartition("  chain ")[2]
            self.assertTrue(chain.startswith("physical_"), chain[:20])
            self.assertNotIn("counter drop\n  }", chain)

    def test_people_of_the_pool_are_added_anew_and_accounts_that_a_package_made_stay(self):
        files = {name: (self.folder / name) for name in ("passwd", "group", "shadow")}
        base = {"passwd": "root:x:0:0:root:/root:/bin/bash\n", "group": "root:x:0:\n", "shadow": "root:*:1::::::\n"}
        package = {"passwd": "postgres:x:120:120::/var:/bin/sh\n", "group": "postgres:x:120:\n", "shadow": "postgres:!:1::::::\n"}
        passwd, shadow = users.own(base["passwd"], base["shadow"])
        passwd, group, shadow = users.add(passwd, base["group"], shadow, {"alice": 1000, "bob": 1001})
        for name, said in (("passwd", passwd), ("group", group), ("shadow", shadow)):
            files[name].write_text(said + package[name], encoding="ascii")
        (self.folder / "users").write_text("alice 1000\nbob 1001\n", encoding="ascii")
        real = {f"/etc/{name}": str(path) for name, path in files.items()}
        read, write = accounts.files.read, accounts.files.write
        with mock.patch.object(accounts, "NUMBERS", str(self.folder / "users")), mock.patch.object(accounts, "HOMES", str(self.folder / "homes")), \
                mock.patch.object(accounts.files, "read", lambda path: read(real.get(path, path))), \
                mock.patch.object(accounts.files, "write", lambda path, text: write(real[path], text)), \
                mock.patch.object(accounts, "write_shadow", lambda text: write(str(files["shadow"]), text)):
            accounts.take_back()
        for name, path in files.items():
            self.assertEqual(path.read_text(encoding="ascii"), base[name] + package[name])


if __name__ == "__main__":
    unittest.main()
