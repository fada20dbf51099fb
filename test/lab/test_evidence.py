import os
import tempfile
import types
import unittest

import lab_path  # noqa: F401
import evidence
import explain
from shell import LabError

SECRET, TICKET = "ab" * 32, "17:hushhush"


class EvidenceTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "failed")

    def kept(self, name, file):
        with open(os.path.join(self.folder, name, file), encoding="utf-8") as text:
            return text.read()

    def test_no_secret_is_left_in_a_log(self):
        key = "-----BEGIN PRIVATE KEY-----\nMIGH\nAgEA\n-----END PRIVATE KEY-----"
        text = (f"mac of {SECRET} failed\nasked with {TICKET}, that is hushhush\n{key}\nsecret = 1234\n  ticket = 9:other\n"
                "\taead rfc4106(gcm(aes)) 0x00112233 128\n\tauth-trunc hmac(sha256) 0xffee 128\nspi 0xc7438869 stays\n")
        black = evidence.blacken(text, [SECRET, TICKET, "hushhush"])
        for hidden in (SECRET, "hushhush", "MIGH", "AgEA", "1234", "9:other", "0x00112233", "0xffee"):
            self.assertNotIn(hidden, black)
        for shown in ("mac of", "asked with", "spi 0xc7438869 stays", "aead rfc4106(gcm(aes))"):
            self.assertIn(shown, black)

    def test_a_key_whose_end_was_cut_off_is_black_too(self):
        self.assertNotIn("MIGH", evidence.blacken("-----BEGIN EC PRIVATE KEY-----\nMIGH", []))

    def test_an_empty_secret_blackens_nothing(self):
        self.assertEqual("as it was", evidence.blacken("as it was", ["", None]))

    def test_secrets_are_the_pool_s_and_every_ticket_with_and_without_its_number(self):
        setup = types.SimpleNamespace(pool=types.SimpleNamespace(ticket=TICKET, facts=types.SimpleNamespace(secret=SECRET)))
        self.assertEqual({SECRET, TICKET, "hushhush", "18:more", "more"}, set(evidence.secrets_of(setup, ["18:more"])))

    def test_no_question_asks_for_configuration_or_keys(self):
        for name in ("manager", "alpha"):
            for script in evidence.questions(name).values():
                self.assertNotRegex(script, r"pool\.conf|ipopd\.conf|enroll\.conf|ticket|node\.key")
                self.assertNotRegex(script, r"xfrm state(?! list nokeys)")
        self.assertIn("-better-analyze", evidence.questions("alpha")["condor_q.txt"])
        self.assertNotIn("condor_q.txt", evidence.questions("beta"))

    def test_every_answer_is_a_file_that_begins_with_its_question(self):
        count = evidence.collect_machine("alpha", os.path.join(self.folder, "alpha"), lambda name, script, seconds: f"{name} {SECRET}", [SECRET])
        self.assertEqual(set(evidence.questions("alpha")), set(os.listdir(os.path.join(self.folder, "alpha"))))
        self.assertEqual(len(evidence.questions("alpha")), count)
        self.assertEqual(f"# wow status\nalpha {evidence.BLACK}\n", self.kept("alpha", "wow-status.txt"))

    def test_an_answer_is_cut_to_its_end(self):
        evidence.collect_machine("beta", os.path.join(self.folder, "beta"), lambda *_: "x" * evidence.LARGEST + "end", [])
        self.assertTrue(self.kept("beta", "nft.txt").endswith("xend\n"))
        self.assertLess(len(self.kept("beta", "nft.txt")), evidence.LARGEST + 100)

    def test_a_machine_that_is_silent_twice_is_not_asked_any_more(self):
        asked = []

        def ask(name, script, seconds):
            asked.append(script)
            raise LabError("no root shell listens", name)

        self.assertEqual(0, evidence.collect_machine("beta", os.path.join(self.folder, "beta"), ask, []))
        self.assertEqual(2, len(asked))
        self.assertIn("no root shell listens", self.kept("beta", next(iter(evidence.QUESTIONS))))

    def test_a_slow_machine_is_asked_only_as_long_as_it_may_take(self):
        moments = iter(range(0, 10_000, evidence.PER_MACHINE // 2))
        asked = []
        evidence.collect_machine("beta", os.path.join(self.folder, "beta"), lambda *_: asked.append(1) or "", [], lambda: next(moments))
        self.assertEqual(1, len(asked))

    def test_a_machine_s_own_quotes_reach_its_shell(self):
        self.assertEqual("'it'\\''s'", evidence._quoted("it's"))

    def test_a_lab_without_a_running_machine_leaves_nothing(self):
        lab = types.SimpleNamespace(vms={"alpha": types.SimpleNamespace(running=False)})
        self.assertIsNone(evidence.collect(lab, self.folder))
        self.assertFalse(os.path.exists(self.folder))

    def test_the_text_of_a_failure_names_the_folder(self):
        told = explain.failure(LabError("idle", "alpha", "jobs"), {}, "build/out/wow/failed")
        self.assertTrue(any(line.endswith(": build/out/wow/failed") for line in told), told)
        self.assertFalse(any("None" in line for line in explain.failure(LabError("idle", "alpha", "jobs"), {}, None)))


if __name__ == "__main__":
    unittest.main()
