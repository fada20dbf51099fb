"""wow support: what is secret stays on the machine, and nothing is written without a yes."""
import contextlib
import io
import json
import os
import stat
import tarfile
import tempfile
import threading
import time
import unittest
from unittest import mock

import samples

from wow import dispatch
from wow.agent import client
from wow.history import token
from wow.lib import system
from wow.lib.errors import WowError
from wow.support import blacken, collect, parts, pool_conf
from wow.verbs import support

POOL_SECRET, TICKET = samples.SECRET, "t1:hushhush"
TYPED = "t2:typedhush"
PEM = "-----BEGIN EC PRIVATE KEY-----\nMIGHKEYBODY\nAgEAKEYBODY\n-----END EC PRIVATE KEY-----"
CLAIM = '<10.128.40.252:9618?addrs=10.128.40.252-9618&alias=alpha.pool.internal&noUDP&sock=startd_105_9988>#1795563967#7#'
SESSION = '[Integrity="YES";Encryption="YES";ShortVersion="23.9.6";CryptoMethods="AES";]c1a1m5ec2e7c1a1m5ec2e7'
IPSEC = "\taead rfc4106(gcm(aes)) 0x00112233445566778899aabbccddeeff 128\n\tauth-trunc hmac(sha256) 0xffee0011 96\n\tenc cbc(aes) 0xabab1212"
SSH = "A" * 68
PLANTED = [POOL_SECRET, "hushhush", "typedhush", "MIGHKEYBODY", "AgEAKEYBODY", "c1a1m5ec2e7", "00112233445566778899", "ffee0011", "abab1212", SSH, "deadbeefkey", "s0melater", "hisargument"]
"""What must not be found in any part."""
TEXT = "\n".join([
    f"mac of {POOL_SECRET} failed", f"asked with {TICKET}, that is hushhush", PEM, f"Request accepted {CLAIM}{SESSION}", f'"{CLAIM}{SESSION}"', IPSEC,
    f"Accepted key ssh-ed25519 {SSH} alice@home", f"secret = {POOL_SECRET[:20]}hushhush", f"{TYPED} is typed",
    'TransferKey = "1#deadbeefkey"', f'ClaimId = "{CLAIM}deadbeefkey"', '_condor_priv_Capability = "deadbeefkey"', '{"api_token": "deadbeefkey"}', "WOW_TICKET=deadbeefkey",
    "11/24/26 23:59:49 (pid:155) About to exec /var/lib/wow/execute/dir_155/condor_exec.exe --key hisargument"])


@contextlib.contextmanager
def lock_after(lock):
    """Gives back a lock that was taken, a moment after the rest."""
    yield
    time.sleep(0.05)
    lock.release()


class Secrets(unittest.TestCase):
    def test_no_planted_secret_is_left_in_a_text_and_what_is_none_stays(self):
        plain = f'alpha runs\nPublicClaimId = "{CLAIM}..."\nspi 0xc7438869 stays\nthe ticket: it was used up\nlast line'
        black = blacken.blacken(f"{TEXT}\n{plain}", [POOL_SECRET, TICKET, "hushhush", TYPED, "typedhush"])
        for secret in PLANTED:
            self.assertNotIn(secret, black)
        for shown in (plain, "mac of", "Request accepted <10.128.40.252", "aead rfc4106(gcm(aes))", "alice@home"):
            self.assertIn(shown, black)

    def test_a_key_whose_end_or_beginning_was_cut_off_goes_too(self):
        self.assertNotIn("MIGH", blacken.blacken("-----BEGIN PRIVATE KEY-----\nMIGH", []))
        rest = "before it\n" + "".join(f"Nov 24 23:59 alpha x[1]: {line}\n" for line in ("KEYBODY" + "a" * 57, "KEYBODY" + "b" * 57, "KEYQ==", "-----END PRIVATE KEY-----")) + "after it"
        self.assertEqual(blacken.blacken(rest, []), "before it\n" + 4 * f"{blacken.BLACK}\n" + "after it")

    def test_what_a_command_or_a_request_shows_goes_and_the_rest_of_a_line_of_json_stays(self):
        text = "\n".join(["sh[7]: wow enroll --ticket t9:hush1hush", "wow enroll --ticket=t9:hush1hush", "GET /metrics Authorization: Bearer hush1hush", "secret=hush1hush token=last",
                          '{"a": 1, "api_token": "hush1hush \\" hush1hush", "b": 2}', "{'password': 'hush1hush', 'b': 2}", '{"token": {"value": "hush1hush"}}', "secret =      hush1hush"])
        black = blacken.blacken(text, [])
        self.assertNotIn("hush1hush", black)
        self.assertNotIn("last", black)
        for shown in ('"b": 2}', "'b': 2}", "sh[7]: wow enroll --ticket"):
            self.assertIn(shown, black)
        self.assertEqual({"a": 1, "api_token": blacken.BLACK, "b": 2}, json.loads(black.split("\n")[4]))

    def test_no_text_takes_longer_than_its_length_accounts_for(self):
        # Each repeats what a pattern begins with and does not end.
        for piece in ("secret", "secret ", "token\" ", "ssh-", "ssh-a ", "enc ", "enc x ", "<>#1#1#[", "<>#1#1#[ ", "<#", "to exec ", "-----BEGIN A", "-----BEGIN PRIVATE KEY-----",
                      "-----END PRIVATE KEY\n", "aaaaaaaaaaaaaaaaaaaa\n", "\n", " ", " \n", "ClaimId ", "ClaimId\n", "--ticket ", "bearer ", "\"token\": \"", "a", "(", "\\\""):
            begin = time.process_time()
            blacken.blacken(piece * (parts.LARGEST // len(piece)), [POOL_SECRET, TICKET])
            self.assertLess(time.process_time() - begin, 2.0, repr(piece))

    def test_an_empty_secret_takes_nothing_out(self):
        self.assertEqual(blacken.blacken("as it was", [""]), "as it was")

    def test_of_pool_conf_only_what_is_known_to_be_harmless_is_shown(self):
        text = samples.text(samples.sections()) + "[later]\nanything = s0melater\n"
        black = pool_conf.shown(text.encode())
        for shown in ("name = science", "subnet = 10.128.0.0/16", "host = alpha", "bootstrap = udp:203.0.113.7:4433", "[user:alice]", f"anything = {blacken.BLACK}"):
            self.assertIn(shown, black)
        for secret in (POOL_SECRET, "hushhush", "s0melater", samples.ssh_key().split()[1]):
            self.assertNotIn(secret, black)
        self.assertEqual(set(pool_conf.secrets(text.encode())), {POOL_SECRET, TICKET, "hushhush"})

    def test_a_pool_conf_that_cannot_be_read_is_not_quoted(self):
        for text in (f"[pool]\n{POOL_SECRET}\n", f"secret = {POOL_SECRET}\n", f"[pool\nsecret = {POOL_SECRET}\n"):
            self.assertNotIn(POOL_SECRET, pool_conf.shown(text.encode()))
            self.assertTrue(pool_conf.shown(text.encode()))
            self.assertEqual(pool_conf.secrets(text.encode()), [])

    def test_no_part_asks_for_keys_or_for_arguments_and_environment_of_jobs(self):
        for script in (parts.JOURNAL, parts.MACHINE, parts.VERSIONS, parts.NETWORK, parts.JOBS):
            self.assertNotRegex(script, r"node\.key|pool\.conf|ipopd\.conf|ticket|/ca/|Environment|Arg|Cmd|pid.*args|-long")
            self.assertNotRegex(script, r"xfrm state(?! list nokeys)")


class Archive(unittest.TestCase):
    """The whole of it, from a machine where secrets stand wherever one could."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in (("run/pool.conf", samples.text(samples.sections())), ("run/ticket", TYPED + "\n"), ("state/pool.conf", samples.text(samples.sections())),
                           ("state/node.key", PEM), ("log/StartLog", TEXT + "\n" + "x" * parts.OF_A_LOG + "\n" + TEXT), ("log/StarterLog.slot1_1", TEXT), ("log/.startd_address", TEXT)):
            os.makedirs(os.path.dirname(f"{self.folder}/{name}"), exist_ok=True)
            with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        for one in (mock.patch.object(parts.paths, "RUN", f"{self.folder}/run"), mock.patch.object(system, "run", lambda *_, **__: (0, TEXT))):
            one.start()
            self.addCleanup(one.stop)

    def parts(self):
        """The real parts, HTCondor's logs from this folder."""
        return [parts.Part(part.name, part.says, (lambda: parts.logs(f"{self.folder}/log")) if part.get is parts.logs else part.get) for part in parts.PARTS]

    def read(self, data):
        """{name: text} of an archive."""
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            return {member.name: tar.extractfile(member).read().decode() for member in tar.getmembers()}

    def test_planted_secrets_are_in_no_part_of_it(self):
        secrets = parts.secrets(f"{self.folder}/state", f"{self.folder}/run")
        self.assertLessEqual({POOL_SECRET, TICKET, "hushhush", TYPED, "typedhush"}, set(secrets))
        found = self.read(collect.archive(self.parts(), secrets, 0))
        self.assertEqual(set(found), {f"wow-support/{part.name}" for part in parts.PARTS})
        for name, text in found.items():
            self.assertIn(blacken.BLACK, text, name)
            for secret in PLANTED:
                self.assertNotIn(secret, text, name)
        self.assertIn("StarterLog.slot1_1", found["wow-support/condor-logs.txt"])
        self.assertNotIn("startd_address", found["wow-support/condor-logs.txt"])

    def test_a_part_is_cut_to_its_end_and_one_that_fails_says_why(self):
        def broken():
            raise WowError("is gone", "Look", "condor_q")
        every = [parts.Part("long", "", lambda: "x\n" * parts.LARGEST + "end"), parts.Part("broken", "", broken)]
        found = self.read(collect.archive(every, [], 0))
        self.assertEqual((len(found["wow-support/long"]), found["wow-support/long"][-5:]), (parts.LARGEST, "x\nend"))
        self.assertEqual(found["wow-support/broken"], "it could not be had: condor_q: is gone. Look\n")

    def test_a_cut_through_a_key_leaves_no_half_of_it(self):
        text = PEM + "y" * (parts.LARGEST - len(PEM) // 2)
        found = self.read(collect.archive([parts.Part("cut", "", lambda: text)], [], 0))
        self.assertNotIn("KEYBODY", found["wow-support/cut"])

    def test_a_line_that_is_cut_in_the_middle_is_left_out_for_it_may_be_half_of_a_secret(self):
        with open(f"{self.folder}/log/MasterLog", "w", encoding="utf-8") as file:
            file.write(f"{POOL_SECRET}\n" + "m" * (parts.OF_A_LOG - 20) + "\n")
        self.assertEqual(parts.end(f"{self.folder}/log/MasterLog"), "m" * (parts.OF_A_LOG - 20) + "\n")
        self.assertIn("tail -n +2", parts.JOURNAL)

    def test_a_program_that_says_too_much_is_ended_and_the_line_that_it_was_ended_in_is_left_out(self):
        mock.patch.stopall()
        with mock.patch.object(parts, "MOST", 1 << 20):
            text = parts.script("yes 0123456789")()
        self.assertLess(len(text), 2 << 20)
        self.assertRegex(text, r"\A(0123456789\n)+it was ended here, .*\n\Z")

    def test_no_question_to_htcondor_fills_the_part_of_the_others(self):
        for question in parts.JOBS.removesuffix("; echo").split("; echo; "):
            self.assertRegex(question, rf"^condor_\w+ [^|]* \| head -c {parts.OF_A_QUESTION}$")
            self.assertTrue("-limit 1000" in question or "userprio" in question, question)
        self.assertLess(parts.JOBS.count("head") * parts.OF_A_QUESTION, parts.LARGEST)

    def test_a_line_is_shortened_after_secrets_were_taken_out_and_one_of_json_is_not(self):
        long = "x" * (collect.LONGEST_LINE - 10) + POOL_SECRET + "y" * 9000
        every = [parts.Part(name, "", lambda: f"{long}\nlast") for name in ("log.txt", "status.json")]
        found = self.read(collect.archive(every, [POOL_SECRET], 0))
        self.assertNotIn(POOL_SECRET[:10], "".join(found.values()))
        self.assertRegex(found["wow-support/log.txt"], r"x\[taken out ... \(\d+ characters more\)\nlast\Z")
        self.assertIn("y" * 9000, found["wow-support/status.json"])

    def test_what_htcondor_puts_in_the_place_of_a_log_is_not_followed(self):
        log = f"{self.folder}/log"
        os.symlink(f"{self.folder}/state/node.key", f"{log}/MasterLog")
        os.symlink(f"{self.folder}/nothing", f"{log}/ShadowLog")
        os.link(f"{self.folder}/state/node.key", f"{log}/SchedLog")
        os.mkfifo(f"{log}/CollectorLog")
        os.mkdir(f"{log}/NegotiatorLog")
        os.mkfifo(f"{log}/\x1b[31mLog\n==> x")
        text = parts.logs(log)
        self.assertNotIn("PRIVATE KEY", text.replace(TEXT, ""))
        self.assertEqual((6, False), (text.count("it is not read: "), "\x1b" in text))
        self.assertIn("StarterLog.slot1_1\nmac of", text)

    def test_the_tokens_that_opened_a_manager_s_history_are_secrets(self):
        os.makedirs(f"{self.folder}/state/history")
        with open(f"{self.folder}/state/history/token-number", "w", encoding="ascii") as file:
            file.write("2\n")
        found = parts.secrets(f"{self.folder}/state", f"{self.folder}/run")
        self.assertLessEqual({token.from_key(PEM.encode(), number) for number in (1, 2)}, set(found))

    def test_what_the_disk_cannot_read_keeps_nobody_from_an_archive(self):
        os.makedirs(f"{self.folder}/state/history")
        for name in ("pool.conf", "node.key", "history/token-number"):
            path = f"{self.folder}/state/{name}"
            if os.path.exists(path):
                os.unlink(path)
            os.symlink("/proc/self/mem", path)  # reading that fails as a bad block does
        self.assertLessEqual({POOL_SECRET, "hushhush"}, set(parts.secrets(f"{self.folder}/state", f"{self.folder}/run")), "of the copy in memory")

    def test_logs_of_many_slots_are_bounded(self):
        for number in range(2 * parts.MOST_LOGS):
            with open(f"{self.folder}/log/StarterLog.slot1_{number}", "w", encoding="utf-8") as file:
                file.write("z" * (2 * parts.OF_A_LOG))
        self.assertLess(len(parts.logs(f"{self.folder}/log")), parts.MOST_LOGS * (parts.OF_A_LOG + 200))

    def test_root_s_part_is_left_for_one_user_in_a_folder_of_root_s(self):
        place = f"{self.folder}/run/support"
        with mock.patch.object(collect, "FOLDER", place), mock.patch.dict(os.environ, {collect.FOR: str(os.getuid())}):
            self.assertEqual(collect.main(), 0)
            facts = os.stat(collect.place(os.getuid()))
        self.assertEqual((stat.S_IMODE(facts.st_mode), facts.st_uid, stat.S_IMODE(os.stat(place).st_mode) & 0o022), (0o600, os.getuid(), 0))
        for wrong in ("", "alice", "-1"):
            with mock.patch.dict(os.environ, {collect.FOR: wrong}), mock.patch("sys.stderr"):
                self.assertEqual(collect.main(), 1)

    def test_before_one_is_left_those_go_that_nobody_waits_for_or_that_are_none(self):
        place, names = f"{self.folder}/run/support", {"1001.tar.gz": 3, "1002.tar.gz": parts.LARGEST * len(parts.PARTS) + 1}
        os.mkdir(place)
        for name, size in names.items():
            with open(f"{place}/{name}", "wb") as file:
                file.truncate(size)
        now = time.time()
        collect.clear(place, now)
        self.assertEqual(os.listdir(place), ["1001.tar.gz"])
        collect.clear(place, now + collect.WANTED + 1)
        self.assertEqual((os.listdir(place), support.take(f"{place}/1001.tar.gz")), ([], b""))


class Verb(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = f"{folder.name}/mine.tar.gz"
        self.place = f"{folder.name}/left"
        one = mock.patch.object(support, "fetch", return_value=b"archive")
        self.fetched = one.start()
        self.addCleanup(one.stop)

    def run_verb(self, *words, answers=""):
        """(exit code, standard output); `said` is standard error."""
        with mock.patch("sys.stdout", io.StringIO()) as out, mock.patch("sys.stderr", io.StringIO()) as err, mock.patch("sys.stdin", io.StringIO(answers)):
            code = dispatch.main(["support", *words])
        self.said = err.getvalue()
        return code, out.getvalue()

    def test_what_it_will_hold_is_said_and_asked_for_first_at_the_terminal(self):
        self.assertEqual(self.run_verb("--out", self.out, answers="no\n"), (1, ""))
        self.assertEqual((os.path.exists(self.out), self.fetched.call_count), (False, 0))
        for part in parts.PARTS:
            self.assertLess(self.said.index(part.name), self.said.index("Type yes to write it: wow support: nothing was written"))
        self.assertEqual(self.run_verb("--out", self.out, answers="yes\n"), (0, f"{self.out} is written, 7 B. You alone may read it; send it to whom you ask for help.\n"))
        self.assertEqual(stat.S_IMODE(os.stat(self.out).st_mode), 0o600)

    def test_who_says_yes_before_is_told_what_it_will_hold_too(self):
        code, printed = self.run_verb("--out", self.out, "--yes")
        self.assertEqual((code, self.said), (0, ""))
        for part in parts.PARTS:
            self.assertLess(printed.index(part.name), printed.index("is written"))

    def test_a_program_says_yes_by_an_option_and_gets_the_file_s_name(self):
        self.assertEqual(self.run_verb("--out", self.out, "--json")[0], 2)
        code, printed = self.run_verb("--out", self.out, "--json", "--yes")
        told = json.loads(printed)
        self.assertEqual((code, told["file"], told["size_bytes"], len(told["holds"])), (0, self.out, 7, len(parts.PARTS)))

    def test_a_place_that_is_taken_or_cannot_be_written_to_is_told_before_anything_is_collected(self):
        with open(self.out, "w", encoding="ascii") as file:
            file.write("precious")
        self.assertEqual(self.run_verb("--out", self.out, "--yes")[0], 1)
        self.assertEqual(self.run_verb("--out", f"{self.out}/x", "--yes")[0], 1)
        self.assertEqual(self.run_verb("--out", "/nonexistent/x", "--yes")[0], 1)
        with open(self.out, encoding="ascii") as file:
            self.assertEqual((file.read(), self.fetched.call_count), ("precious", 0))

    def test_a_full_disk_or_who_ends_it_leaves_nothing_and_a_full_disk_says_what_to_do(self):
        for end, raised in ((OSError(28, "No space left on device"), WowError), (KeyboardInterrupt(), KeyboardInterrupt)):
            with mock.patch.object(support.os, "fsync", side_effect=end), self.assertRaises(raised) as caught:
                support.write(self.out, b"archive")
            self.assertEqual(os.listdir(os.path.dirname(self.out)), [])
            self.assertEqual("Make room" in str(caught.exception), raised is WowError)

    def test_half_an_archive_has_never_its_name_and_takes_nobody_s(self):
        there = []

        def whole(_):
            there.append(os.path.exists(self.out))
            with open(self.out, "w", encoding="ascii") as file:
                file.write("precious")
        with mock.patch.object(support.os, "fsync", whole), self.assertRaisesRegex(WowError, "is there already"):
            support.write(self.out, b"archive")
        with open(self.out, encoding="ascii") as file:
            self.assertEqual((there, file.read(), os.listdir(os.path.dirname(self.out))), ([False], "precious", [os.path.basename(self.out)]))

    def test_the_file_has_the_machine_s_name_and_the_day(self):
        self.assertEqual(os.path.basename(support.default(os.getuid(), "alpha.pool.internal", time.gmtime(1_800_000_000))), "wow-support-alpha-20270115-080000.tar.gz")

    def test_who_is_not_root_takes_what_root_left_and_empties_it(self):
        with open(self.place, "wb") as file:
            file.write(b"of before")
        before = support.mark(self.place)

        def left(*_):
            with open(self.place + ".new", "wb") as file:
                file.write(b"fresh")
            os.rename(self.place + ".new", self.place)
        self.assertEqual(support.wait(self.place, before, left, 20.0), b"fresh")
        self.assertEqual((os.path.getsize(self.place), support.mark(self.place)), (0, None))

    def test_two_at_once_get_one_each_and_nobody_an_empty_one(self):
        found, asked, lock = [], [], threading.Lock()

        def ask():
            # One is collected at a time, and who asks meanwhile gets none of its own.
            asked.append(1)
            if lock.acquire(blocking=False):
                with lock_after(lock), open(self.place + ".new", "wb") as file:
                    file.write(b"fresh")
                    os.rename(self.place + ".new", self.place)
        with mock.patch.object(support, "AGAIN", 0.3), mock.patch.object(support, "PAUSE", 0.01):
            threads = [threading.Thread(target=lambda: found.append(support.wait(self.place, support.mark(self.place), ask, 20.0))) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual([b"fresh"] * 4, found)

    def test_what_somebody_else_has_taken_is_waited_for_anew(self):
        with open(self.place, "wb") as file:
            file.write(b"fresh")
        with mock.patch.object(support, "mark", return_value=(1, 2)), mock.patch.object(support, "PAUSE", 0.01):
            self.assertEqual(support.take(self.place), b"fresh")
            with self.assertRaises(WowError):
                support.wait(self.place, None, lambda: None, 0.1)

    def test_root_s_part_that_does_not_come_is_told(self):
        with self.assertRaises(WowError) as caught:
            support.wait(self.place, None, lambda: None, 0.0)
        self.assertIn("wow-support@", caught.exception.todo)

    def test_the_agent_is_asked_by_people_and_not_by_root(self):
        mock.patch.stopall()
        with mock.patch.object(client, "ask") as asked, mock.patch.object(support, "wait", lambda place, before, ask: ask() and None or b"x"), mock.patch.object(collect, "archive", return_value=b"y"):
            self.assertEqual((support.fetch(1000), asked.call_args.args), (b"x", ("support",)))
            asked.reset_mock()
            self.assertEqual((support.fetch(0), asked.call_count), (b"y", 0))


if __name__ == "__main__":
    unittest.main()
