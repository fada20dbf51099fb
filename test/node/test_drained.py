"""Machines that the pool's administrator drained: how the notice is read, what follows on such a machine, and what a manager's negotiator is told."""
import os
import pathlib
import random
import tempfile
import unittest
from unittest import mock

import samples
from test_history_pages import printed
from test_pool_page import NEGOTIATOR, NOW, OLDEST, busy, machine, queue

from wow.condor import drained as negotiating
from wow.condor import drop_in, reread
from wow.history import looked
from wow.lib import agreed, files, system
from wow.lib.errors import WowError
from wow.pause.state import Pause
from wow.stops import drained, holding, tell, words
from wow.verbs import history
from wow.verbs import pool as pool_verb
from wow.lib.verb import Given

SINCE = 1_795_707_748


def noticed(text, kind=agreed.DRAINED_NOTICE):
    """A notice's file, as ipopd writes it."""
    return b"WOWN" + bytes((kind,)) + (7).to_bytes(8, "big") + bytes((3,)) + b"sig" + text


class Case(unittest.TestCase):
    """A machine called beta, whose notice is a file of the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.file = self.root / "notice-8"
        for one in (mock.patch.object(drained, "FILE", str(self.file)), mock.patch.object(os, "uname", lambda: mock.Mock(nodename="beta"))):
            one.start()
            self.addCleanup(one.stop)

    def told(self, *hosts):
        """These machines are drained."""
        self.file.write_bytes(noticed("".join(["wow-drained 1\n", *(f"{host} {SINCE}\n" for host in hosts)]).encode()))


class Reading(Case):
    def test_each_machine_of_the_notice_with_its_time(self):
        self.assertEqual(drained.read(), {})
        self.told("alpha", "beta")
        self.assertEqual(drained.read(), {"alpha": SINCE, "beta": SINCE})
        self.told()
        self.assertEqual(drained.read(), {})

    def test_as_many_as_the_ca_signs_and_no_more(self):
        self.told(*(f"{at:03}{'x' * 60}" for at in range(agreed.MOST_DRAINED)))
        self.assertEqual(len(drained.read()), agreed.MOST_DRAINED)
        self.told(*(f"m{at}" for at in range(agreed.MOST_DRAINED + 1)))
        self.assertEqual(drained.read(), {})

    def test_what_is_no_such_text_names_none(self):
        good = b"wow-drained 1\nbeta 5\n"
        for text in (b"", b"wow-drained 1", b"wow-drained 2\nbeta 5\n", good[:-1], good + b"\n", good + b"gamma\n", good + b"gamma -1\n", good + b"gamma 0\n", good + b"gamma 99999999999\n",
                     good + b'ga"mma 5\n', good + b"$(REBOOT) 5\n", good + b"Gamma 5\n", good + b"a.b 5\n", good + "gamma \u0665\n".encode(), good + b" 5\n", good + b"g" * 64 + b" 5\n", good + b"gamma 5 5\n"):
            self.file.write_bytes(noticed(text))
            self.assertEqual(drained.read(), {}, text)
        self.file.write_bytes(noticed(good, kind=6))
        self.assertEqual(drained.read(), {})
        chance = random.Random(5)
        for _ in range(2000):
            noise = bytearray(noticed(good))
            for _ in range(chance.randrange(1, 6)):
                noise[chance.randrange(len(noise))] = chance.randrange(256)
            self.file.write_bytes(noise)
            self.assertLessEqual(len(drained.read()), 2)


class Machine(Case):
    def test_it_takes_no_new_jobs_lets_those_that_run_end_and_says_why(self):
        self.assertIsNone(holding.over(None))
        self.told("alpha")
        self.assertIsNone(holding.over(None))
        self.told("alpha", "beta")
        pause = holding.over(None)
        self.assertEqual((pause.since, pause.until, pause.finish), (SINCE, None, True))
        self.assertIn(f'WowPauseReason = "{drained.REASON}"', tell.config(pause))
        self.assertIn("WowPauseFinish = true", tell.config(pause))
        self.assertIn("Takes no new jobs, and is paused when the one that runs has ended; by the pool's administrator", words.sentence(pause, 1))
        self.assertIn("wow pool drain NAME --end", words.told(pause))
        self.assertNotIn("wow resume", words.told(pause))

    def test_the_owner_s_own_pause_comes_first_and_after_it_the_administrator_s_holds(self):
        self.told("beta")
        for finish in (False, True):
            self.assertEqual(holding.over(Pause(1, None, finish, "alice")).who, "alice")
        self.assertEqual(holding.over(None).who, drained.WHO)


class Negotiator(Case):
    def setUp(self):
        super().setUp()
        self.ran, self.takes = [], True
        for one in (mock.patch.object(negotiating, "FILE", str(self.root / "drained.conf")), mock.patch.object(negotiating, "READ", str(self.root / "drained.read")),
                    mock.patch.object(system, "must", self.must)):
            one.start()
            self.addCleanup(one.stop)

    def must(self, command, **_):
        """HTCondor's master."""
        self.ran.append(command)
        if not self.takes:
            raise WowError("it is starting", "", "condor_reconfig")

    def test_its_constraint_names_the_machines_and_nothing_where_there_are_none(self):
        self.assertEqual(negotiating.config(["beta", "alpha"]).splitlines()[1:], [
            'NEGOTIATOR_SLOT_CONSTRAINT = (State == "Claimed" && PartitionableSlot =!= true) =?= true || stringListMember(split(Machine, ".")[0], "alpha,beta") =!= true'])
        self.assertNotIn("NEGOTIATOR", negotiating.config([]))
        manager = drop_in.config(samples.pool(node__role="manager"), "10.128.0.1", "manager")
        self.assertIn(f"include ifexist : {negotiating.FILE}\n", manager)
        self.assertNotIn("drained", drop_in.config(samples.pool(), "10.128.0.2", "alpha"))

    def test_htcondor_is_told_once_of_each_new_list_and_of_its_end(self):
        keeper = negotiating.Draining()
        keeper.round(0.0)
        # As the unit does before it starts HTCondor.
        files.write(negotiating.READ, files.read(negotiating.FILE))
        self.ran.clear()
        for now, hosts, times in ((40, (), 0), (45, ("beta",), 1), (50, ("beta",), 1), (80, ("beta", "alpha"), 2), (120, (), 3), (160, (), 3)):
            self.told(*hosts)
            keeper.round(float(now))
            self.assertEqual(len(self.ran), times, now)
        self.assertEqual(self.ran[0], ["condor_reconfig"])

    def test_a_master_that_takes_nothing_is_told_again_and_a_new_list_outlives_a_start_of_the_program(self):
        self.takes = False
        self.told("beta")
        keeper, wrong = negotiating.Draining(), set()
        for now in range(0, 100, 5):
            with self.assertRaises(WowError) as caught:
                keeper.round(float(now))
            wrong.add(str(caught.exception))
        self.assertEqual((len(self.ran), len(wrong)), (1 + int(99 // reread.AGAIN), 1))
        self.takes = True
        negotiating.Draining().round(0.0)
        self.assertEqual(files.read(negotiating.READ), files.read(negotiating.FILE))


class Pages(Case):
    def look(self, *ads):
        """What the page shows of these ads."""
        return looked.Looked(printed(*ads), NOW).facts()

    def test_a_drained_machine_has_a_state_of_its_own_whatever_its_ads_say(self):
        self.told("beta", "gone")
        rows = {row[0]: row[1] for row in self.look(machine(), busy(), machine("gamma", Cpus=4), queue())["machines"]}
        self.assertEqual(rows, {"beta": "drained by the admin", "gamma": "free", "alpha": "only submits"})

    def test_a_job_does_not_wait_for_a_machine_that_gets_none(self):
        self.assertIn("has not looked at it", self.look(queue(oldest=OLDEST), machine(Cpus=4), NEGOTIATOR)["oldest"]["text"])
        self.told("beta")
        self.assertIn("administrator", self.look(queue(oldest=OLDEST), machine(Cpus=4), NEGOTIATOR)["oldest"]["text"])

    def test_the_history_names_them_and_that_of_an_older_manager_does_not(self):
        told = {"days": None, "person": [], "project": [], "owner": []}
        self.assertNotIn("Drained", "\n".join(history.lines(told)))
        self.assertEqual(history.lines({**told, "drained": ["beta", "<b>"]})[-1].split(": ")[0], "Drained by the administrator")
        self.assertTrue(history.lines({**told, "drained": [f"m{at}" for at in range(1000)]})[-1].endswith("and 980 more: --json"))


class Verb(unittest.TestCase):
    def test_on_a_manager_the_ca_does_it_and_elsewhere_it_says_where(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder, "wow-ca")
            tool.write_text("#!/bin/sh\n")
            tool.chmod(0o755)
            given = Given(["drain", "beta", "--end"], {})
            with mock.patch.object(pool_verb, "AUTHORITY", str(tool)), mock.patch.object(os, "execv") as run:
                with mock.patch.object(pool_verb.paths, "AUTHORITY", f"{folder}/ca"), self.assertRaises(WowError) as caught:
                    pool_verb.run(given)
                self.assertIn("ssh NAME@MANAGER", str(caught.exception))
                run.assert_not_called()
                with mock.patch.object(pool_verb.paths, "AUTHORITY", folder):
                    pool_verb.run(given)
                run.assert_called_once_with(str(tool), [str(tool), "drain", "beta", "--end"])


if __name__ == "__main__":
    unittest.main()
