"""The plot of the module storm-surge: what it draws, and what it says of files that are none of the model's. The model itself is seen in made.py (--long)."""

import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

PLOT = pathlib.Path(__file__).resolve().parents[2] / "modules/storm-surge/root/usr/share/wow/storm-surge/plot"
SVG = "{http://www.w3.org/2000/svg}"


class Plot(unittest.TestCase):
    def drawn(self, *texts, code=0):
        """Standard output and error for files of these texts."""
        with tempfile.TemporaryDirectory() as scratch:
            files = []
            for number, text in enumerate(texts):
                files.append(pathlib.Path(scratch, f"{number}.csv"))
                files[-1].write_text(text, encoding="utf-8")
            done = subprocess.run([PLOT, *files], capture_output=True, text=True, check=False)
            self.assertEqual(code, done.returncode, done.stderr)
            return done.stdout, done.stderr.replace(scratch, "")

    def test_each_member_and_the_worst_of_all_are_lines_and_the_table_says_where(self):
        picture, table = self.drawn("one,1.0,0.5\none,3.0,2.25\n", "two,1.0,1.5\ntwo,3.0,-0.5\n")
        tree = xml.fromstring(picture)
        self.assertEqual(3, len(tree.findall(f"{SVG}polyline")))
        self.assertIn("one", [text.text for text in tree.iter(f"{SVG}text")])
        self.assertEqual(["one 2.25 m at 3 km", "two 1.50 m at 1 km"], [" ".join(line.split()) for line in table.splitlines()])
        worst, first, _ = ([point.split(",") for point in line.get("points").split()] for line in tree.findall(f"{SVG}polyline"))
        self.assertLess(float(worst[0][1]), float(first[0][1]), "the worst is not above the lower one")
        self.assertEqual(worst[1], first[1])

    def test_a_name_is_text(self):
        picture, _ = self.drawn("<script>x</script>,1,2\n")
        self.assertNotIn("<script>", picture)
        xml.fromstring(picture)

    def test_what_the_model_did_not_write_is_named(self):
        self.assertEqual("plot: /0.csv:2: is not NAME,KM,LEVEL; give what surge printed\n", self.drawn("a,1,2\nsurge: stopped\n", code=1)[1])
        self.assertEqual("plot: there is nothing to draw; name the files that surge wrote: plot member.*.csv\n", self.drawn("", code=1)[1])
        done = subprocess.run([PLOT, "/none.csv"], capture_output=True, text=True, check=False)
        self.assertEqual((1, "plot: /none.csv: No such file or directory; have all jobs ended? wow jobs\n"), (done.returncode, done.stderr))


if __name__ == "__main__":
    unittest.main()
