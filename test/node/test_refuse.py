"""Projects that a machine's owner refuses: what may be refused, how it is kept, what HTCondor is told, and the verbs."""
import contextlib
import io
import json
import os
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import samples
import test_web

from wow.acts import pause as pausing
from wow.acts import refuse as act
from wow.agent import allowed
from wow.lib import names, startd
from wow.lib.errors import WowError, trouble
from wow.refuse import ask, state, tell
from wow.slots import begun
from wow.slots.running import Job
from wow.verbs import accept, refuse
from wow.web import pages, refusing

STRANGE = ("<b>a%x;ü", "Küste", "a.b+c", "x" * 80, "  blanks ", "two  blanks", "a\tb", "no\u00a0break", "\u202ea\x1b", "q\"uote", "back\\slash")
STORM = "^[[:space:]]*storm[[:space:]]+surge[[:space:]]*$"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path, self.told = folder.name, f"{folder.name}/refused/projects", []
        for one in (mock.patch.object(startd, "age", lambda: startd.SETTLED), mock.patch.object(state, "FILE", self.path),
                    mock.patch.object(tell, "FILE", f"{folder.name}/conf"), mock.patch.object(tell, "READ", f"{folder.name}/read"),
                    mock.patch.object(pausing.facts, "read", lambda *_: samples.pool(node__role="worker")), mock.patch.object(pausing, "wake", lambda: self.told.append("wake")),
                    mock.patch.object(startd.system, "run", lambda words, *_, **__: (self.told.append(words), (0, ""))[1])):
            one.start()
            self.addCleanup(one.stop)


class Kept(Folder):
    def test_a_project_is_refused_once_and_accepted_again_and_wow_jobs_is_woken(self):
        for _ in range(2):
            act.refuse({"project": "storm surge"}, 988)
        act.refuse({"project": "genome"}, 988)
        self.assertEqual((state.read(), os.stat(self.path).st_mode & 0o777), (["genome", "storm surge"], 0o644))
        act.accept({"project": "genome"}, 988)
        act.accept({"project": "nobody's"[:6]}, 988)
        self.assertEqual((state.read(), self.told), (["storm surge"], ["wake"] * 5))

    def test_what_is_shown_of_any_project_can_be_refused_and_nothing_else(self):
        for raw in STRANGE:
            self.assertTrue(state.is_name(names.clean(raw)), raw)
        for bad in ("", " ", " x", "x ", 'a"b', "a\nb", "a\\b", "a$(b)", "ü", "x" * 65, "a\0b"):
            with self.assertRaises(WowError) as caught:
                act.refuse({"project": bad}, 988)
            self.assertEqual(caught.exception.code, allowed.BAD_REQUEST)
        with self.assertRaises(WowError):
            act.refuse({}, 988)
        self.assertEqual((state.read(), self.told), ([], []))

    def test_it_has_a_bound(self):
        for number in range(state.MOST):
            act.refuse({"project": f"p{number:02}"}, 0)
        with self.assertRaises(WowError) as caught:
            act.refuse({"project": "one more"}, 0)
        self.assertEqual((caught.exception.code, len(state.read())), (allowed.NOT_HERE, state.MOST))
        act.accept({"project": "p00"}, 0)
        act.refuse({"project": "one more"}, 0)
        self.assertIn("one more", state.read())

    def test_whatever_the_file_has_become_only_names_are_taken(self):
        os.mkdir(os.path.dirname(self.path))
        pathlib.Path(self.path).write_bytes(b'good\nbad"\n$(BAD)\n\xff\n good\n' + b"x" * 100000)
        self.assertEqual(state.read(), ["good"])

    def test_a_file_that_is_no_good_keeps_every_job_away_and_is_told_until_a_project_is_refused_or_accepted(self):
        os.mkdir(os.path.dirname(self.path))
        for data, kept in ((b"genome\nstorm su", ["genome"]), (b"genome\n\0\0\0\n", ["genome"]), (b"\0" * 4096, []), (b"\xff\xfe\n", []),
                           (b"genome\ngenome\n", ["genome"])):
            for asked, word in (("refuse", "tides"), ("refuse", "genome"), ("accept", "tides")):
                pathlib.Path(self.path).write_bytes(data)
                self.assertEqual((state.read(), trouble(state.load) is None), (kept, False), data[:30])
                with self.assertRaises(WowError) as caught:
                    tell.Refusing().round(0)
                self.assertIn(f"{self.path}: is not as this program writes it", str(caught.exception))
                lines = pathlib.Path(tell.FILE).read_text(encoding="ascii").splitlines()[1:]
                self.assertEqual((lines[0], len(lines)), ("START = ($(START)) && False", 1 + bool(kept)), data[:30])
                self.assertIn('role="alert"', refusing.section(self.seen(), "k"))
                getattr(act, asked)({"project": word}, 0)
                self.assertEqual(state.load(), sorted({*kept, word} if asked == "refuse" else {*kept} - {word}), data[:30])
                tell.Refusing().round(0)
                self.assertNotIn("False", pathlib.Path(tell.FILE).read_text(encoding="ascii"))
                self.assertNotIn("alert", refusing.section(self.seen(), "k"))

    def test_one_that_the_disk_cannot_read_is_no_good_and_an_empty_one_is_none(self):
        os.makedirs(self.path)
        self.assertIn("cannot be read (Is a directory), so a project may be refused that it does not name", trouble(state.load))
        os.rmdir(self.path)
        self.assertEqual(state.load(), [])
        pathlib.Path(self.path).write_bytes(b"")
        self.assertEqual(state.load(), [])

    @staticmethod
    def seen():
        """What the page sees of a machine with slots."""
        return test_web.Pages.seen(test_web.Pages(), jobs=[])

    def test_a_full_disk_is_told_and_a_machine_without_slots_refuses_nothing(self):
        with mock.patch.object(state.files, "write", side_effect=OSError(28, "No space left on device")), self.assertRaises(WowError) as caught:
            act.refuse({"project": "a"}, 0)
        self.assertIn("nothing was changed", str(caught.exception))
        with mock.patch.object(pausing.facts, "read", lambda *_: samples.pool(node__role="login")), self.assertRaises(WowError) as caught:
            act.refuse({"project": "a"}, 0)
        self.assertEqual(caught.exception.code, allowed.NO_JOBS)


class Told(Folder):
    """HTCondor."""

    def test_without_any_nothing_is_said(self):
        self.assertEqual([line for line in tell.config([]).splitlines() if line[0] != "#"], [])

    def test_start_says_no_and_preempt_gives_back(self):
        self.assertEqual(tell.config(["storm surge"]).splitlines()[1:], [
            f'START = ($(START)) && (regexp("{STORM}", TARGET.ProjectName, "i")) =!= true',
            f'PREEMPT = ($(PREEMPT)) || (regexp("{STORM}", TARGET.ProjectName, "i")) =?= true'])

    def finds(self, shown, raw):
        """Whether who refuses what is shown so refuses a job's own word. HTCondor's library knows bytes, as this does, and classes of POSIX, as this does not."""
        pattern = re.search(r'regexp\("(.*?)", TARGET', tell.is_of(shown))[1].replace("[[:space:]]", r"[ \t\n\v\f\r]")
        return re.search(pattern.encode(), raw.encode(), re.IGNORECASE) is not None

    def test_a_strange_name_finds_what_is_shown_so_and_no_other(self):
        for raw in STRANGE:
            for shown in (names.clean(raw), names.clean(begun.one_line(raw))):
                for other in (*STRANGE, "surge", "", "anobreak", "nobreak"):
                    self.assertEqual(self.finds(shown, other), other == raw, (raw, other))

    def test_many_strange_letters_are_found_in_one_way(self):
        for raw in ("\u044f" * 63, "\u044f" * 90, "\u044f" * 31 + " " + "%" * 30):
            shown = names.clean(raw)
            self.assertTrue(self.finds(shown, raw), raw)
            self.assertEqual(tell.is_of(shown).count(tell.OTHER), 1 + (" " in raw), "each more has the ways multiply")

    def test_blanks_and_case_make_no_other_project(self):
        for raw in ("storm surge", " storm surge", "Storm  surge  ", "storm\tsurge\n"):
            self.assertTrue(self.finds("storm surge", raw), raw)
        for raw in ("stormsurge", "storm surge 2", "a storm surge", "storm?surge"):
            self.assertFalse(self.finds("storm surge", raw), raw)

    def test_what_is_shown_cut_off_finds_the_whole(self):
        for raw in ("x" * 80, "x" * 63 + " more", " " * 9 + "x" * 62 + "  more"):
            self.assertTrue(self.finds(names.clean(begun.one_line(raw)), raw), raw)
        self.assertFalse(self.finds("x" * 63, "x" * 64))

    def test_what_is_shown_of_a_project_with_quotes_refuses_that_one(self):
        shown = names.clean(begun.text_of(rb'"the \"storm\" surge"').decode())
        self.assertEqual(shown, "the ?storm? surge")
        self.assertTrue(self.finds(shown, 'the "storm" surge'))

    def test_no_name_ends_the_string_or_is_a_macro(self):
        for raw in STRANGE:
            self.assertNotRegex(tell.is_of(names.clean(raw)).partition('"')[2], r'\$\(|\\')

    def test_a_round_tells_once_and_again_only_when_it_changed(self):
        rounds = tell.Refusing()
        for _ in range(3):
            rounds.round(0)
        self.assertEqual(self.told, [["condor_reconfig", "-startd"]])
        act.refuse({"project": "a"}, 0)
        with mock.patch.object(startd.system, "run", lambda *_, **__: (1, "no startd")), self.assertRaises(WowError):
            rounds.round(0)
        self.told.clear()
        rounds.round(0)
        rounds.round(0)
        self.assertEqual(self.told, [["condor_reconfig", "-startd"]])


class Asked(Folder):
    """The verbs, and the page."""

    def said(self, verb, *words):
        asked = []
        with mock.patch.object(ask.client, "ask", lambda command, **fields: asked.append((command, fields))), mock.patch("builtins.print") as printed:
            self.assertEqual(verb.VERB.run(verb.VERB.read(list(words))), 0)
        return asked, printed.call_args.args[0]

    def test_the_verbs_take_a_name_with_blanks_and_tell_what_is_refused(self):
        state.change("genome", True)
        self.assertEqual(self.said(refuse, "storm", "surge"), ([("refuse", {"project": "storm surge"})], "This machine refuses jobs of:\n  genome"))
        self.assertEqual(self.said(accept, "genome")[0], [("accept", {"project": "genome"})])
        self.assertEqual(self.said(refuse), ([], "This machine refuses jobs of:\n  genome"))
        self.assertEqual(json.loads(self.said(accept, "--json")[1]), {"refused": ["genome"]})
        state.change("genome", False)
        self.assertEqual(self.said(refuse)[1], "This machine refuses no project.")
        pathlib.Path(self.path).write_bytes(b"genome\nst")
        with self.assertRaises(WowError) as caught:
            self.said(refuse)
        self.assertIn("Refuse again what is missing", str(caught.exception))
        with mock.patch.object(ask.client, "ask", lambda _, project: state.change(project, True)), contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()) as told:
            for _ in range(2):
                self.assertEqual(refuse.VERB.run(refuse.VERB.read(["tides", "--json"])), 0)
        self.assertEqual(out.getvalue(), '{"refused": ["genome", "tides"]}\n' * 2)
        self.assertEqual(told.getvalue().count("refuse again what is missing"), 1)

    def test_the_page_has_a_button_for_each_that_is_known(self):
        state.change("genome", True)
        given = f"{self.folder}/given.json"
        pathlib.Path(given).write_text('{"days":{"2026-11-26":[1,2,{"tides":[1,1],"-":[1,1],"(others)":[1,1]}]}}', encoding="ascii")
        with mock.patch.object(refusing.book.read, "__defaults__", (given,)):
            seen = test_web.Pages.seen(test_web.Pages(), jobs=[Job(2001, "a@b", 1, "<i>Küste"), Job(2002, "a@b", 1)])
            self.assertEqual(refusing.projects(seen), ["genome", "?i?K?ste", "storm surge", "tides"])
            said = pages.machine(seen, "k").decode()
            for words in ('action="/accept"><input type="hidden" name="key" value="k"><input type="hidden" name="project" value="genome">',
                          'action="/refuse"><input type="hidden" name="key" value="k"><input type="hidden" name="project" value="?i?K?ste">', "<bdi>genome</bdi> is refused"):
                self.assertIn(words, said)
            pathlib.Path(given).write_text("{", encoding="ascii")
            self.assertEqual(refusing.projects(seen), ["genome", "?i?K?ste", "storm surge"])
            seen.pool = samples.pool(node__role="manager")
            self.assertNotIn("Refuse projects", pages.machine(seen, "k").decode())


if __name__ == "__main__":
    unittest.main()
