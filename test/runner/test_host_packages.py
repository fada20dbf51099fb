import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "appliance/host-packages"

# Stand-ins for the machine's commands: $STATE holds the installed packages, the user's number and the SDKs.
FAKES = {
    "dpkg-query": 'for name; do :; done; grep -qx "$name" "$STATE/installed" && printf installed',
    "apt-get": 'echo "$*" >>"$STATE/apt"; case "$*" in *" install "*) [ -e "$STATE/broken" ] && exit 100; '
               'for name; do echo "$name" >>"$STATE/installed"; done;; esac; exit 0',
    "id": 'cat "$STATE/user"',
    "dotnet": 'cat "$STATE/sdks"',
}


class HostPackages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = pathlib.Path(folder.name)
        (self.state / "bin").mkdir()
        for name, body in FAKES.items():
            path = self.state / "bin" / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        self.write("os-release", 'ID=debian\nVERSION_ID="12"\n')
        self.write("list", "one   # why\n\n# a comment\ntwo\n")
        self.write("installed", "one\ntwo\n")
        self.write("user", "0\n")
        self.write("sdks", "10.0.100 [/usr/share/dotnet/sdk]\n")

    def write(self, name, text):
        (self.state / name).write_text(text)

    def run_script(self, **environment):
        path = f"{self.state}/bin:{os.environ['PATH']}"
        ended = subprocess.run(
            [str(SCRIPT), str(self.state / "list")],
            env={"PATH": path, "STATE": str(self.state), "WOW_OS_RELEASE": str(self.state / "os-release"), **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    def test_says_so_when_all_is_here(self):
        code, said = self.run_script()
        self.assertEqual(code, 0, said)
        self.assertIn(".NET 10 SDK", said)
        self.assertFalse((self.state / "apt").exists())

    def test_root_installs_what_is_missing_by_name(self):
        self.write("installed", "one\n")
        code, said = self.run_script()
        self.assertEqual(code, 0, said)
        asked = (self.state / "apt").read_text()
        self.assertIn("DPkg::Lock::Timeout=300 install --no-install-recommends two\n", asked)

    def test_others_get_one_line_to_run(self):
        self.write("installed", "")
        self.write("user", "1000\n")
        code, said = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("sudo apt-get update && sudo apt-get install -y --no-install-recommends one two", said)
        self.assertFalse((self.state / "apt").exists())

    def test_others_with_everything_installed_are_sent_to_root(self):
        self.write("user", "1000\n")
        code, said = self.run_script(WOW_TARGETS="test")
        self.assertEqual(code, 1)
        self.assertIn('sudo -E env PATH="$PATH" make test', said)

    def test_an_installation_that_fails_names_the_packages_and_the_list(self):
        self.write("installed", "")
        self.write("broken", "")
        code, said = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("could not install: one two", said)
        self.assertIn(str(self.state / "list"), said)

    def test_an_old_sdk_is_named(self):
        self.write("sdks", "8.0.401 [/usr/share/dotnet/sdk]\n")
        code, said = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("8.0.401", said)
        self.assertIn(".NET 10 SDK is missing", said)

    def test_no_sdk_at_all_is_said(self):
        (self.state / "bin/dotnet").unlink()
        for name in ("sh", "sed", "cat", "dirname", "date", "grep", "cut", "tr", "wc"):
            (self.state / "bin" / name).unlink(missing_ok=True)
            (self.state / "bin" / name).symlink_to(shutil.which(name))
        code, said = self.run_script(PATH=str(self.state / "bin"))
        self.assertEqual(code, 1)
        self.assertIn("there is no 'dotnet' on PATH", said)

    def test_another_distribution_is_told_what_it_needs(self):
        self.write("os-release", "ID=fedora\nVERSION_ID=43\n")
        code, said = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("one two and the .NET 10 SDK", said)
        self.assertEqual(self.run_script(WOW_ANY_HOST="1")[0], 0)

    def test_a_missing_list_is_named(self):
        (self.state / "list").unlink()
        code, said = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn(f"no list of packages at {self.state}/list", said)


if __name__ == "__main__":
    unittest.main()
