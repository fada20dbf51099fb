import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import made  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]


class Made(unittest.TestCase):
    def test_the_files_of_this_clone_are_what_the_contract_says(self):
        self.assertEqual(made.stale(CLONE), [], "run: test/figures --write")

    def test_every_file_of_the_contract_is_used(self):
        makers = "".join(path.read_text(encoding="utf-8") for path in (CLONE / "test/contract").glob("*.py"))
        for path in (CLONE / "docs/contract").glob("*.json"):
            self.assertTrue(f'SOURCE = "docs/contract/{path.name}"' in makers, path.name)

    def test_what_is_the_same_already_is_not_written_again(self):
        with tempfile.TemporaryDirectory() as folder:
            root, name = pathlib.Path(folder), next(iter(made.FILES))
            for source in (CLONE / "docs/contract").glob("*.json"):
                (root / "docs/contract").mkdir(parents=True, exist_ok=True)
                (root / "docs/contract" / source.name).write_bytes(source.read_bytes())
            for file in made.FILES:
                (root / file).parent.mkdir(parents=True, exist_ok=True)
            self.assertEqual(made.stale(root), list(made.FILES))
            self.assertEqual(made.write(root), list(made.FILES))
            self.assertEqual(made.stale(root), [])
            before = (root / name).stat().st_mtime_ns
            self.assertEqual(made.write(root), [])
            self.assertEqual((root / name).stat().st_mtime_ns, before)
            (root / name).write_text("older")
            self.assertEqual(made.stale(root), [name])


if __name__ == "__main__":
    unittest.main()
