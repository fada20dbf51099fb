"""What HTCondor is told of the pool's managers, and what follows from a list."""
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from wow.condor import collector, managers, pace, reread, start
from wow.config import facts, names
from wow.join import certificates, enrol, member, relist, renew
from wow.lib import agreed, console, control, files, overlay, paths, pem, startd, system
from wow.lib.errors import WowError
from wow.setup import configure, outside
from wow.stack import kept as stacks
import samples

TWO = [{"host": "manager", "address": "10.128.0.1", "ca": False}, {"host": "second", "address": "10.128.0.2", "ca": True}]
OPEN = {"pool__open": "yes", "ca__certificate": None, "ca__ticket": None}


def status(listed):
    """What ipopd answers where the CA's list is this."""
    return {**samples.STATUS, "managers": listed}


def settings(listed, host, resolved=(), **changes):
    """HTCondor's settings on a machine of that name; `resolved` are names that lead to an address."""
    pool = samples.pool(**changes)
    found = dict(resolved)

    def ask(_, name):
        if name not in found:
            raise WowError("not found", "")
        return {"address": found[name]}

    with mock.patch.object(control, "ask", ask):
        text = managers.config(pool, managers.found(pool, managers.listed(pool, status(listed))), host)
    return dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)


class Collectors(unittest.TestCase):
    def test_every_machine_names_all_managers_in_the_order_of_the_list(self):
        for role, host in (("worker", "alpha"), ("manager", "manager"), ("manager", "second")):
            told = settings(TWO, host, node__role=role)
            self.assertEqual("manager.science.internal:9618, second.science.internal:9618", told["COLLECTOR_HOST"])
            self.assertEqual("manager.science.internal", told["CONDOR_HOST"])
        later = [TWO[1], {"host": "third", "address": "10.128.0.3", "ca": False}]
        self.assertEqual("second.science.internal:9618, third.science.internal:9618", settings(later, "alpha")["COLLECTOR_HOST"])

    def test_without_a_list_there_is_one_manager_whatever_it_is_called(self):
        self.assertEqual("manager.science.internal:9618", settings([], "alpha")["COLLECTOR_HOST"])
        self.assertEqual("MASTER, COLLECTOR, NEGOTIATOR", settings([], "head", node__role="manager")["DAEMON_LIST"])

    def test_an_open_pool_s_managers_are_those_of_pool_conf(self):
        told = settings([], "alpha", **OPEN, pool__managers="boss second")
        self.assertEqual("boss.science.internal:9618, second.science.internal:9618", told["COLLECTOR_HOST"])

    def test_a_worker_s_daemons_are_not_the_list_s_matter(self):
        self.assertEqual({"CONDOR_HOST", "COLLECTOR_HOST", "TOOL.QUERY_TIMEOUT", "NEGOTIATOR.QUERY_TIMEOUT"}, set(settings(TWO, "alpha")))

    def test_tools_and_the_negotiator_wait_a_few_seconds_for_one_of_several_managers_and_as_long_as_htcondor_says_for_a_single_one(self):
        for who in ("TOOL", "NEGOTIATOR"):
            self.assertLessEqual(int(settings(TWO, "alpha")[f"{who}.QUERY_TIMEOUT"]), 5)
            for one in ([], TWO[:1]):
                self.assertNotIn(f"{who}.QUERY_TIMEOUT", settings(one, "alpha"))


class Taking(unittest.TestCase):
    def test_managers_agree_on_one_negotiator_and_carry_priorities_to_each_other(self):
        for host in ("manager", "second"):
            told = settings(TWO, host, node__role="manager")
            self.assertEqual("MASTER, COLLECTOR, NEGOTIATOR, HAD, REPLICATION", told["DAEMON_LIST"])
            self.assertEqual("HAD", told["MASTER_NEGOTIATOR_CONTROLLER"])
            self.assertEqual(["10.128.0.1:9618, 10.128.0.2:9618"] * 2, [told["HAD_LIST"], told["REPLICATION_LIST"]])

    def test_the_next_one_matches_within_a_minute(self):
        told = settings(TWO, "manager", node__role="manager")
        step = 2 * (2 * 2 * int(told["HAD_CONNECTION_TIMEOUT"]) + 1)
        self.assertLess(3 * step, 60)

    def test_only_had_and_replication_talk_to_whom_they_know_by_address_and_only_with_managers(self):
        told = settings(TWO, "manager", node__role="manager")
        skipping = {name for name in told if name.endswith("SSL_SKIP_HOST_CHECK")}
        self.assertEqual({f"{daemon}.SSL_SKIP_HOST_CHECK" for daemon in ("HAD", "REPLICATION", "TRANSFERER")}, skipping)
        for name in skipping:
            allowed = told[name.replace("SSL_SKIP_HOST_CHECK", "ALLOW_CLIENT")].split(", ")
            self.assertEqual(["manager@pool.science.internal"], [one for one in allowed if not one.endswith(("$(UID_DOMAIN)", "@family", "@child", "@parent"))])

    def test_one_manager_needs_nobody_to_agree_with(self):
        self.assertEqual("MASTER, COLLECTOR, NEGOTIATOR", settings(TWO[:1], "manager", node__role="manager")["DAEMON_LIST"])

    def test_who_was_taken_off_the_list_matches_nobody_any_more(self):
        self.assertEqual("MASTER", settings(TWO[:1], "second", node__role="manager")["DAEMON_LIST"])
        self.assertEqual("MASTER", settings([], "second", **OPEN, pool__managers="manager", node__role="manager")["DAEMON_LIST"])
        pool, told = samples.pool(node__role="manager"), status(TWO[:1])
        with mock.patch.object(console, "say_error") as said:
            self.assertTrue(managers.taken_off(pool, told, "second"))
            self.assertIn("revoke its certificate", said.call_args[0][0].todo)
            said.reset_mock()
            for host, listed, one in (("manager", TWO, pool), ("head", [], pool), ("alpha", TWO, samples.pool())):
                self.assertFalse(managers.taken_off(one, status(listed), host))
            self.assertFalse(said.called)

    def test_in_an_open_pool_a_manager_believes_the_others_by_where_they_are_and_waits_until_it_knows(self):
        changes = {**OPEN, "pool__managers": "boss second", "node__role": "manager"}
        alone = settings([], "boss", [("boss.science.internal", "10.128.7.1")], **changes)
        self.assertEqual("MASTER, COLLECTOR, NEGOTIATOR", alone["DAEMON_LIST"])
        told = settings([], "boss", [("boss.science.internal", "10.128.7.1"), ("second.science.internal", "10.128.7.2")], **changes)
        self.assertEqual("10.128.7.1:9618, 10.128.7.2:9618", told["HAD_LIST"])
        self.assertEqual(["condor@$(UID_DOMAIN)/$(IP_ADDRESS)", "anybody@claimed.science.internal/10.128.7.1", "anybody@claimed.science.internal/10.128.7.2"],
                         told["HAD.ALLOW_DAEMON"].split(", "))
        self.assertFalse([name for name in told if "SSL" in name])


class Keeping(unittest.TestCase):
    def test_the_list_that_another_ca_signed_is_not_kept_before_the_disk_s_own(self):
        with tempfile.TemporaryDirectory() as folder:
            there = {"managers.KEPT": f"{folder}/notice-2", "managers.ON_DISK": f"{folder}/managers.notice"}
            pathlib.Path(there["managers.KEPT"]).write_text("of another CA", encoding="ascii")
            pathlib.Path(there["managers.ON_DISK"]).write_text("of this one", encoding="ascii")
            pool = samples.pool()
            with mock.patch.multiple(paths, STATE=folder, DISK=f"{folder}/disk"), mock.patch.multiple(managers, KEPT=there["managers.KEPT"], ON_DISK=there["managers.ON_DISK"]), \
                    mock.patch.object(configure, "take_identity"), mock.patch.object(configure.accept, "keep"):
                for text, kept in (("", "of this one"), ("newer", "newer")):
                    if text:
                        pathlib.Path(there["managers.KEPT"]).write_text(text, encoding="ascii")
                    configure.state(pool, b"")
                    self.assertEqual(outside.lines(pool), pathlib.Path(folder, "pool.lines").read_text(encoding="ascii"))
                    self.assertEqual(kept, pathlib.Path(there["managers.KEPT"]).read_text(encoding="ascii"))

    def test_the_keys_of_the_disk_are_there_before_ipopd_starts_and_go_with_their_ca(self):
        with tempfile.TemporaryDirectory() as folder:
            disk, here = pathlib.Path(folder, "disk", "keys.notice"), pathlib.Path(folder, "keys.notice")
            disk.parent.mkdir()
            pool = samples.pool()
            with mock.patch.multiple(paths, STATE=folder, DISK=str(disk.parent)), \
                    mock.patch.multiple(managers, KEPT=f"{folder}/notice-2", ON_DISK=f"{folder}/managers.notice"), \
                    mock.patch.object(configure, "take_identity"), mock.patch.object(configure.accept, "keep"), mock.patch("wow.stack.kept.forget"):
                configure.state(pool, b"")
                self.assertFalse(here.exists(), "an older disk has none")
                for text in ("first", "second"):
                    disk.write_text(text, encoding="ascii")
                    configure.state(pool, b"")
                    self.assertEqual(text, here.read_text(encoding="ascii"))
                disk.unlink()
                configure.state(pool, b"")
                self.assertEqual("second", here.read_text(encoding="ascii"), "the disk was taken out")
                pathlib.Path(folder, "ca.pem").write_text("of another pool", encoding="ascii")
                configure.state(pool, b"")
                self.assertFalse(here.exists())

    def test_of_the_ca_s_certificates_on_the_disk_and_in_home_the_one_that_ends_last_counts_and_nothing_is_forgotten(self):
        with tempfile.TemporaryDirectory() as folder:
            here, keys = pathlib.Path(folder, "ca.pem"), pathlib.Path(folder, "keys.notice")
            disk, later, other = (pem.encode(one) for one in (samples.pool().ca_der, samples.certificate(until=46), samples.certificate(until=46, key=1)))
            earlier = pem.encode(samples.certificate(until=30))
            with mock.patch.multiple(paths, STATE=folder, DISK=f"{folder}/disk"), \
                    mock.patch.multiple(managers, KEPT=f"{folder}/notice-2", ON_DISK=f"{folder}/managers.notice"), \
                    mock.patch.object(configure, "take_identity"), mock.patch.object(configure.accept, "keep"), mock.patch("wow.stack.kept.forget") as forget:
                for found, counts, kept in ((later, later, True), (disk, disk, True), (earlier, disk, True), (other, disk, False), ("", disk, False)):
                    here.write_text(found, encoding="ascii")
                    keys.write_text("keys", encoding="ascii")
                    forget.reset_mock()
                    configure.state(samples.pool(), b"")
                    self.assertEqual((here.read_text(encoding="ascii"), keys.exists(), forget.called), (counts, kept, not kept))

    def test_the_stack_that_another_ca_signed_is_not_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            home, notice = pathlib.Path(folder, "home"), pathlib.Path(folder, "notice-3")
            (home / "stacks").mkdir(parents=True)
            for path in (home / "stacks/next", home / "stacks/good", notice):
                path.write_text("of another CA", encoding="ascii")
            place = stacks.Place(str(home))
            with mock.patch.multiple(paths, STATE=folder, DISK=f"{folder}/disk"), mock.patch.object(managers, "KEPT", f"{folder}/notice-2"), \
                    mock.patch.object(configure, "take_identity"), mock.patch.object(configure.accept, "keep"), \
                    mock.patch.object(stacks, "NOTICE", str(notice)), mock.patch.object(stacks, "Place", lambda: place):
                for _ in range(2):
                    configure.state(samples.pool(), b"")
                    self.assertEqual((list((home / "stacks").iterdir()), notice.exists()), ([], False))
                for path in (home / "stacks/next", notice):
                    path.write_text("of this one", encoding="ascii")
                configure.state(samples.pool(), b"")
                self.assertTrue(notice.exists() and (home / "stacks/next").exists())


class Ahead(unittest.TestCase):
    NOW = 1_800_000_000

    def told(self, head):
        """The number that is found in a file with this head, and what is said of it."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(console, "say_error") as said:
            path = pathlib.Path(folder, "notice-2")
            if head is not None:
                path.write_bytes(head)
            with mock.patch.object(managers.ahead, "__defaults__", (str(path),)):
                managers.tell_ahead(self.NOW)
                return managers.ahead(self.NOW), [str(call.args[0]) for call in said.call_args_list]

    @staticmethod
    def head(number, kind=2):
        """How the file of a list with this number begins."""
        return b"WOWN" + bytes([kind]) + number.to_bytes(8, "big") + b"\x40" + b"s" * 80

    def test_a_list_whose_number_is_a_time_to_come_is_told(self):
        number = self.NOW + 400 * 86400
        found, (said,) = self.told(self.head(number))
        self.assertEqual(number, found)
        self.assertIn("2028-02-19", said)
        self.assertIn("wow pool manager sign", said)

    def test_any_other_list_is_as_it_should_be_and_so_is_none(self):
        for head in (self.head(self.NOW + 3600), self.head(5), self.head(self.NOW + 400 * 86400, kind=1), b"WOWN\x02", b"", None):
            self.assertEqual((None, []), self.told(head))


class Asking(unittest.TestCase):
    def asked(self, listed, replies, there=(), own="alpha", **changes):
        """The collectors that are asked one after the other, where the overlay reaches the managers `there`; and what came of it."""
        words, answers = [], list(replies)

        def run(arguments, **_):
            words.append(arguments[2] if arguments[1] == "-pool" else "")
            return answers.pop(0)

        with mock.patch.object(facts, "read", return_value=samples.pool(**changes)), mock.patch.object(control, "status", lambda: status(listed)), \
                mock.patch.object(overlay, "boots", lambda addresses, **_: {one: "boot" if one in there else None for one in addresses}), \
                mock.patch.object(collector.os, "uname", return_value=mock.Mock(nodename=own)), mock.patch.object(system, "run", run):
            return words, collector.ask(["-any"], 5.0)

    def test_the_one_that_the_overlay_reaches_is_asked_first_and_the_other_where_that_says_nothing(self):
        self.assertEqual((["second.science.internal"], (0, "ads")), self.asked(TWO, [(0, "ads")], there=["10.128.0.2"]))
        self.assertEqual((["manager.science.internal", "second.science.internal"], (0, "ads")),
                         self.asked(TWO, [(1, "CEDAR:6001"), (0, "ads")], there=["10.128.0.1", "10.128.0.2"]))
        self.assertEqual((["manager.science.internal", "second.science.internal"], (1, "last")), self.asked(TWO, [(1, ""), (1, "last")]))

    def test_a_single_manager_is_asked_as_ever_and_so_it_is_without_an_ipopd(self):
        self.assertEqual(([""], (0, "ads")), self.asked([], [(0, "ads")]))
        with mock.patch.object(facts, "read", side_effect=OSError):
            self.assertEqual([[]], collector.places())

    def test_a_manager_asks_itself_and_one_that_was_taken_off_the_list_the_others(self):
        self.assertEqual(["second.science.internal"], self.asked(TWO, [(0, "")], own="second", node__role="manager")[0])
        self.assertEqual(["manager.science.internal"], self.asked(TWO, [(0, "")], there=["10.128.0.1"], own="third", node__role="manager")[0])


class HTCondor:
    """A master that takes commands or not, in a folder that stands for /run/wow. ends: what each look for HAD and negotiator finds, 0 where one is there."""

    def __init__(self, test, master="4711", ends=()):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.master, self.takes, self.ran, self.looked, self._ends = master, True, [], [], list(ends)
        for patch in (mock.patch.multiple(paths, RUN=folder.name), mock.patch.multiple(managers, FILE=f"{folder.name}/managers.conf", READ=f"{folder.name}/managers.read"),
                      mock.patch.multiple(reread, PACE=f"{folder.name}/pace.conf", PACE_READ=f"{folder.name}/pace.read"),
                      mock.patch.multiple(system, run=self.run, must=self.must), mock.patch.object(console, "NOTICE", f"{folder.name}/issue")):
            patch.start()
            test.addCleanup(patch.stop)

    def run(self, words, **_):
        """systemd's word, and looks for processes."""
        if words[0] == "systemctl":
            return 0, self.master
        self.looked.append(words)
        return (self._ends.pop(0) if self._ends else 1), ""

    def must(self, words, **_):
        """A command to the master."""
        self.ran.append(words[0])
        if not self.takes:
            raise WowError("Can't find address of the master", "", words[0])
        return ""

    @staticmethod
    def lists(read, present):
        """What it has read, and what there is."""
        files.write(managers.READ, read)
        files.write(managers.FILE, present)


class Change(unittest.TestCase):
    ALONE, TWO = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR\n", "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, HAD, REPLICATION\n"

    def test_where_the_last_other_manager_was_taken_off_the_negotiator_is_started_when_it_has_ended(self):
        on, off = ["condor_reconfig", "condor_on"], ["condor_reconfig"]
        for former, now, wanted in ((self.TWO, self.ALONE, on), (self.ALONE, self.TWO, off), (self.TWO, self.TWO + "HAD_LIST = more\n", off),
                                    (self.TWO, "DAEMON_LIST = MASTER\n", off), ("", self.ALONE, off)):
            condor, waited = HTCondor(self, ends=[0, 0, 1]), []
            condor.lists(former, now)
            self.assertTrue(reread.reread(waited.append))
            self.assertEqual((wanted, 2 if wanted is on else 0), (condor.ran, len(waited)))
            self.assertTrue(all(words[1:3] == ["-P", "4711"] for words in condor.looked), "a person's program of that name is none of HTCondor's")

    def test_htcondor_reads_it_again_once_and_is_not_started_anew(self):
        condor = HTCondor(self)
        for _ in range(2):
            managers.tell(samples.pool(), {**status(TWO), "address": None}, "alpha")
            reread.tried()
        self.assertEqual(["condor_reconfig"], condor.ran)

    def test_where_htcondor_does_not_run_yet_it_reads_it_when_it_starts(self):
        condor = HTCondor(self, master="0")
        condor.lists(self.ALONE, self.TWO)
        reread.tried()
        self.assertEqual(([], self.ALONE), (condor.ran, files.read(managers.READ)))

    def test_a_list_that_htcondor_did_not_take_is_given_again_until_it_does_and_the_journal_hears_of_it_once(self):
        condor, retry, wrong = HTCondor(self), reread.Retry(), set()
        condor.takes = False
        condor.lists(self.TWO, self.ALONE)
        for now in range(0, 100, 5):
            with self.assertRaises(WowError) as caught:
                retry.round(float(now))
            wrong.add(str(caught.exception))
        self.assertEqual((1, 4), (len(wrong), len(condor.ran)), "one text in every round, and a try each half minute")
        self.assertEqual(self.TWO, files.read(managers.READ))
        condor.takes = True
        for now in range(100, 200, 5):
            try:
                retry.round(float(now))
            except WowError as error:
                wrong.add(str(error))
        self.assertEqual((["condor_reconfig", "condor_on"], self.ALONE, 1), (condor.ran[4:], files.read(managers.READ), len(wrong)))

    def test_a_manager_whose_negotiator_was_not_started_again_is_told_to_once_more(self):
        condor = HTCondor(self)
        condor.lists(self.TWO, self.ALONE)
        with mock.patch.object(system, "must", lambda words, **_: condor.must(words) if words[0] == "condor_reconfig" else self.refuse(words)), self.assertRaises(WowError):
            reread.reread()
        reread.reread()
        self.assertEqual(["condor_reconfig", "condor_reconfig", "condor_on"], condor.ran)

    def test_what_is_told_of_the_machine_is_read_again_by_itself_too_and_leaves_the_negotiator_alone(self):
        condor = HTCondor(self)
        condor.lists(self.TWO, self.TWO)
        for text in ("WowPlace = 1\n", "\n"):
            files.write(reread.PACE, text)
            self.assertTrue(reread.reread())
            self.assertFalse(reread.reread())
            self.assertEqual((text, self.TWO), (files.read(reread.PACE_READ), files.read(managers.READ)))
        self.assertEqual(["condor_reconfig"] * 2, condor.ran)

    def test_what_is_told_of_the_machine_goes_before_a_manager_is_asked_and_again_where_the_one_before_was_ended(self):
        condor, asked = HTCondor(self), []
        with mock.patch.multiple(pace, FILE=reread.PACE, machine_ad=lambda *_: {"WowPlace": "1"}), mock.patch.object(control, "peers", list), \
                mock.patch.object(facts, "read", samples.pool), mock.patch.object(control, "status", lambda: status(TWO)), \
                mock.patch.object(collector, "ask", lambda *_: asked.append(list(condor.ran)) or (0, "50\n11")):
            condor.takes = False
            self.assertEqual(0, pace.main())
            self.assertEqual((None, ["condor_reconfig"]), (files.find(reread.PACE_READ), asked[0]))
            condor.takes = True
            self.assertEqual(0, pace.main())
        self.assertEqual((2, 3), (len(asked[1]) - 1, len(condor.ran)), "the first is told late and once")
        self.assertEqual((120, files.read(reread.PACE)), (pace.kept(files.read(reread.PACE)), files.read(reread.PACE_READ)))

    def test_what_was_there_between_two_equal_ones_is_told_for_a_daemon_may_have_been_started_with_it(self):
        condor = HTCondor(self)
        condor.lists(self.TWO, self.TWO)
        for file, read, one, other in ((reread.PACE, reread.PACE_READ, "1\n", "2\n"), (managers.FILE, managers.READ, self.TWO, self.ALONE)):
            for path in (file, read):
                files.write(path, one)
            self.assertFalse(startd.write(file, read, one) or reread.reread())
            self.assertTrue(startd.write(file, read, other) and startd.write(file, read, one))
            self.assertEqual(one + startd.STALE, files.read(read))
            self.assertTrue(reread.reread())
            self.assertEqual(one, files.read(read))
        self.assertEqual(["condor_reconfig"] * 2, condor.ran)

    def refuse(self, words):
        """A command that fails."""
        raise WowError("no master", "", words[0])

    def test_what_follows_from_a_list_does_not_wait_for_what_failed_and_the_console_says_it_once(self):
        HTCondor(self)
        followed, said = [], []
        with mock.patch.object(facts, "read", samples.pool), mock.patch.object(control, "status", lambda: status(TWO)), \
                mock.patch.object(managers, "tell", mock.Mock(side_effect=OSError(28, "No space left on device", "/run/wow/x"))), \
                mock.patch.object(member, "follow", lambda *_: followed.append(1)), mock.patch.object(console, "say", lambda step, **told: said.append(told["what"])):
            codes = [relist.main() for _ in range(3)]
            self.assertIn("No space left", files.read(console.NOTICE))
            with mock.patch.object(managers, "tell"):
                codes.append(relist.main())
        self.assertEqual(([1, 1, 1, 0], 4, ["No space left on device"], None), (codes, len(followed), said, files.find(console.NOTICE)))

    def test_the_name_manager_is_the_first_one_s_on_its_own_machine_too(self):
        pool = samples.pool(node__role="manager")
        self.assertEqual([True, False], [managers.is_first(pool, status(TWO), host) for host in ("manager", "second")])
        self.assertTrue(managers.is_first(pool, status([]), "head"))
        self.assertFalse(managers.is_first(samples.pool(), status([]), "alpha"))
        self.assertIn("head.science.internal head manager.science.internal", names.hosts("science.internal", "10.128.0.1", "head", True))

    def test_in_an_open_pool_a_manager_waits_for_the_others(self):
        pool = samples.pool(**OPEN, pool__managers="boss second", node__role="manager")
        answers = [[("boss", "10.128.7.1"), ("second", None)], [("boss", "10.128.7.1"), ("second", "10.128.7.2")]]
        told, waits = [], []
        with mock.patch.object(managers, "found", lambda *_: answers.pop(0)), mock.patch.object(control, "status", lambda: status([])), \
                mock.patch.object(managers, "tell", lambda *_: told.append(1)), mock.patch.object(reread, "tried"):
            start.wait_for_managers(pool, "boss", waits.append)
        self.assertEqual((2, 1, 0), (len(told), len(waits), len(answers)))


class Authority(unittest.TestCase):
    def test_who_enrols_goes_where_the_ca_is(self):
        asked = []

        def ask(command, **more):
            asked.append((command, more))
            raise WowError("nobody has that name", "")

        with mock.patch.object(control, "ask", ask):
            code, said = enrol.once(samples.pool(), "10.128.3.4")
        self.assertEqual([("resolve", {"name": "ca.science.internal"})], asked)
        self.assertEqual(agreed.UNREACHED, code)
        self.assertIn("Wait", enrol.explain(code, said).todo)

    def test_the_ca_is_served_only_where_its_folder_is(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(member, "CA", f"{folder}/ca"):
            manager, here = samples.pool(node__role="manager"), {**status(TWO), "address": "10.128.0.2"}
            self.assertEqual((False, True), (member.has_ca(manager, status([])), member.is_beside(manager, status([]))))
            os.mkdir(f"{folder}/ca")
            for told in (status([]), here):
                self.assertEqual((True, False), (member.has_ca(manager, told), member.is_beside(manager, told)))
            self.assertFalse(member.has_ca(manager, status(TWO)))
            for other in (samples.pool(), samples.pool(**OPEN, node__role="manager")):
                self.assertEqual((False, False), (member.has_ca(other, here), member.is_beside(other, here)))

    def test_a_copy_of_the_ca_s_folder_on_another_manager_is_not_served_and_the_console_says_so(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(member, "CA", f"{folder}/ca"), mock.patch.object(member, "CA_ADDRESS", f"{folder}/address"), \
                mock.patch.object(system, "systemctl") as told, mock.patch.object(console, "say_error") as said:
            os.mkdir(f"{folder}/ca")
            pool = samples.pool(node__role="manager")
            member.follow(pool, {**status(TWO), "address": "10.128.0.1"}, "10.128.0.1")
            self.assertEqual([mock.call("stop", "--no-block", "wow-ca.service")], told.mock_calls)
            self.assertIn("the CA is on the manager 10.128.0.2", said.call_args[0][0].what)
            said.reset_mock()
            member.follow(pool, {**status(TWO), "address": "10.128.0.2"}, "10.128.0.2")
            self.assertEqual(mock.call("restart", "--no-block", "wow-ca.service"), told.mock_calls[-1])
            self.assertFalse(said.called)

    def test_a_manager_beside_the_ca_shows_it_its_certificate_before_it_is_time(self):
        early = certificates.renew_from(samples.STATUS["certificate"]) - 1000
        asked, codes = [], [agreed.UNREACHED, agreed.DONE]
        told = {**status(TWO), "address": "10.128.0.1"}
        with mock.patch.object(renew.time, "time", lambda: early), mock.patch.object(control, "status", lambda: told), mock.patch.object(control, "ask"), \
                mock.patch.object(enrol, "once", lambda *_, shows: asked.append(shows) or (codes.pop(0), "")), mock.patch.object(console, "say_error") as wrong, \
                mock.patch.object(certificates, "wait", return_value=told), mock.patch.object(console, "say") as said:
            for role in ("manager", "manager", "worker"):
                renew.renew(samples.pool(node__role=role))
            self.assertFalse(wrong.called or said.called)
        self.assertEqual([True, True], asked)

    def test_a_manager_whose_address_is_another_machine_s_at_the_ca_says_so(self):
        early = certificates.renew_from(samples.STATUS["certificate"]) - 1000
        told = {**status(TWO), "address": "10.128.0.1"}
        with mock.patch.object(renew.time, "time", lambda: early), mock.patch.object(control, "status", lambda: told), \
                mock.patch.object(enrol, "once", return_value=(agreed.ADDRESS_REFUSED, "10.128.0.1 belongs to another machine")), \
                self.assertRaises(WowError) as wrong:
            renew.renew(samples.pool(node__role="manager"))
        self.assertIn("belongs to another machine", wrong.exception.what)
        self.assertIn("wow pool manager remove", wrong.exception.todo)

    def test_a_certificate_that_ended_is_taken_from_the_disk_for_the_same_key_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            disk, state = f"{folder}/disk", f"{folder}/state"
            for place, ends in ((disk, 200), (state, 100)):
                os.mkdir(place)
                files.write(f"{place}/node.key", "key")
                files.write(f"{place}/node.pem", f"until {ends}")
            with mock.patch.object(configure, "ended", lambda pem: int(pem.split()[1])):
                for now, key, kept in ((50, "key", 100), (150, "other", 100), (150, "key", 200)):
                    files.write(f"{disk}/node.key", key)
                    with mock.patch.object(configure.time, "time", lambda now=now: now):
                        configure.take_identity(disk, state)
                    self.assertEqual(f"until {kept}", files.read(f"{state}/node.pem"))
                files.write(f"{disk}/node.pem", "until 190")
                configure.take_identity(disk, state)
                self.assertEqual("until 200", files.read(f"{state}/node.pem"))

    def test_when_a_certificate_ends(self):
        self.assertEqual(2082758400, configure.ended(pem.encode(samples.certificate())))
        for text in (None, "", "x", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"):
            self.assertEqual(0, configure.ended(text))

    def test_the_doctor_and_the_list_agree_where_the_ca_is(self):
        self.assertEqual("10.128.0.2", managers.authority(status(TWO)))
        self.assertEqual("10.128.0.1", managers.authority(status([])))


class PoolConf(unittest.TestCase):
    def test_an_open_pool_s_managers_are_different_names_and_a_closed_pool_s_are_the_ca_s_matter(self):
        self.assertEqual(("boss", "second"), samples.pool(**OPEN, pool__managers="boss second").managers)
        self.assertEqual((), samples.pool().managers)
        nine = " ".join(f"m{number}" for number in range(agreed.MOST_MANAGERS + 1))
        for wrong, changes in (("boss boss", OPEN), ("Boss", OPEN), ("boss", {}), ("boss manager", OPEN), (nine, OPEN)):
            with self.assertRaises(WowError) as caught:
                samples.pool(**changes, pool__managers=wrong)
            self.assertEqual("[pool] managers", caught.exception.key)


if __name__ == "__main__":
    unittest.main()
