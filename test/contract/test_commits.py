"""A commit's subject has 72 characters at most, as CONTRIBUTING.md says: tools show no more of it in one line. Those before this was looked at are as they are."""

import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SINCE = "f64872ce6dabfb7ac05df1791405342d7228f718"
MOST = 72


def subjects(root):
    """What the commits since then are called, and why that cannot be told, where it cannot: a copy without history has none to look at."""
    log = subprocess.run(["git", "-C", root, "log", "--no-merges", "--format=%s", f"{SINCE}..HEAD"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, check=False)
    if log.returncode:
        return [], f"{root}: subjects of commits are not looked at, for git has no history since {SINCE}: {log.stderr.strip()}"
    return log.stdout.splitlines(), ""


def too_long(names):
    """Those of too many characters."""
    return [name for name in names if len(name) > MOST]


class Commits(unittest.TestCase):
    def test_no_subject_is_too_long(self):
        names, why = subjects(ROOT)
        if why:
            print(why)
        self.assertEqual([], too_long(names), f"say it in {MOST} characters: git commit --amend, or git rebase -i for one before the last")

    def test_one_that_is_too_long_is_seen(self):
        self.assertEqual(["x" * 73], too_long(["x" * 72, "x" * 73, ""]))

    def test_a_copy_without_history_is_told_of(self):
        names, why = subjects("/")
        self.assertEqual([], names)
        self.assertIn("not looked at", why)


if __name__ == "__main__":
    unittest.main()
