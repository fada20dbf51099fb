"""Joining: certificates, enrolment's answers, overlap with the machine's own network."""
import tempfile
import unittest
from unittest import mock

from wow.jobs import lapsed
from wow.join import certificates, enrol, join, member, renew
from wow.lib import agreed, console, control, der, files, paths, system
from wow.lib.errors import WowError
import samples


class Certificates(unittest.TestCase):
    def test_only_a_valid_certificate_for_the_address_counts(self):
        before, after = 1800000000, 1900000000
        self.assertTrue(certificates.is_valid(samples.STATUS, before))
        self.assertFalse(certificates.is_valid(samples.STATUS, after))
        self.assertFalse(certificates.is_valid({**samples.STATUS, "address": "10.128.9.9"}, before))
        self.assertFalse(certificates.is_valid({**samples.STATUS, "certified": False}, before))
        self.assertFalse(certificates.is_valid({**samples.STATUS, "certificate": None}, before))

    def test_what_is_missing_is_the_network_or_the_address(self):
        lost = {**samples.STATUS, "ring": {"joined": False, "connections": 0, "near": 0}}
        self.assertEqual(join.missing("science", lost).key, "network")
        self.assertEqual(join.missing("science", samples.STATUS).key, "address")


class ManagerThatWasOff(unittest.TestCase):
    def waited(self, has_ca, *looks):
        """What was told, and what is known of the manager at the end, where its certificate is valid at each look or not."""
        pool, status = samples.pool(node__role="manager"), {**samples.STATUS, "certificate": None}
        answers, pauses = [{**samples.STATUS, "host": "boss"} if is_valid else status for is_valid in looks], []
        with mock.patch.object(join, "wait_for_address", side_effect=[(status, "10.128.3.4"), ({**samples.STATUS, "host": "boss"}, "10.128.3.4")]), \
                mock.patch.object(system, "must"), mock.patch.object(member, "has_ca", return_value=has_ca), mock.patch.object(console, "say_error") as told, \
                mock.patch.object(enrol, "wait", lambda pause, address: pauses.append((pause, address)) or True), \
                mock.patch.object(certificates, "is_valid", lambda said, now=None: bool(said["certificate"])), \
                mock.patch.object(control, "ask", lambda command, *_, **__: {} if command == "reload" else answers.pop(0)):
            found = join.certified(pool)
        self.assertEqual([(join.LOOK, "10.128.3.4")] * len(looks), pauses)
        return [call.args[0] for call in told.call_args_list], found

    def test_it_asks_for_a_new_disk_whether_it_has_the_ca_or_not_and_only_the_ca_s_root_may_do_without(self):
        for has_ca in (True, False):
            (error,), _ = self.waited(has_ca, True)
            self.assertIn("wow pool stamp, where the pool was made; then start this machine with its new WOWCFG disk", error.todo)
            self.assertEqual(has_ca, "Its root may type here instead: wow-ca renew" in error.todo)

    def test_it_waits_and_tells_of_it_once_and_again_every_ten_looks_and_goes_on_with_the_new_one(self):
        told, (status, address) = self.waited(True, *[False] * 10, True)
        self.assertEqual((2, "boss", "10.128.3.4"), (len(told), status["host"], address))


    def test_one_whose_certificate_is_not_valid_yet_has_the_ca_at_hand_make_it_anew(self):
        for has_ca, begins, asked in ((True, 10**10, 2), (True, 0, 0), (False, 10**10, 0)):
            with mock.patch.object(der, "validity", return_value=(begins, 2 * 10**10)), mock.patch.object(system, "run", return_value=(0, "renewed")) as ran:
                self.waited(has_ca, False, False, True)
            self.assertEqual([mock.call([member.WOW_CA, "renew", "--state", member.CA, "--out", paths.STATE])] * asked, ran.call_args_list)


class ClockThatWasWrong(unittest.TestCase):
    def commands(self, *held):
        """What was asked of ipopd and what was started, where ipopd's status has these certificates one after the other."""
        asked, started, answers = [], [], list(held)

        def ask(command, *_, **__):
            asked.append(command)
            if command == "reload":
                return {"ok": True}
            certificate = answers.pop(0)
            return {**samples.STATUS, "certificate": certificate, "certified": certificate is not None}

        with mock.patch.object(control, "ask", ask), mock.patch.object(system, "must", lambda arguments, *_: started.append(arguments[0])), \
                mock.patch.object(system, "systemctl", lambda *arguments: started.append(arguments[-1])):
            renew.renew(samples.pool())
        return asked, started

    def test_a_certificate_that_ipopd_dropped_while_the_clock_was_ahead_is_loaded_again(self):
        asked, started = self.commands(None, samples.STATUS["certificate"])
        self.assertEqual((asked, started), (["status", "reload", "status"], []))

    def test_a_certificate_that_is_lost_for_good_begins_the_joining_anew(self):
        self.assertEqual(self.commands(None, None)[1], ["wow-join.service"])


class Renewal(unittest.TestCase):
    DUE = certificates.renew_from(samples.STATUS["certificate"])

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.now, self.status, self.started = self.DUE + 1, samples.STATUS, []
        self.answer, self.name = agreed.UNREACHED, "alpha"
        for patch in (
                mock.patch.object(paths, "RUN", folder.name), mock.patch.object(renew, "TOLD", f"{folder.name}/renew.error"),
                mock.patch.object(renew.facts, "read", samples.pool),
                mock.patch.multiple(console, NOTICE=f"{folder.name}/notice", STEPS=f"{folder.name}/steps", KMSG=f"{folder.name}/kmsg"),
                mock.patch.object(renew.time, "time", lambda: self.now), mock.patch.object(control, "ask", lambda *_, **__: self.status),
                mock.patch.object(system, "must", lambda words, *_: self.started.append(words)),
                mock.patch.object(system, "systemctl", lambda *words: self.started.append(list(words)))):
            patch.start()
            self.addCleanup(patch.stop)
        files.write(console.KMSG, "")
        self.joined("alpha")

    def joined(self, host, address="10.128.3.4"):
        """The machine joined under this name."""
        files.write(f"{paths.RUN}/joined", f"{address} {host}\n")

    def ask(self, pool, address, shows=False):
        """The CA's answer."""
        if self.answer == agreed.DONE:
            certificate = {**samples.STATUS["certificate"], "serial": "02", "not_after": "2027-03-01T00:00:00Z", "renew_from": "2027-02-20T00:00:00Z", "host": self.name}
            self.status = {**samples.STATUS, "certificate": certificate, "host": self.name}
        return self.answer, "the CA can't be reached"

    def run_once(self):
        """wow-renew's exit code, and whether it asked the CA."""
        with mock.patch.object(enrol, "once", side_effect=self.ask) as once:
            return renew.main(), once.called

    def test_the_next_certificate_is_asked_for_when_ipopd_says_that_it_is_time(self):
        self.assertEqual(self.DUE, 1800489600)
        for now, expected in ((self.DUE - 1, (0, False)), (self.DUE, (0, False)), (self.DUE + 1, (1, True))):
            self.now = now
            self.assertEqual(self.run_once(), expected)

    def test_what_kept_it_is_told_once_and_is_gone_from_above_the_login_prompt_when_it_succeeded(self):
        self.assertEqual(((1, True), (1, True)), (self.run_once(), self.run_once()))
        self.assertIn("the certificate ends in 9 days and was not renewed", files.read(console.NOTICE))
        self.assertEqual(1, files.read(console.STEPS).count("error"))
        self.answer = agreed.DONE
        self.assertEqual((0, True), self.run_once())
        self.assertEqual("", files.read(console.NOTICE))

    def test_what_another_program_told_meanwhile_stays(self):
        self.run_once()
        console.say_error(WowError("home is full", "Make room"))
        self.answer = agreed.DONE
        self.run_once()
        self.assertIn("home is full", files.read(console.NOTICE))

    def test_a_manager_beside_the_ca_whose_address_is_refused_says_so_until_it_is_not(self):
        self.now, self.answer = self.DUE - 1, agreed.ADDRESS_REFUSED
        with mock.patch.object(member, "is_beside", return_value=True):
            self.assertEqual((1, True), self.run_once())
            self.assertIn("wow-ca list tells who has it", files.read(console.NOTICE))
            self.answer = agreed.DONE
            self.assertEqual((0, True), self.run_once())
        self.assertEqual("", files.read(console.NOTICE))

    def test_a_machine_that_gets_another_name_joins_anew_under_it_also_where_that_failed_at_first(self):
        anew = ["systemctl", "restart", "--no-block", "wow-join.service"]
        self.answer = agreed.DONE
        self.run_once()
        self.assertEqual([], self.started)
        self.status, self.name = samples.STATUS, "other"
        self.run_once()
        self.assertEqual([anew], self.started)
        self.assertIn("host=other", files.read(console.STEPS))
        self.assertEqual((0, False), self.run_once())
        self.assertEqual([anew] * 2, self.started)
        self.joined("other")
        self.run_once()
        self.joined("alpha", "10.128.9.9")
        self.run_once()
        self.assertEqual([anew] * 2, self.started, "a machine that joined under it, or whose address is another, which `watch` sees")

    def test_a_joining_has_wow_renew_look_where_it_is_time_and_on_a_manager_beside_the_ca_in_any_case(self):
        for now, is_beside, status, looks in ((self.DUE, False, samples.STATUS, 0), (self.DUE + 1, False, samples.STATUS, 1), (self.DUE, True, samples.STATUS, 1),
                                              (self.DUE + 1, False, {**samples.STATUS, "certificate": None}, 0)):
            self.now, self.started = now, []
            with mock.patch.multiple(member, name=mock.DEFAULT, follow=mock.DEFAULT, is_beside=lambda *_, is_beside=is_beside: is_beside), \
                    mock.patch.multiple(join, charon=mock.DEFAULT, condor=mock.DEFAULT, kept=mock.DEFAULT, managers=mock.DEFAULT) as parts, \
                    mock.patch.object(join, "certified", return_value=(status, "10.128.3.4")), mock.patch.object(console, "OWN", f"{paths.RUN}/own"):
                parts["managers"].taken_off.return_value = False
                join.join(samples.pool())
            self.assertEqual([["start", "--no-block", "wow-renew.service"]] * looks, self.started)

    def test_a_certificate_that_ends_while_the_machine_runs_has_wow_renew_look_at_once_and_not_again_and_again(self):
        one, looks = lapsed.Lapsed(lambda: status), []
        for said in (None, True, False, False, True, False, True):
            status = None if said is None else {**samples.STATUS, "certified": said}
            one.round(0.0)
            looks.append(len(self.started))
        self.assertEqual([0, 0, 1, 1, 1, 2, 2], looks)
        self.assertEqual([["start", "--no-block", "wow-renew.service"]] * 2, self.started)
        status = {**samples.STATUS, "certified": False, "open": True}
        one.round(0.0)
        self.assertEqual(2, len(self.started), "an open pool has no certificates")


class Enrolment(unittest.TestCase):
    def test_every_answer_says_what_to_do(self):
        for code in (agreed.UNREACHED, agreed.WAITING, agreed.NOT_ADMITTED, agreed.TICKET_SPENT, agreed.ADDRESS_REFUSED, agreed.USAGE, agreed.REFUSED, 134):
            error = enrol.explain(code, "")
            self.assertTrue(error.what and error.todo, code)
        for code in (agreed.NOT_ADMITTED, agreed.TICKET_SPENT):
            said = "ticket t1 is used up, then type there: wow enroll --ticket ID:SECRET"
            error = enrol.explain(code, said)
            self.assertEqual((error.file, error.key, error.what), ("pool.conf", "[ca] ticket", said))
            # No ticket helps who was denied or revoked, or is not on the list: the CA said what does.
            for said in ("denied, and no ticket changes that: wow-ca approve 00", "revoked: wow reset and a ticket"):
                error = enrol.explain(code, said)
                self.assertEqual((error.file, error.key, error.what), ("", "enrolment", said))
                self.assertNotIn("ticket", error.todo)

    def test_a_last_question_that_nobody_answers_ends_before_the_command_is_ended(self):
        with mock.patch.object(enrol, "enrolment"), mock.patch.object(control, "ask", return_value={"address": "10.0.0.1"}), \
                mock.patch.object(system, "run", return_value=(0, "")) as run:
            enrol.once(mock.Mock(), "10.0.0.2")
        words = run.call_args.args[0]
        # EstClient has 15 s for the connection and 60 for the answer.
        self.assertGreater(run.call_args.kwargs["timeout"], int(words[words.index("--timeout") + 1]) + 75)

    def test_a_given_ticket_takes_the_place_of_the_one_in_pool_conf(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(enrol, "TICKET", f"{folder}/ticket"):
            self.assertEqual(enrol.command(), [enrol.IPOPD, "enroll", "--config", paths.IPOPD_CONF, "--timeout", "30"])
            with open(f"{folder}/ticket", "w", encoding="ascii") as file:
                file.write("new:new\n")
            self.assertEqual(enrol.command()[6:], ["--ticket-file", f"{folder}/ticket"])
            self.assertNotIn("new:new", " ".join(enrol.command()))


class Own(unittest.TestCase):
    def test_the_address_of_the_machine_s_own_network_is_told_without_a_port(self):
        self.assertEqual(control.own_address(samples.STATUS), "192.168.1.7")
        self.assertEqual(control.own_address({**samples.STATUS, "nat": {**samples.STATUS["nat"], "inside": []}}), "")

    def joined(self, inside, *tells):
        """What the last line of the console has, what stands above the login prompt after it, and what is told of the start, of a machine that joins and has these
        endpoints of its own. tells: the ways in which something was told before."""
        status, said = {**samples.STATUS, "nat": {**samples.STATUS["nat"], "inside": inside}}, {}
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(console, "OWN", f"{folder}/own"), mock.patch.object(console, "NOTICE", f"{folder}/wrong"), \
                mock.patch.object(console, "OF_START", f"{folder}/start"), \
                mock.patch.object(paths, "RUN", folder), mock.patch.object(join, "certified", return_value=(status, "10.128.3.4")), \
                mock.patch.multiple(join, member=mock.DEFAULT, charon=mock.DEFAULT, managers=mock.DEFAULT, condor=mock.DEFAULT) as parts, \
                mock.patch.object(console, "say", lambda step, **facts: said.update({step: facts})):
            parts["managers"].taken_off.return_value = parts["member"].is_beside.return_value = False
            console.leave_own("192.0.2.1")
            for tell in tells:
                tell(WowError("is of another pool", "To leave it press L", "pool.conf"))
            join.join(samples.pool())
            return said["ready"]["own"], files.read(console.OWN), files.read(console.NOTICE), console.of_start()

    def test_who_wants_to_log_in_reads_where_on_the_console_and_above_the_prompt(self):
        own, above, *_ = self.joined(["192.168.1.57:4433", "192.168.1.57:443"])
        self.assertEqual(own, "192.168.1.57")
        self.assertIn("ssh NAME@192.168.1.57;", above)
        self.assertIn("forwarded port", above)

    def test_an_address_that_is_gone_stands_there_no_longer(self):
        self.assertEqual(self.joined([]), ("", "", "", []))

    def test_what_wow_config_found_wrong_is_told_after_the_machine_has_joined_and_what_kept_it_is_not(self):
        found = "pool.conf: is of another pool. To leave it press L"
        self.assertEqual(self.joined([], console.say_of_start)[2:], (f"WOW: {found}\n\n", [found]))
        self.assertEqual(self.joined([], console.say_error)[2:], ("", []))


class OfTheStart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in ("NOTICE", "OF_START", "STEPS", "KMSG"):
            patch = mock.patch.object(console, name, f"{folder.name}/{name}")
            patch.start()
            self.addCleanup(patch.stop)
        files.write(console.KMSG, "")

    def test_the_next_wow_config_alone_forgets_what_was_found_wrong(self):
        for what in ("first", "second"):
            console.say_of_start(WowError(what, "Do\nthis"))
        console.say_error(WowError("third", ""))
        console.clear_error()
        self.assertEqual((["first. Do this", "second. Do this"], "WOW: second. Do this\n\n"), (console.of_start(), files.read(console.NOTICE)))
        console.begin()
        self.assertEqual(([], None), (console.of_start(), files.find(console.NOTICE)))

    def test_it_is_no_reason_why_a_machine_has_no_certificate(self):
        console.say_of_start(WowError("there is no such zone", "Correct it", "pool.conf"))
        self.assertEqual("", console.notice())
        console.say_error(WowError("the key waits", "Send it"))
        self.assertEqual("WOW: the key waits. Send it", console.notice())

    def test_a_disk_with_many_mistakes_fills_no_memory(self):
        for number in range(console.MOST_OF_START + 1):
            console.say_of_start(WowError(str(number), ""))
        self.assertEqual([str(number) for number in range(console.MOST_OF_START)], console.of_start())


class Overlap(unittest.TestCase):
    def test_networks_that_ipopd_warns_of_are_told(self):
        with mock.patch.object(console, "say_error") as told:
            join.tell_overlaps({**samples.STATUS, "warnings": [{"code": "twin", "text": "it overlaps"}, {"code": "overlap", "text": "eth0"}]})
            self.assertEqual([(call.args[0].what, call.args[0].key) for call in told.call_args_list], [("eth0", "[pool] subnet")])


if __name__ == "__main__":
    unittest.main()
