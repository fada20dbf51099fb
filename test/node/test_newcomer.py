"""A machine without a pool takes a pool.conf: what is refused and in whose words, what is kept and in which order, what its fence lets through."""
import base64
import os
import pathlib
import socket
import tempfile
import unittest
from unittest import mock

import samples
import test_page_keys

from wow.acts import newcomer
from wow.agent import allowed
from wow.config import facts, ticket
from wow.lib import ini, modes, paths, pem
from wow.lib.errors import WowError
from wow.page import where
from wow.seal import fence
from wow.setup import accept, take

GOOD = samples.text(samples.sections()).encode()


class Folder(unittest.TestCase):
    def setUp(self):
        """A machine without a pool, whose state and whose memory are one folder."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.started = folder.name, []
        for one in (mock.patch.object(facts, "FILE", f"{folder.name}/pool.json"), mock.patch.object(take, "BROUGHT", f"{folder.name}/brought.conf"),
                    mock.patch.object(ticket, "TAKEN", f"{folder.name}/ticket"), mock.patch.object(ticket, "KEPT", f"{folder.name}/ticket.kept"),
                    mock.patch.object(ticket, "CERTIFICATE", f"{folder.name}/node.pem"), mock.patch.object(paths, "STATE", folder.name),
                    mock.patch.object(modes, "FILE", f"{folder.name}/mode"),
                    mock.patch.object(newcomer.system, "run", lambda arguments, *_, **__: (self.started.append(arguments[1:]), (0, ""))[1])):
            one.start()
            self.addCleanup(one.stop)

    def put(self, name, text):
        pathlib.Path(self.folder, name).write_text(text, encoding="utf-8")

    def names(self):
        return sorted(os.listdir(self.folder))


class Asked(Folder):
    """The agent's half."""

    def join(self, data=GOOD, **more):
        newcomer.join({"pool": base64.b64encode(data).decode(), **more}, 988)

    def refused(self, words, code=allowed.BAD_REQUEST, **given):
        before = self.names()
        with self.assertRaises(WowError) as caught:
            self.join(**given)
        self.assertIn(words, str(caught.exception))
        self.assertEqual((caught.exception.code, self.names(), self.started), (code, before, []))

    def test_a_good_one_and_its_ticket_are_handed_to_wow_take_for_root_alone(self):
        self.join(ticket="t1:hushhush")
        for name, data in (("brought.conf", GOOD), ("ticket", b"t1:hushhush\n")):
            path = pathlib.Path(self.folder, name)
            self.assertEqual((path.read_bytes(), path.stat().st_mode & 0o777), (data, 0o600))
        self.assertEqual(self.started, [["start", take.UNIT]])

    def test_a_ticket_of_before_is_not_that_of_another_pool_conf(self):
        self.put("ticket", "old:old\n")
        self.join()
        self.assertNotIn("ticket", self.names())

    def test_the_largest_pool_conf_is_a_request_that_the_agent_hears(self):
        data = GOOD + b"#" * (ini.LARGEST - len(GOOD))
        self.join(data, ticket="t" * 100 + ":" + "x" * 155)
        line = len('{"command":"join","pool":"","ticket":""}') + len(base64.b64encode(data)) + ticket.LONGEST
        self.assertLess(line, allowed.LONGEST)

    def test_the_reader_s_own_words_say_what_is_wrong(self):
        self.refused("[pool] colour: is not a key of this section (line ", data=samples.changed("pool", "colour", "red"))
        self.refused(f"{ini.LARGEST + 1} bytes are too many", data=b"#" * (ini.LARGEST + 1))
        self.refused("is not UTF-8", data=b"\xff")
        self.refused("[pool] name: is missing", data=b"")
        self.refused("is of a manager", data=samples.changed("node", "role", "manager"))

    def test_a_person_named_like_an_account_of_the_system_keeps_the_machine_from_nothing(self):
        self.join(GOOD + b"[user:root]\n")
        self.assertEqual(self.started, [["start", take.UNIT]])

    def test_what_is_no_base_64_and_no_ticket_is_refused(self):
        for pool in ("\u00e9", "a", "=", "a b=", "YQ==\n"):
            with self.assertRaises(WowError) as caught:
                newcomer.join({"pool": pool}, 988)
            self.assertIn("base 64", str(caught.exception))
        for bad in ("", "a", "a:", ":b", "a b:c", "a:" + "b" * ticket.LONGEST):
            self.refused("not ID:SECRET", ticket=bad)

    def test_a_machine_that_has_a_pool_says_that_nothing_was_changed_and_to_leave_first(self):
        self.put("pool.json", facts.text(samples.pool()))
        self.refused("in pool science already. Nothing was changed. Leave the pool first", allowed.NOT_HERE)

    def test_a_start_that_keeps_nothing_takes_none(self):
        self.put("mode", "ephemeral\n")
        self.refused("this start keeps nothing", allowed.NOT_HERE)

    def test_who_has_a_certificate_of_another_pool_leaves_that_first(self):
        self.put("node.pem", "")
        self.put("ca.pem", "of another")
        self.refused("is of another pool than this machine's certificate. Nothing was changed", allowed.NOT_HERE)
        self.put("ca.pem", pem.encode(samples.certificate(key=1)))
        self.refused("is of another pool than this machine's certificate. Nothing was changed", allowed.NOT_HERE)
        self.put("ca.pem", pem.encode(samples.certificate(until=46)))
        self.join()
        self.put("ca.pem", pem.encode(samples.pool().ca_der))
        self.join()
        os.unlink(f"{self.folder}/ca.pem")
        os.symlink("/proc/self/mem", f"{self.folder}/ca.pem")  # reading that fails as a bad block does
        self.put("pool.conf", GOOD.decode())
        self.join()
        self.started.clear()
        self.put("pool.conf", samples.changed("ca", "certificate", base64.b64encode(samples.certificate(key=1)).decode()).decode())
        self.refused("is of another pool than this machine's certificate. Nothing was changed", allowed.NOT_HERE)

    def test_what_keeps_wow_take_from_it_is_told(self):
        with mock.patch.object(newcomer.system, "run", lambda *_, **__: (1, "Job for wow-take.service failed.")), self.assertRaises(WowError) as caught:
            self.join()
        self.assertIn("The machine's screen says what keeps it", str(caught.exception))


class Kept(Folder):
    """wow-take's half, and the start that follows."""

    def setUp(self):
        super().setUp()
        self.said = []
        for one in (mock.patch.object(take.console, "say", lambda *step, **told: self.said.append((step, told))), mock.patch.object(take.console, "leave_notice"),
                    mock.patch.object(take.system, "systemctl", lambda *words: (self.started.append(list(words)), 0)[1]), mock.patch.object(take, "MOMENT", 0)):
            one.start()
            self.addCleanup(one.stop)

    def run_take(self):
        with mock.patch.object(take.keep, "__defaults__", (self.folder,)):
            return take.main()

    def test_all_is_kept_and_the_machine_starts_again(self):
        self.put("brought.conf", GOOD.decode())
        self.put("ticket", "t1:hushhush\n")
        self.assertEqual((self.run_take(), self.started), (0, [["reboot", "--no-block"]]))
        pool, data, refused = accept.choose(f"{self.folder}/none", f"{self.folder}/pool.conf", f"{self.folder}/node.pem")
        self.assertEqual((pool.name, data, refused), ("science", GOOD, None))
        self.assertEqual(pathlib.Path(self.folder, "ticket.kept").read_text(encoding="ascii"), "t1:hushhush\n")
        self.assertIn("pool.lines", self.names())
        self.assertNotIn("hush", str(self.said))

    def test_systemd_and_so_the_agent_hear_when_all_is_kept(self):
        self.put("brought.conf", GOOD.decode())
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.bind(f"{self.folder}/notify")
            with mock.patch.dict(os.environ, {"NOTIFY_SOCKET": f"{self.folder}/notify"}):
                self.run_take()
            self.assertEqual(systemd.recv(100, socket.MSG_DONTWAIT), b"READY=1")

    def test_where_the_home_is_full_or_there_is_a_pool_nothing_starts_again(self):
        self.put("brought.conf", GOOD.decode())
        with mock.patch.object(take.accept, "keep", side_effect=OSError(28, "No space left on device", "x")):
            self.assertEqual(self.run_take(), 1)
        self.put("pool.json", "{}")
        self.assertEqual((self.run_take(), self.started), (1, []))
        self.assertIn("has a pool already", str(self.said[-1]))
        self.assertNotIn("pool.conf", self.names())

    def test_a_ticket_is_taken_up_at_each_start_until_there_is_a_certificate(self):
        ticket.bring(True)
        self.assertEqual(self.names(), [])
        self.put("ticket.kept", "t1:hushhush\n")
        ticket.bring(True)
        self.assertEqual(pathlib.Path(self.folder, "ticket").read_text(encoding="ascii"), "t1:hushhush\n")
        os.unlink(f"{self.folder}/ticket")
        self.put("node.pem", "")
        ticket.bring(True)
        self.assertEqual(self.names(), ["node.pem"])


class Fence(unittest.TestCase):
    def test_without_a_pool_the_web_page_comes_in_from_near_and_nothing_goes_out_but_for_an_address(self):
        rules = fence.without_a_pool()
        accepted = [line.strip() for line in rules.splitlines() if line.strip().endswith(" accept") and "counter" in line]
        self.assertEqual(accepted, [f"{rule}" for rule in (fence.DHCP_IN, fence.PAGE_IN, *fence.LINK_IN, fence.DHCP_OUT, fence.PAGE_OUT, *fence.LINK_OUT)])
        self.assertEqual(rules.count("policy drop"), 3)
        self.assertEqual([word for word in ("dport 22", "wow0", "4433", "@resolvers") if word in rules], [])


class Screen(unittest.TestCase):
    """The script of the page on the screen (test_page_keys.py has the rest)."""

    def test_without_a_pool_it_says_where_the_web_page_is_that_takes_one(self):
        keys = test_page_keys.Keys()
        keys.setUp()
        self.addCleanup(keys.doCleanups)
        (keys.folder / "notice").write_text("WOW: pool.conf: is missing.\n\n")
        (keys.folder / "run/steps").write_text("     4 s  error        see below\n" * 12)
        keys.begin()
        self.assertIn("no address on your network yet", keys.until("cannot be reached"))
        (keys.folder / "run/near").write_text("192.0.2.11/24, 198.51.100.7/24")
        said = keys.until("web      http://192.0.2.11 takes the pool.conf")
        self.assertIn("Press N here for the code", said)
        self.assertIn("pool.conf: is missing.", said)
        (keys.folder / "product").write_text("VirtualBox\n")
        (keys.folder / "run/near").write_text("10.0.2.15/24")
        keys.until(f"web      {where.FORWARDED} takes")
        (keys.folder / "product").write_text("KVM\n")
        (keys.folder / "run/near").write_text("10.0.2.15/24 ")
        keys.until("web      http://10.0.2.15 takes")


if __name__ == "__main__":
    unittest.main()
