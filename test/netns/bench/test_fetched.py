import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "fetched"
PACKAGES = {
    "wireguard-go": ("12ed4b9ae95bc6b1", "usr/bin/wireguard-go", "pool/main/w/wireguard-go/wireguard-go_0.0.20260522-1_amd64.deb", "WIREGUARD_GO"),
    "nebula": ("18d5545463e8db3b", "usr/bin/nebula", "pool/main/n/nebula/nebula_1.11.0+dfsg-1_amd64.deb", "NEBULA"),
    "libipsec-mb2": ("3fbb25a6f87dc37e", "usr/lib/x86_64-linux-gnu/libIPSec_MB.so.2",
                     "pool/main/i/intel-ipsec-mb/libipsec-mb2_2.0-1+b1_amd64.deb", "LIBIPSEC_MB")}


class Fetched(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = pathlib.Path(folder.name) / "cache"
        self.mirror = pathlib.Path(folder.name) / "mirror"
        self.mirror.mkdir()

    def ask(self, *arguments, **environment):
        plain = {name: value for name, value in os.environ.items() if name not in ("WIREGUARD_GO", "NEBULA", "LIBIPSEC_MB")}
        return subprocess.run(
            [SCRIPT, *arguments], capture_output=True, text=True, check=False,
            env={**plain, "WOW_CACHE": str(self.cache), "MIRROR": f"file://{self.mirror}", **environment})

    def kept(self):
        return [path for path in self.cache.rglob("*") if path.is_file()]

    def test_what_is_in_the_cache_is_not_fetched_again(self):
        for package, (hash_, wanted, _, _) in PACKAGES.items():
            file = self.cache / package / hash_ / wanted
            file.parent.mkdir(parents=True)
            file.write_text("")
            self.assertEqual(self.ask(package).stdout, f"{file}\n")

    def test_ones_own_is_taken_as_it_is(self):
        for package, (_, _, _, variable) in PACKAGES.items():
            self.assertEqual(self.ask(package, **{variable: "/own/one"}).stdout, "/own/one\n")

    def test_a_file_that_was_not_meant_is_refused(self):
        for package, (_, _, path, variable) in PACKAGES.items():
            (self.mirror / path).parent.mkdir(parents=True)
            (self.mirror / path).write_text("something else")
            said = self.ask(package)
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertIn("is not the file that was meant", said.stderr)
            self.assertIn(variable, said.stderr)
        self.assertEqual(self.kept(), [])

    def test_a_mirror_without_it_is_told(self):
        for package in PACKAGES:
            said = self.ask(package)
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertRegex(said.stderr, rf"{package} can't be fetched \(curl: .+\)")
        self.assertEqual(self.kept(), [])

    def test_an_unknown_package_is_told(self):
        self.assertEqual(self.ask("hello").returncode, 2)
        self.assertEqual(self.ask().returncode, 2)


if __name__ == "__main__":
    unittest.main()
