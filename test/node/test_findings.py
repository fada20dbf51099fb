"""Each code that people's programs may decide by stands in docs/reference/findings.md, and no other does."""
import pathlib
import re
import unittest

CLONE = pathlib.Path(__file__).resolve().parents[2]
NODE = CLONE / "appliance/node/root/usr/lib/wow/node/wow"
PAGE = (CLONE / "docs/reference/findings.md").read_text(encoding="utf-8")


def listed(heading):
    """The codes of a section's table, whose head is `code`."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = section.partition("| code |")[2]
    return {code for line in table.splitlines()[2:] for code in re.findall(r"`([a-z-]+)`", line.split("|")[1] if line.startswith("|") else "")}


class Codes(unittest.TestCase):
    def test_those_of_why(self):
        text = "".join((NODE / f"why/{name}.py").read_text(encoding="utf-8") for name in ("decide", "words"))
        self.assertEqual(set(re.findall(r'\bAnswer\("([a-z-]+)"', text)), listed("wow why, wow jobs"))

    def test_those_of_the_doctor_s_look_at_htcondor(self):
        text = (NODE / "doctor/diagnose_condor.py").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r'"([a-z]+(?:-[a-z]+)*)"\)', text)), listed("wow doctor"))


if __name__ == "__main__":
    unittest.main()
