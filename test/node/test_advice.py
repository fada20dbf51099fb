"""Nobody is root on the image: no advice ends with what only root may type."""
import unittest

from wow.doctor import finding
from wow.lib import advice
from wow.lib.errors import WowError


class Advice(unittest.TestCase):
    def test_what_only_root_may_type_is_followed_by_what_others_can_do(self):
        error = WowError("did not answer", "Look with: journalctl -u ipopd", "/run/wow/ipopd.sock")
        self.assertEqual(f"/run/wow/ipopd.sock: did not answer. Look with: journalctl -u ipopd. {advice.OTHERWISE}", str(error))
        self.assertIn(f"then systemctl start condor. {advice.OTHERWISE}.", finding.wrong("services", "It is off.", "Look, then systemctl start condor.").line())
        self.assertIn("wow support", advice.OTHERWISE)

    def test_other_advice_and_what_is_handed_on_is_left_as_it_is(self):
        for todo in ("Wait", "Type `wow status`.", "", advice.whole("Look with: journalctl -u ipopd"), advice.whole("Then systemctl restart ipopd.")):
            self.assertEqual(todo, advice.whole(todo))


if __name__ == "__main__":
    unittest.main()
