"""test/coupling: arrows from using lines, and the knot that they make."""
import importlib.util
import pathlib
import sys
import unittest
from importlib.machinery import SourceFileLoader

CLONE = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
LOADER = SourceFileLoader("coupling", str(CLONE / "test/coupling"))
coupling = importlib.util.module_from_spec(importlib.util.spec_from_loader("coupling", LOADER))
LOADER.exec_module(coupling)

FILES = {
    ("Wire", "P/Wire/Frame.cs"): "namespace P.Wire;\n\ninternal sealed class Frame;\n",
    ("Links", "P/Links/Link.cs"): "using P.Wire;\nusing P.Ring;\nusing System.Text;\n\nnamespace P.Links;\n\ninternal sealed class Link(Frame frame, Place place);\n",
    ("Ring", "P/Ring/Place.cs"): "using P.Dht;\n\nnamespace P.Ring;\n\ninternal sealed class Place(Store store);\n",
    ("Dht", "P/Dht/Store.cs"): "using P.Links;\nusing P.Wire;\n\nnamespace P.Dht;\n\ninternal sealed class Store(Link link, Frame frame);\n"}


class Coupling(unittest.TestCase):
    def test_an_arrow_is_a_using_line_of_another_folder_of_the_project(self):
        self.assertEqual(coupling.arrows(FILES, "P"), {("Links", "Wire"), ("Links", "Ring"), ("Ring", "Dht"), ("Dht", "Links"), ("Dht", "Wire")})

    def test_a_knot_goes_by_way_of_others(self):
        self.assertEqual(coupling.knot(coupling.arrows(FILES, "P")), {"Links", "Ring", "Dht"})
        self.assertLessEqual(len(coupling.knot({("Links", "Wire"), ("Ring", "Links")})), 1)

    def test_a_type_counts_in_the_files_of_other_folders(self):
        self.assertEqual(coupling.named(FILES)[0], ("Frame", 2))

    def test_no_project_of_this_clone_has_a_knot(self):
        for project in coupling.PROJECTS:
            files = coupling.sources(project, None)
            self.assertTrue(files, project)
            self.assertLessEqual(len(coupling.knot(coupling.arrows(files, project.rsplit("/", 1)[1]))), 1, project)


if __name__ == "__main__":
    unittest.main()
